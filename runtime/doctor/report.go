package doctor

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/gonterp/gonterp/runtime/torch"
)

// A State is how one part of the installation is.
type State int

const (
	OK    State = iota // nothing to do
	Note               // something optional is missing
	Fault              // something needed is missing or broken
)

// String is the word before a check.
func (s State) String() string { return [...]string{"ok", "note", "FAULT"}[s] }

// A Check is what was found of one part.
type Check struct {
	Name  string
	State State
	Found string
	Mend  string // the command that mends it; empty where nothing is to do
}

// String is the check in one line, and how to mend it in another.
func (c Check) String() string {
	found := strings.ReplaceAll(c.Found, "\n", "\n"+strings.Repeat(" ", 25))
	s := fmt.Sprintf("%-6s %-17s %s", c.State, c.Name, found)
	if c.Mend != "" {
		s += fmt.Sprintf("\n%24s mend: %s", "", c.Mend)
	}
	return s
}

// Faults counts the faults.
func Faults(checks []Check) int {
	n := 0
	for _, c := range checks {
		if c.State == Fault {
			n++
		}
	}
	return n
}

// Report looks at everything, the most needed first.
func Report() []Check {
	checks := []Check{program(), platform()}
	checks = append(checks, libtorch()...)
	return append(checks, gpu(), kernelspec(), jupyter(), modelCache())
}

func program() Check {
	version := "a build without a version"
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" {
		version = b.Main.Version
	}
	path, err := os.Executable()
	if err != nil {
		path = "an unknown place"
	}
	return Check{Name: "gonterp", Found: fmt.Sprintf("%s, %s, %s", version, runtime.Version(), path)}
}

func platform() Check {
	c := Check{Name: "machine", Found: fmt.Sprintf("%s/%s, %d CPUs", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		c.State = Fault
		c.Found += ": tensors need Linux on amd64 or arm64; cells without tensors, info and doctor work here"
		c.Mend = "run gonterp on a Linux machine, for example in a container"
	}
	return c
}

const install = "./install.sh   (in gonterp's source folder)"

// libtorch finds the library, opens it and adds two numbers.
func libtorch() []Check {
	lib, err := torch.Find()
	if err != nil {
		c := Check{"libtorch", Fault, err.Error(), install}
		if os.Getenv("LIBTORCH") != "" {
			c.Mend = "unset LIBTORCH, or set it to the folder that holds libtorch_cpu.so"
		}
		return []Check{c}
	}
	version := lib.Version
	if version == "" {
		version = "unknown version"
	}
	if err := torch.Open(); err != nil {
		return []Check{{"libtorch", Fault, fmt.Sprintf("%s in %s does not open: %v", version, lib.Dir, err), install}}
	}
	if err := add(); err != nil {
		return []Check{{"libtorch", Fault, fmt.Sprintf("%s in %s opens, but cannot add two numbers: %v", version, lib.Dir, err), install}}
	}
	return []Check{
		{"libtorch", OK, fmt.Sprintf("%s in %s", version, lib.Dir), ""},
		{"threads", OK, fmt.Sprint(torch.Threads()), ""},
	}
}

// add proves that ops run. Maths panics; here that is a finding.
func add() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	if got := torch.FromFloats([]float32{1, 2}, 2).Add(1).Sum().Item(); got != 5 {
		return fmt.Errorf("1+1 and 2+1 sum to %g", got)
	}
	return nil
}
