package interp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"reflect"
	"time"

	"github.com/gonterp/gonterp/interp/engine"
	"github.com/gonterp/gonterp/interp/exports"
)

// hostCalls are the functions of the standard library that mean the session
// where they mean the process in a program: they end the cell, not the process,
// write to the cell, ask the person at the cell, and stop on an interrupt.
func (s *Session) hostCalls() exports.Table {
	v := func(x any) reflect.Value { return reflect.ValueOf(x) }
	stdout, stderr := s.streams.stdout.file, s.streams.stderr.file
	stdin, _ := os.Open(os.DevNull) // the process's own belongs to the front end
	in := &input{streams: s.streams}
	// A file can't tell that somebody reads it, so what is told to read os.Stdin
	// reads what asks the person.
	from := func(r io.Reader) io.Reader {
		if r == io.Reader(stdin) {
			return in
		}
		return r
	}
	logger := log.New(s.streams.stderr, "", log.LstdFlags)
	exit := func(text string) { panic(engine.Exit{Text: text}) }
	return exports.Table{
		"os/os": {
			"Stdout": v(&stdout).Elem(),
			"Stderr": v(&stderr).Elem(),
			"Stdin":  v(&stdin).Elem(),
			"Exit":   v(func(code int) { exit(fmt.Sprintf("os.Exit(%d)", code)) }),
		},
		"runtime/runtime": {
			"Goexit": v(func() { exit("runtime.Goexit()") }),
		},
		"time/time": {
			"Sleep": v(s.sleep),
		},
		"os/exec/exec": {
			"Command": v(s.command),
		},
		"fmt/fmt": {
			"Scan":   v(func(a ...any) (int, error) { return fmt.Fscan(in, a...) }),
			"Scanln": v(func(a ...any) (int, error) { return fmt.Fscanln(in, a...) }),
			"Scanf":  v(func(format string, a ...any) (int, error) { return fmt.Fscanf(in, format, a...) }),

			"Fscan":   v(func(r io.Reader, a ...any) (int, error) { return fmt.Fscan(from(r), a...) }),
			"Fscanln": v(func(r io.Reader, a ...any) (int, error) { return fmt.Fscanln(from(r), a...) }),
			"Fscanf":  v(func(r io.Reader, format string, a ...any) (int, error) { return fmt.Fscanf(from(r), format, a...) }),
		},
		"bufio/bufio": {
			"NewReader":     v(func(r io.Reader) *bufio.Reader { return bufio.NewReader(from(r)) }),
			"NewReaderSize": v(func(r io.Reader, n int) *bufio.Reader { return bufio.NewReaderSize(from(r), n) }),
			"NewScanner":    v(func(r io.Reader) *bufio.Scanner { return bufio.NewScanner(from(r)) }),
		},
		"io/io": {
			"ReadAll": v(func(r io.Reader) ([]byte, error) { return io.ReadAll(from(r)) }),
		},
		"log/log": {
			"Print":     v(logger.Print),
			"Printf":    v(logger.Printf),
			"Println":   v(logger.Println),
			"Panic":     v(logger.Panic),
			"Panicf":    v(logger.Panicf),
			"Panicln":   v(logger.Panicln),
			"Fatal":     v(func(a ...any) { logger.Print(a...); exit("log.Fatal") }),
			"Fatalf":    v(func(f string, a ...any) { logger.Printf(f, a...); exit("log.Fatalf") }),
			"Fatalln":   v(func(a ...any) { logger.Println(a...); exit("log.Fatalln") }),
			"Default":   v(func() *log.Logger { return logger }),
			"Writer":    v(logger.Writer),
			"SetOutput": v(func(w io.Writer) { logger.SetOutput(s.streams.writer(w)) }),
			"Flags":     v(logger.Flags),
			"SetFlags":  v(logger.SetFlags),
			"Prefix":    v(logger.Prefix),
			"SetPrefix": v(logger.SetPrefix),
			"Output":    v(logger.Output),
		},
	}
}

// sleep is time.Sleep that an interrupt of the cell ends; goroutines of earlier cells sleep on.
func (s *Session) sleep(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.streams.origin().stop:
		panic(engine.Interrupted{})
	}
}

// command is exec.Command of a program that an interrupt of the cell ends.
func (s *Session) command(name string, arg ...string) *exec.Cmd {
	c := exec.CommandContext(untilStopped{context.Background(), s.streams.origin()}, name, arg...)
	c.Cancel = func() error {
		c.WaitDelay = 100 * time.Millisecond // what it started may hold its output open
		return c.Process.Kill()
	}
	return c
}

// untilStopped is done when its cell is interrupted.
type untilStopped struct {
	context.Context
	cell *origin
}

func (u untilStopped) Done() <-chan struct{} { return u.cell.stop }

func (u untilStopped) Err() error {
	if u.cell.stopped() {
		return context.Canceled
	}
	return nil
}

// input reads lines that the person at the running cell types.
type input struct {
	streams *streams
	rest    []byte
}

func (i *input) Read(p []byte) (int, error) {
	if len(i.rest) == 0 {
		o := i.streams.origin()
		if o.out == nil {
			return 0, io.EOF
		}
		line, err := o.ask("", false)
		if err != nil {
			if err != io.EOF { // a Scan whose error nobody looks at would go on with nothing
				i.streams.do(func() { o.out.Stream(o.cell, "stderr", err.Error()+"\n") })
			}
			return 0, err
		}
		i.rest = []byte(line + "\n")
	}
	n := copy(p[:min(len(p), 1)], i.rest)
	i.rest = i.rest[n:]
	return n, nil
}
