package kernel

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"runtime/debug"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/kernel/output"
	"github.com/gonterp/gonterp/kernel/wire"
)

// The file descriptors that a worker is started with, beside the standard ones.
// Those of workerStdout and workerStderr are the read ends of its own file
// descriptors 1 and 2: the supervisor keeps them open too, and reads there what a
// dying worker could not pass on.
const (
	workerIn     = 3
	workerOut    = 4
	workerStdout = 5
	workerStderr = 6
	workerCrash  = 7

	workerJournal = 8
)

// workerMark is in the environment of a worker that has these descriptors.
const workerMark = "GONTERP_WORKER"

// closing is how long a session may take to close before its process ends
// without it.
const closing = time.Second

// Pipes gives the descriptors over which a supervisor talks to this process, for
// ServeWorker. It is an error to ask for them in a process that Run did not start.
func Pipes() (in, out *os.File, err error) {
	if os.Getenv(workerMark) == "" {
		return nil, nil, fmt.Errorf("the worker is started by `gonterp kernel`, not by hand")
	}
	return os.NewFile(workerIn, "requests"), os.NewFile(workerOut, "events"), nil
}

// ServeWorker is a worker: it opens a session and serves it on in and out until
// in ends. In a process that Run started it also passes on what is written to
// file descriptors 1 and 2, and takes its children along when it ends.
func ServeWorker(in io.Reader, out io.Writer, open func() (interp.Sessions, error)) error {
	if os.Getenv(workerMark) == "" {
		return wire.Serve(in, out, open, wire.Process{})
	}
	os.Unsetenv(workerMark)
	for fd := workerIn; fd <= workerJournal; fd++ {
		syscall.CloseOnExec(fd)
	}
	// An interrupt comes as a request; a terminal's Ctrl-C is the supervisor's.
	signal.Ignore(os.Interrupt)
	crash := os.NewFile(workerCrash, "crash")
	if err := debug.SetCrashOutput(crash, debug.CrashOptions{}); err != nil {
		return err
	}
	crash.Close()
	file := os.NewFile(workerJournal, "journal")
	journal, err := output.OpenJournal(file)
	if err != nil {
		return err
	}
	file.Close()
	leader := syscall.Getpgrp() == os.Getpid()
	end := func() {
		if leader {
			syscall.Kill(0, syscall.SIGKILL)
		}
		os.Exit(0)
	}
	defer end()
	return wire.Serve(in, out, open, wire.Process{
		Capture: capture, Journal: journal,
		Ending: func() { time.AfterFunc(closing, end) },
	})
}

// capture reads the process's own standard output and error.
func capture(write func(name string, text []byte)) (func(), error) {
	var files [2]*os.File
	for i, fd := range []int{workerStdout, workerStderr} {
		if err := syscall.SetNonblock(fd, true); err != nil {
			return nil, fmt.Errorf("the worker's output: %w", err)
		}
		files[i] = os.NewFile(uintptr(fd), "output")
	}
	d, err := output.Read(files[0], files[1], write)
	if err != nil {
		return nil, err
	}
	return d.Drain, nil
}

// environment is a worker's: the supervisor's without what only concerns it.
// GOMP_SPINCOUNT must be there before libtorch is opened: its threads would spin
// between operations and take the cores from each other.
func environment() []string {
	env := []string{workerMark + "=1", "GOMP_SPINCOUNT=0"}
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if name != "JPY_PARENT_PID" && name != workerMark && name != "GOMP_SPINCOUNT" {
			env = append(env, e)
		}
	}
	return env
}
