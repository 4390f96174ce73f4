package main

import (
	"os/exec"
	"testing"
)

// TestPrograms compares a hundred programs. The command compares more.
func TestPrograms(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the Go compiler is not here to compare with: ", err)
	}
	n := 100
	if testing.Short() {
		n = 20
	}
	c, diffs, err := compareBatch(1, 0, n)
	if err != nil {
		t.Fatal(err)
	}
	if c < n*9/10 {
		t.Errorf("only %d of %d programs compile", c, n)
	}
	for _, d := range diffs {
		t.Error(d)
	}
}
