package kernel_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/interp/commands"
	"github.com/gonterp/gonterp/kernel"
)

// The test binary plays the kernel's two processes as well.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "kernel" {
		worker := []string{os.Args[0], "worker"}
		if argv := os.Getenv("TEST_WORKER"); argv != "" {
			worker = strings.Fields(argv)
		}
		err := kernel.Run(os.Args[2], worker)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		in, out, err := kernel.Pipes()
		if err == nil {
			err = kernel.ServeWorker(in, out, func() (interp.Sessions, error) {
				opening, _ := time.ParseDuration(os.Getenv("TEST_OPENING"))
				time.Sleep(opening)
				return &fake{shells: map[string]chan bool{}}, nil
			})
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// A fake is a session whose cells are lines of "verb argument".
type fake struct {
	mu     sync.Mutex
	count  int
	shells map[string]chan bool // of the cells at work: what stops them
}

func (f *fake) Execute(c interp.Cell, out interp.Output) interp.Outcome {
	stop := make(chan bool, 1)
	f.mu.Lock()
	n := c.Number
	if !c.Silent {
		f.count = max(f.count, n)
	}
	f.shells[c.Shell] = stop
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		delete(f.shells, c.Shell)
		f.mu.Unlock()
	}()
	o := interp.Outcome{Count: n}
	for line := range strings.Lines(c.Code) {
		verb, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
		if o.Err = f.run(verb, arg, n, out, &o, stop); o.Err != nil {
			break
		}
	}
	return o
}

func (f *fake) run(verb, arg string, n int, out interp.Output, o *interp.Outcome, stop chan bool) *interp.CellError {
	number, _ := strconv.Atoi(arg)
	switch verb {
	case "print":
		out.Stream(n, "stdout", arg+"\n")
	case "warn":
		out.Stream(n, "stderr", arg+"\n")
	case "lines":
		for i := range number {
			out.Stream(n, "stdout", fmt.Sprintf("line %d\n", i))
		}
	case "value":
		o.Value = &interp.Bundle{Data: map[string]any{"text/plain": arg, "image/png": []byte{1, 2, 3}, "image/svg+xml": []byte("<svg/>")}}
	case "input":
		o.Value = &interp.Bundle{Data: map[string]any{"text/plain": arg, commands.InputForm: arg}}
	case "open":
		out.(interp.CommOutput).Comm(n, interp.CommMessage{Kind: "open", ID: "of a cell", Target: arg, Data: []byte(`{"a":1}`), Metadata: []byte(`{"m":1}`), Buffers: [][]byte{{0, 255}, {}}})
	case "display":
		out.Display(n, interp.Bundle{Data: map[string]any{"text/plain": arg}}, "d1", false)
		out.Display(n, interp.Bundle{Data: map[string]any{"text/plain": arg + "2"}}, "d1", true)
		out.Clear(n, true)
	case "fail":
		return &interp.CellError{Name: "fake error", Value: arg, Cell: n, Line: 1}
	case "quit", "quit()", "%quit":
		return &interp.CellError{Name: "fake error", Value: "no such verb"}
	case "panic":
		panic(arg)
	case "wait":
		select {
		case <-stop:
			return &interp.CellError{Name: "interrupted", Value: "interrupted"}
		case <-time.After(time.Duration(number) * time.Millisecond):
		}
	case "late":
		go func() {
			time.Sleep(300 * time.Millisecond)
			out.Stream(n, "stdout", arg+"\n")
		}()
	case "child":
		exec.Command("sh", "-c", arg).Run()
		c := exec.Command("sh", "-c", arg)
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		c.Run()
	case "leave":
		exec.Command("sleep", arg).Start()
	case "fd":
		syscall.Write(1, []byte(arg+"\n"))
	case "ask":
		line, err := out.Input(arg, false)
		if err != nil {
			return &interp.CellError{Name: "input", Value: err.Error()}
		}
		out.Stream(n, "stdout", "got "+line+"\n")
	case "exit":
		os.Exit(number)
	case "signal":
		syscall.Kill(os.Getpid(), syscall.Signal(number))
		time.Sleep(time.Second)
	case "fatal":
		fmt.Fprintln(os.Stderr, "last words")
		m := map[int]int{}
		for range 4 {
			go func() {
				for {
					m[1]++
				}
			}()
		}
		time.Sleep(10 * time.Second)
	case "count":
		out.Stream(n, "stdout", fmt.Sprint(f.count)+"\n")
	}
	return nil
}

func (f *fake) Complete(code string, cursor int) interp.Completion {
	return interp.Completion{Start: 0, End: cursor, Items: []interp.CompletionItem{{Text: "print", Kind: "func"}}}
}

func (f *fake) Inspect(code string, _, _ int) (interp.Bundle, bool) {
	return interp.Bundle{Data: map[string]any{"text/plain": "about " + code}}, code != ""
}

func (f *fake) IsComplete(code string) interp.Completeness {
	if strings.HasSuffix(code, "{") {
		return interp.Completeness{Status: "incomplete", Indent: "\t"}
	}
	return interp.Completeness{Status: "complete"}
}

func (f *fake) Interrupt() { f.InterruptShell("") }

func (f *fake) InterruptShell(shell string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case f.shells[shell] <- true:
	default:
	}
}

func (f *fake) CloseShell(string) {}

// Comm sends back what comes, knows the target "echo" alone, and fails when it is
// told to.
func (f *fake) Comm(_ string, m interp.CommMessage, out interp.Output) *interp.CellError {
	switch {
	case m.Kind == "open" && m.Target != "echo":
		out.(interp.CommOutput).Comm(0, interp.CommMessage{Kind: "close", ID: m.ID})
	case string(m.Data) == `"fail"`:
		return &interp.CellError{Name: "panic", Value: "as it was told"}
	case m.Kind != "close":
		out.Stream(0, "stdout", m.Kind+"\n")
		m.Kind = "message"
		out.(interp.CommOutput).Comm(0, m)
	}
	return nil
}

func (f *fake) Close() error { return nil }
