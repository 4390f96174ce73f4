package wire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/kernel/wire"
)

// A session whose cells are functions of the test.
type session struct {
	cells  map[string]func(out interp.Output) interp.Outcome
	stop   chan bool
	closed bool
}

func (s *session) Execute(c interp.Cell, out interp.Output) interp.Outcome {
	return s.cells[c.Code](out)
}
func (s *session) Complete(code string, cursor int) interp.Completion {
	return interp.Completion{Start: cursor, End: len(code), Items: []interp.CompletionItem{{Text: "t", Kind: "func", Signature: "s", Doc: "d"}}}
}
func (s *session) Inspect(code string, cursor, detail int) (interp.Bundle, bool) {
	return interp.Bundle{Data: map[string]any{"text/plain": fmt.Sprint(code, cursor, detail)}}, cursor > 0
}
func (s *session) IsComplete(string) interp.Completeness {
	return interp.Completeness{Status: "incomplete", Indent: "\t"}
}
func (s *session) Interrupt()   { s.stop <- true }
func (s *session) Close() error { s.closed = true; return nil }

// connect serves s over pipes and gives the other side.
func connect(t *testing.T, s *session) *wire.Client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- wire.Serve(inR, outW, func() (interp.Sessions, error) { return s, nil }, wire.Process{})
		outW.Close()
	}()
	c := wire.NewClient(inW, outR, nil)
	t.Cleanup(func() {
		c.Close()
		if err := <-served; err != nil || !s.closed {
			t.Errorf("closing: %v, closed %v", err, s.closed)
		}
	})
	if err := c.Ready(); err != nil {
		t.Fatal(err)
	}
	return c
}

// shown keeps what cells show.
type shown struct {
	mu    sync.Mutex
	lines []string
	input func(prompt string) (string, error)
}

func (o *shown) add(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lines = append(o.lines, fmt.Sprintf(format, args...))
}
func (o *shown) Stream(cell int, name, text string) { o.add("%d %s %q", cell, name, text) }
func (o *shown) Display(cell int, b interp.Bundle, id string, update bool) {
	o.add("%d display %s %s %v", cell, b.Data["image/png"], id, update)
}
func (o *shown) Clear(cell int, wait bool) { o.add("%d clear %v", cell, wait) }
func (o *shown) Input(prompt string, password bool) (string, error) {
	return o.input(prompt)
}
func (o *shown) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.lines, "\n")
}

func TestEverythingArrivesInOrder(t *testing.T) {
	late := make(chan bool)
	s := &session{stop: make(chan bool, 1)}
	s.cells = map[string]func(interp.Output) interp.Outcome{
		"one": func(out interp.Output) interp.Outcome {
			out.Stream(1, "stdout", "a")
			out.Stream(1, "stdout", "b")
			out.Stream(1, "stderr", "c")
			out.Display(1, interp.Bundle{Data: map[string]any{"image/png": []byte{1, 2, 3}}}, "id", true)
			out.Clear(1, true)
			line, err := out.Input("who? ", false)
			out.Stream(1, "stdout", fmt.Sprint(line, err))
			go func() { <-late; out.Stream(1, "stdout", "late"); late <- true }()
			return interp.Outcome{Count: 1, Value: &interp.Bundle{Data: map[string]any{"text/plain": "v", "application/json": map[string]any{"n": int64(1) << 60}}}}
		},
		"two": func(out interp.Output) interp.Outcome {
			late <- true
			<-late
			return interp.Outcome{Count: 2, Err: &interp.CellError{Name: "n", Line: 3, Diagnostics: []interp.Diagnostic{{Line: 1, Text: "t"}}}}
		},
		"stopped": func(interp.Output) interp.Outcome { <-s.stop; return interp.Outcome{Count: 3} },
		"panics":  func(interp.Output) interp.Outcome { panic("inside") },
	}
	c := connect(t, s)
	first := &shown{input: func(prompt string) (string, error) { return "answer to " + prompt, nil }}
	o := c.Execute(interp.Cell{Code: "one"}, first)
	want := strings.Join([]string{`1 stdout "ab"`, `1 stderr "c"`, `1 display "AQID" id true`, `1 clear true`, `1 stdout "answer to who? <nil>"`}, "\n")
	if got := first.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := string(o.Value.Data["application/json"].(json.RawMessage)); got != `{"n":1152921504606846976}` {
		t.Errorf("a large number became %s", got)
	}
	second := &shown{}
	o = c.Execute(interp.Cell{Code: "two"}, second)
	if o.Err == nil || o.Err.Line != 3 || len(o.Err.Diagnostics) != 1 {
		t.Errorf("the error is %+v", o.Err)
	}
	if got := first.String(); !strings.HasSuffix(got, `1 stdout "late"`) || second.String() != "" {
		t.Errorf("late output went astray: %q and %q", got, second)
	}
	go func() { time.Sleep(50 * time.Millisecond); c.Interrupt() }()
	if o = c.Execute(interp.Cell{Code: "stopped"}, second); o.Count != 3 {
		t.Errorf("an interrupted cell: %+v", o)
	}
	if o = c.Execute(interp.Cell{Code: "panics"}, second); o.Err == nil || o.Err.Value != "inside" {
		t.Errorf("a panic: %+v", o.Err)
	}
	if got := c.Complete("code", 2); got.Start != 2 || got.End != 4 || got.Items[0] != (interp.CompletionItem{Text: "t", Kind: "func", Signature: "s", Doc: "d"}) {
		t.Errorf("completion %+v", got)
	}
	if b, ok := c.Inspect("x", 1, 1); !ok || string(b.Data["text/plain"].(json.RawMessage)) != `"x1 1"` {
		t.Errorf("inspection %s %v", b.Data, ok)
	}
	if _, ok := c.Inspect("x", 0, 0); ok {
		t.Error("found what is not there")
	}
	if got := c.IsComplete("x"); got.Status != "incomplete" || got.Indent != "\t" {
		t.Errorf("completeness %+v", got)
	}
}

func TestASessionThatDoesNotOpen(t *testing.T) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go wire.Serve(inR, outW, func() (interp.Sessions, error) { return nil, errors.New("no libtorch") }, wire.Process{})
	c := wire.NewClient(inW, outR, nil)
	defer c.Close()
	if err := c.Ready(); err == nil || err.Error() != "no libtorch" {
		t.Errorf("Ready: %v", err)
	}
	if o := c.Execute(interp.Cell{}, &shown{}); o.Err == nil {
		t.Error("a cell ran without a session")
	}
}

func TestALostProcess(t *testing.T) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go io.Copy(io.Discard, inR)
	c := wire.NewClient(inW, outR, nil)
	time.AfterFunc(50*time.Millisecond, func() { outW.Close() })
	_, err := c.Run(interp.Cell{}, &shown{})
	var lost *wire.LostError
	if !errors.As(err, &lost) {
		t.Errorf("got %v", err)
	}
	if c.IsComplete("").Status != "unknown" {
		t.Error("a lost process knows something")
	}
}

func FuzzClient(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x10\x00\x00\x00\x00{\"kind\":\"ready\"}"))
	f.Add([]byte("\x00\x00\x00\x11\x00\x00\x00\x00{\"kind\":\"reply\",}"))
	f.Add([]byte("\x00\x00\x00\x11\x00\x00\x00\x02{\"kind\":\"stream\"}ab"))
	comm := `{"kind":"comm","comm":{"sizes":[1,9,-1]}}`
	f.Add(append([]byte{0, 0, 0, byte(len(comm)), 0, 0, 0, 2}, comm+"ab"...))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		inR, inW := io.Pipe()
		go io.Copy(io.Discard, inR)
		c := wire.NewClient(inW, strings.NewReader(string(b)), nil)
		<-c.Gone()
		c.Close()
	})
}

// slow takes a moment before it can be interrupted, as a session that compiles
// first.
type slow struct {
	session
	running atomic.Bool
}

func (s *slow) Execute(interp.Cell, interp.Output) interp.Outcome {
	time.Sleep(30 * time.Millisecond)
	s.running.Store(true)
	defer s.running.Store(false)
	select {
	case <-s.stop:
		return interp.Outcome{Count: 1}
	case <-time.After(10 * time.Second):
		return interp.Outcome{Count: 2}
	}
}

func (s *slow) Interrupt() {
	if s.running.Load() {
		select {
		case s.stop <- true:
		default:
		}
	}
}

func TestAnEarlyInterrupt(t *testing.T) {
	s := &slow{session: session{stop: make(chan bool, 1)}}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go wire.Serve(inR, outW, func() (interp.Sessions, error) { return s, nil }, wire.Process{})
	c := wire.NewClient(inW, outR, nil)
	defer c.Close()
	if err := c.Ready(); err != nil {
		t.Fatal(err)
	}
	go func() { time.Sleep(5 * time.Millisecond); c.Interrupt() }()
	if o := c.Execute(interp.Cell{}, &shown{}); o.Count != 1 {
		t.Error("the interrupt was lost")
	}
}
