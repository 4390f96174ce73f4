package main

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/gonterp/gonterp/interp/check"
	"github.com/gonterp/gonterp/interp/engine"
	"github.com/gonterp/gonterp/interp/exports"
	"github.com/gonterp/gonterp/interp/machine"
	"github.com/gonterp/gonterp/interp/symbols"
)

// interpreted runs a program as a cell, in a session of its own, and returns what it printed.
func interpreted(p program) string {
	out := &output{}
	im := exports.NewImporter()
	im.Add(symbols.Packages()...)
	c := check.New(im)
	m, err := machine.New(engine.Host{
		Importer: im, Stdout: out, Stderr: out,
		Writer:   func(w io.Writer) io.Writer { return w },
		Panicked: func(f engine.Fault) { fmt.Fprintf(out, "GOROUTINE PANIC %s\n", f.Text) },
		Cell:     func() int { return 1 },
	})
	if err != nil {
		return "ENGINE " + err.Error()
	}
	defer m.Close()
	cell, err := c.Cell(1, p.text+fmt.Sprintf("prog%d()\n", p.id))
	if err != nil {
		return "CHECK " + err.Error()
	}
	run, err := m.Compile(cell)
	if err != nil {
		return "REFUSED " + err.Error()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				fmt.Fprintf(out, "\nPANIC %v\n", v)
			}
		}()
		run()
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		m.Interrupt()
		return out.text() + "HANG\n"
	}
	return out.text()
}

type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}
