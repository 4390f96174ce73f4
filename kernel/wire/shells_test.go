package wire_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/kernel/output"
	"github.com/gonterp/gonterp/kernel/wire"
)

// Shelled is a session whose shells meet: a cell "main" waits for one of another shell.
type shelled struct {
	session
	meet    chan string
	stopped chan string
	shut    chan string
}

func (s *shelled) Execute(c interp.Cell, out interp.Output) interp.Outcome {
	switch c.Code {
	case "main":
		return interp.Outcome{Count: c.Number, Value: &interp.Bundle{Data: map[string]any{"text/plain": <-s.meet}}}
	case "wait":
		return interp.Outcome{Count: c.Number, Err: &interp.CellError{Name: <-s.stopped}}
	case "ask":
		_, err := out.Input("?", false)
		return interp.Outcome{Err: &interp.CellError{Name: fmt.Sprint(err == interp.ErrInterrupted)}}
	}
	s.meet <- c.Shell
	return interp.Outcome{Count: c.Number}
}

func (s *shelled) InterruptShell(shell string) { s.stopped <- shell }
func (s *shelled) CloseShell(shell string)     { s.shut <- shell }

func (s *shelled) Comm(shell string, m interp.CommMessage, out interp.Output) *interp.CellError {
	if m.Kind == "close" {
		return &interp.CellError{Name: "told", Value: m.ID}
	}
	m.Target += " in " + shell
	out.(interp.CommOutput).Comm(7, m)
	return nil
}

// Comm makes shown an output for comms.
func (o *shown) Comm(cell int, m interp.CommMessage) error {
	o.add("%d %s %s %s %s %s %q", cell, m.Kind, m.ID, m.Target, m.Data, m.Metadata, m.Buffers)
	return nil
}

func serveShelled(t *testing.T) (*shelled, *wire.Client) {
	t.Helper()
	s := &shelled{meet: make(chan string), stopped: make(chan string, 9), shut: make(chan string, 9)}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go func() {
		wire.Serve(inR, outW, func() (interp.Sessions, error) { return s, nil }, wire.Process{})
		outW.Close()
	}()
	c := wire.NewClient(inW, outR, nil)
	t.Cleanup(func() { c.Close() })
	return s, c
}

func TestShells(t *testing.T) {
	s, c := serveShelled(t)
	main := make(chan interp.Outcome, 1)
	go func() { main <- c.Execute(interp.Cell{Code: "main", Number: 5}, &shown{}) }()
	if o := c.Execute(interp.Cell{Code: "meet", Number: 6, Shell: "a"}, &shown{}); o.Err != nil || o.Count != 6 {
		t.Errorf("beside the main cell: %+v", o)
	}
	if o := <-main; o.Count != 5 || string(o.Value.Data["text/plain"].(json.RawMessage)) != `"a"` {
		t.Errorf("the main cell: %+v", o)
	}
	waiting := make(chan interp.Outcome, 1)
	go func() { waiting <- c.Execute(interp.Cell{Code: "wait", Shell: "b"}, &shown{}) }()
	time.Sleep(50 * time.Millisecond)
	c.InterruptShell("b")
	c.CloseShell("b")
	if o := <-waiting; o.Err == nil || o.Err.Name != "b" {
		t.Errorf("the interrupted cell: %+v", o)
	}
	select {
	case shell := <-s.shut:
		if shell != "b" {
			t.Errorf("shell %q was closed", shell)
		}
	case <-time.After(5 * time.Second):
		t.Error("the shell was not closed")
	}
	o := c.Execute(interp.Cell{Code: "ask"}, &shown{input: func(string) (string, error) { return "", interp.ErrInterrupted }})
	if o.Err == nil || o.Err.Name != "true" {
		t.Errorf("an interrupted question: %+v", o.Err)
	}
}

func TestComms(t *testing.T) {
	_, c := serveShelled(t)
	out := &shown{}
	m := interp.CommMessage{Kind: "open", ID: "1", Target: "t", Data: json.RawMessage(`{"a":1}`), Metadata: json.RawMessage(`{"v":"2"}`), Buffers: [][]byte{{0, 255}, {}, []byte("b")}}
	if failed, err := c.Deliver("a", m, out); failed != nil || err != nil {
		t.Fatal(failed, err)
	}
	if got, want := out.String(), `7 open 1 t in a {"a":1} {"v":"2"} ["\x00\xff" "" "b"]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if failed, err := c.Deliver("a", interp.CommMessage{Kind: "close", ID: "1"}, out); err != nil || failed == nil || failed.Value != "1" {
		t.Errorf("a handler that fails: %v, %v", failed, err)
	}
}

// A session without comms refuses each.
func TestNoComms(t *testing.T) {
	c := connect(t, &session{})
	out := &shown{}
	if failed, err := c.Deliver("", interp.CommMessage{Kind: "open", ID: "1", Target: "t"}, out); failed != nil || err != nil || out.String() != "0 close 1    []" {
		t.Errorf("%v, %v, %s", failed, err, out)
	}
}

// Mortal is the pipe of a process that does nothing more once it is dead.
type mortal struct {
	w    io.Writer
	dead atomic.Bool
}

func (m *mortal) Write(b []byte) (int, error) {
	if m.dead.Load() {
		select {}
	}
	return m.w.Write(b)
}

// Of a process that is gone, what it did not send is in its journal, and what it
// sent is not told twice.
func TestJournalOfTheDead(t *testing.T) {
	f, err := output.NewJournalFile()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	theirs, err := output.OpenJournal(f)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := output.OpenJournal(f)
	if err != nil {
		t.Fatal(err)
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	pipe := &mortal{w: outW}
	s := &session{}
	s.cells = map[string]func(interp.Output) interp.Outcome{"dies": func(out interp.Output) interp.Outcome {
		out.Stream(1, "stdout", "sent ")
		out.Clear(1, false) // which sends what is before it
		out.Stream(1, "stdout", "kept")
		out.Stream(1, "stderr", "\xff")
		pipe.dead.Store(true)
		outW.CloseWithError(os.ErrClosed)
		select {}
	}}
	go wire.Serve(inR, pipe, func() (interp.Sessions, error) { return s, nil }, wire.Process{Journal: theirs})
	c := wire.NewClient(inW, outR, ours)
	out := &shown{}
	if _, err := c.Run(interp.Cell{Code: "dies"}, out); err == nil {
		t.Error("the cell of a dead process ended well")
	}
	want := "1 stdout \"sent \"\n1 clear false\n1 stdout \"kept\"\n1 stderr \"\uFFFD\""
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
