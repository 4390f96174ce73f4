package comm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/docs"
	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/kernel/comm"
	"github.com/gonterp/gonterp/kernel/tables"
)

// A frontEnd keeps what cells send and print.
type frontEnd struct {
	sent  []interp.CommMessage
	shown []string
	text  strings.Builder
}

func (f *frontEnd) Comm(_ int, m interp.CommMessage) error {
	f.sent = append(f.sent, m)
	return nil
}
func (f *frontEnd) Stream(_ int, _, text string) { f.text.WriteString(text) }
func (f *frontEnd) Display(_ int, b interp.Bundle, id string, update bool) {
	what := "new"
	if update {
		what = "again"
	}
	f.shown = append(f.shown, fmt.Sprintf("%s %s: %v", what, id, b.Data["text/plain"]))
}
func (*frontEnd) Clear(int, bool)                    {}
func (*frontEnd) Input(string, bool) (string, error) { return "", errors.New("nobody is there") }

// take gives what was sent, one line a message, and forgets it.
func (f *frontEnd) take() string {
	var b strings.Builder
	for _, m := range f.sent {
		fmt.Fprintf(&b, "%s %s %s %s %q\n", m.Kind, m.Target, m.Data, m.Metadata, m.Buffers)
	}
	f.sent = nil
	return b.String()
}

func session(t *testing.T) *interp.Session {
	t.Helper()
	s, err := interp.New(interp.Options{Packages: tables.Packages(), Comm: comm.Receive})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func run(t *testing.T, s *interp.Session, f interp.Output, code string) {
	t.Helper()
	if o := s.Execute(interp.Cell{Code: code}, f); o.Err != nil {
		t.Fatalf("%s: %v", code, o.Err)
	}
}

func TestOpenedByACell(t *testing.T) {
	s, f := session(t), &frontEnd{}
	run(t, s, f, `c, err := comm.Open("t", map[string]int{"a": 1}, comm.Buffers([]byte("b"), nil), comm.Metadata(map[string]any{"v": 2}))
if err != nil { panic(err) }
c.Send(nil)
c.OnMessage(func(m comm.Message) { fmt.Print("got ", m.Data) })
c.OnClose(func(m comm.Message) { fmt.Print("closed ", m.Data) })`)
	id := f.sent[0].ID
	if got, want := f.take(), "open t {\"a\":1} {\"v\":2} [\"b\" \"\"]\nmessage  {}  []\n"; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	for _, m := range []interp.CommMessage{
		{Kind: "message", ID: id, Data: json.RawMessage("5")},
		{Kind: "message", ID: "another", Data: json.RawMessage("6")},
		{Kind: "close", ID: id, Data: json.RawMessage("7")},
		{Kind: "message", ID: id, Data: json.RawMessage("8")},
	} {
		if err := s.Comm("", m, f); err != nil {
			t.Error(err)
		}
	}
	if got := f.text.String(); got != "got 5closed 7" {
		t.Errorf("the handlers wrote %q", got)
	}
	f.text.Reset()
	run(t, s, f, "fmt.Print(c.Send(1) == comm.ErrClosed, c.Close(), len(comm.List()), c.Target())")
	if got := f.text.String(); got != "true <nil> 0t" {
		t.Errorf("after the end: %q", got)
	}
	if got := f.take(); got != "" {
		t.Errorf("after the end it sent %s", got)
	}
}

func TestOpenedByTheFrontEnd(t *testing.T) {
	s, f := session(t), &frontEnd{}
	open := func(target string) *interp.CellError {
		return s.Comm("", interp.CommMessage{Kind: "open", ID: "1", Target: target, Data: json.RawMessage(`{"x":3}`)}, f)
	}
	if err := open("echo"); err != nil || f.take() != "close  {}  []\n" {
		t.Errorf("an unknown target: %v", err)
	}
	run(t, s, f, `type first struct{ X int }
comm.Register("echo", func(c *comm.Comm, m comm.Message) {
	var in first
	if err := m.Decode(&in); err != nil { panic(err) }
	c.OnMessage(func(m comm.Message) {
		for _, b := range m.Buffers { b[0]++ }
		c.Send(in.X, comm.Buffers(m.Buffers...))
	})
})`)
	if err := open("echo"); err != nil || f.take() != "" {
		t.Errorf("a known target: %v", err)
	}
	if err := s.Comm("", interp.CommMessage{Kind: "message", ID: "1", Data: json.RawMessage("0"), Buffers: [][]byte{[]byte("abc")}}, f); err != nil {
		t.Error(err)
	}
	if got := f.take(); got != "message  3  [\"bbc\"]\n" {
		t.Errorf("sent %s", got)
	}
	err := s.Comm("", interp.CommMessage{Kind: "message", ID: "1", Data: json.RawMessage("0"), Buffers: [][]byte{{}}}, f)
	if err == nil || !strings.Contains(err.Value, "index out of range") {
		t.Errorf("a panic: %v", err)
	}
	run(t, s, f, `comm.List()[0].Close("bye"); comm.Register("echo", nil)`)
	if got := f.take(); got != "close  \"bye\"  []\n" {
		t.Errorf("sent %s", got)
	}
	if err := open("echo"); err != nil || f.take() != "close  {}  []\n" {
		t.Errorf("a target that was taken back: %v", err)
	}
}

// The cells of the page on notebooks run, and do what it says.
func TestPage(t *testing.T) {
	text, err := docs.Page("notebooks")
	if err != nil {
		t.Fatal(err)
	}
	s, f := session(t), &frontEnd{}
	cells := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(text, -1)
	if len(cells) != 3 {
		t.Fatalf("%d cells", len(cells))
	}
	for _, c := range cells[:2] {
		run(t, s, f, c[1])
	}
	if got, want := f.take(), "open chart {\"title\":\"loss\"}  []\nmessage  [0.7,0.4]  [\"\\x01\\x02\\x03\"]\nclose  {}  []\n"; got != want {
		t.Errorf("the cells sent %s, want %s", got, want)
	}
	for _, m := range []interp.CommMessage{{Kind: "open", ID: "1", Target: "mean"}, {Kind: "message", ID: "1", Data: json.RawMessage("[1, 2, 6]")}, {Kind: "close", ID: "1"}} {
		if err := s.Comm("", m, f); err != nil {
			t.Error(err)
		}
	}
	if got := f.take(); got != "message  3  []\n" {
		t.Errorf("the handler sent %s", got)
	}
	run(t, s, f, cells[2][1])
	slider := f.sent[len(f.sent)-1].ID
	if err := s.Comm("", interp.CommMessage{Kind: "message", ID: slider, Data: json.RawMessage(`{"method": "update", "state": {"value": 2}}`)}, f); err != nil {
		t.Error(err)
	}
	if got := fmt.Sprint(f.shown); got != `[new : (application/vnd.jupyter.widget-view+json) new chosen: "layer 0" again chosen: "layer 2"]` {
		t.Errorf("the slider shows %s", got)
	}
}

// What cannot be sent is an error where it was to be sent.
func TestErrors(t *testing.T) {
	if c, err := comm.Open("t", nil); err == nil {
		t.Errorf("%v was opened where no cell runs", c)
	}
	s, f := session(t), &frontEnd{}
	run(t, s, f, "c, err := comm.Open(\"t\", nil)\nd, failed := comm.Open(\"t\", math.NaN())\nfmt.Print(d == nil, failed, c.Send(func() {}), c.Send(1, comm.Metadata(map[string]any{\"x\": math.Inf(1)})))\nc.Close()")
	for _, want := range []string{"true", "the data of a comm: json: unsupported value: NaN", "unsupported type: func()", "the metadata of a comm"} {
		if !strings.Contains(f.text.String(), want) {
			t.Errorf("%q does not say %q", f.text.String(), want)
		}
	}
	quiet := terminal{f}
	f.text.Reset()
	run(t, s, quiet, `_, none := comm.Open("t", nil); fmt.Print(none)`)
	if got := f.text.String(); !strings.Contains(got, "this front end has no comms") {
		t.Errorf("in a terminal: %q", got)
	}
}

// A terminal has no comms.
type terminal struct{ interp.Output }
