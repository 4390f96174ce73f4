package main

import (
	"fmt"

	"github.com/gonterp/gonterp/runtime/doctor"
)

func doctorReport([]string) error {
	checks := doctor.Report()
	for _, c := range checks {
		fmt.Println(c)
	}
	if n := doctor.Faults(checks); n > 0 {
		return fmt.Errorf("%d faults", n)
	}
	return nil
}
