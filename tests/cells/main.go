package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == childFlag {
		if err := child(); err != nil {
			fmt.Fprintln(os.Stderr, "cells:", err)
			os.Exit(1)
		}
		return
	}
	only := flag.String("only", "", "run only the cases whose name contains this")
	timeout := flag.Duration("timeout", 2*time.Second, "how long a cell may run before it is interrupted")
	flag.Parse()
	var cases []*testCase
	for _, f := range flag.Args() {
		cs, err := parse(f)
		if err != nil {
			fmt.Fprintln(os.Stderr, "cells:", err)
			os.Exit(2)
		}
		for _, c := range cs {
			if strings.Contains(c.name, *only) {
				cases = append(cases, c)
			}
		}
	}
	if len(cases) == 0 {
		fmt.Fprintln(os.Stderr, "cells: no case to run; usage: go run ./tests/cells FILE...")
		os.Exit(2)
	}
	passed, refused, failed := report(cases, *timeout)
	fmt.Printf("%d passed, %d refused, %d failed\n", passed, refused, failed)
	if failed > 0 {
		os.Exit(1)
	}
}

// report runs the cases, two for each processor at once, and prints what is not well.
func report(cases []*testCase, timeout time.Duration) (passed, refused, failed int) {
	type verdict struct{ failed, refused string }
	verdicts := make([]chan verdict, len(cases))
	free := make(chan bool, 2*runtime.NumCPU())
	for i, c := range cases {
		verdicts[i] = make(chan verdict, 1)
		go func() {
			free <- true
			defer func() { <-free }()
			failed, refused := c.run(timeout)
			verdicts[i] <- verdict{failed, refused}
		}()
	}
	for i, c := range cases {
		switch v := <-verdicts[i]; {
		case v.failed != "":
			failed++
			fmt.Printf("FAIL %s: %s\n", c.name, v.failed)
		case v.refused != "":
			refused++
			fmt.Printf("refused %s: %s\n", c.name, v.refused)
		default:
			passed++
		}
	}
	return passed, refused, failed
}

// run runs a case in a child and says how it failed or what was refused.
func (c *testCase) run(timeout time.Duration) (failed, refused string) {
	j := job{Timeout: timeout}
	for _, x := range c.cells {
		j.Cells = append(j.Cells, strings.TrimSpace(x.src))
	}
	in, err := json.Marshal(j)
	if err != nil {
		return err.Error(), ""
	}
	self, err := os.Executable()
	if err != nil {
		return err.Error(), ""
	}
	cmd := exec.Command(self, childFlag)
	var out, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &stderr
	if err := cmd.Start(); err != nil {
		return err.Error(), ""
	}
	hung := time.AfterFunc(time.Duration(len(c.cells))*(timeout+3*time.Second)+10*time.Second, func() { cmd.Process.Kill() })
	werr := cmd.Wait()
	hangs := !hung.Stop()
	var results []result
	for d := json.NewDecoder(&out); ; {
		var r result
		if d.Decode(&r) != nil {
			break
		}
		results = append(results, r)
	}
	if len(results) < len(c.cells) {
		what := fmt.Sprintf("the process died: %v %s", werr, short(stderr.String()))
		if hangs {
			what = "hangs"
		}
		return fmt.Sprintf("cell %d: %s", len(results)+1, what), ""
	}
	for i, x := range c.cells {
		if results[i].Refused != "" && x.err == nil {
			return "", results[i].Refused
		}
		if bad := x.check(results[i]); bad != "" {
			return fmt.Sprintf("cell %d: %s", i+1, bad), ""
		}
	}
	return "", ""
}

// check compares a result with what the cell must give.
func (x *testCell) check(r result) string {
	why := ""
	if r.Err != "" {
		why = ", error " + short(r.Err)
	}
	switch {
	case x.value != nil && (!r.Has || r.Value != *x.value):
		return fmt.Sprintf("value %q, want %q%s", short(r.Value), *x.value, why)
	case x.out != nil && strings.TrimRight(r.Out, "\n") != strings.TrimRight(*x.out, "\n"):
		return fmt.Sprintf("output %q, want %q%s", short(r.Out), *x.out, why)
	case x.err != nil && !strings.Contains(r.Err, *x.err):
		return fmt.Sprintf("error %q, want %q", short(r.Err), *x.err)
	case x.err == nil && (x.noErr || x.value != nil || x.out != nil) && r.Err != "":
		return fmt.Sprintf("error %q, want none", short(r.Err))
	}
	return ""
}

func short(s string) string {
	if len(s) > 300 {
		return s[:300] + "…"
	}
	return s
}
