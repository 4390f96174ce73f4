package repl

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/repl/terminal"
)

// paper keeps what is printed.
type paper struct{ strings.Builder }

func (p *paper) Print(text string)                { p.WriteString(text) }
func (*paper) Input(string, bool) (string, error) { return "", nil }
func (*paper) Size() terminal.Size                { return terminal.Size{Columns: 40, Rows: 24} }
func (*paper) Ask(string, time.Duration, func(string) bool) []string {
	return nil
}

func bundle(text string) interp.Bundle {
	return interp.Bundle{Data: map[string]any{"text/plain": text}}
}

// A display that is updated keeps its line until something else is printed.
func TestUpdatesStayInTheirLine(t *testing.T) {
	var p paper
	o := &output{editor: &p, term: &p, colour: true}
	o.Display(1, bundle("work 1 of 10"), "a", false)
	o.Display(1, bundle("work 2"), "a", true)
	o.Stream(1, "stdout", "x\n")
	o.Display(1, bundle("work 3"), "a", true)
	o.Display(1, bundle("other 1"), "b", false)
	o.Display(1, bundle("two\nlines"), "b", true)
	o.Display(1, bundle("last"), "c", false)
	o.outcome(interp.Outcome{Value: &interp.Bundle{Data: map[string]any{"text/plain": json.RawMessage(`"7"`)}}})
	const want = "work 1 of 10\rwork 2      \nx\nwork 3\nother 1\ntwo\nlines\nlast\n7\n"
	if p.String() != want {
		t.Errorf("got  %q\nwant %q", p.String(), want)
	}
}

func TestErrorsAreRed(t *testing.T) {
	var p paper
	o := &output{editor: &p, term: &p, colour: true}
	o.Stream(1, "stderr", "a\n\nb")
	o.outcome(interp.Outcome{Err: &interp.CellError{Name: "panic", Value: "no", Traceback: []string{"panic: no", "cell 1, line 2"}}})
	o.outcome(interp.Outcome{Err: &interp.CellError{Name: "panic", Value: "no"}})
	const want = "\x1b[31ma\x1b[0m\n\n\x1b[31mb\x1b[0m" + "\x1b[31mpanic: no\x1b[0m\ncell 1, line 2\n" + "\x1b[31mpanic: no\x1b[0m\n"
	if p.String() != want {
		t.Errorf("got  %q\nwant %q", p.String(), want)
	}
}
