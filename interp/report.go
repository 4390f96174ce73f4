package interp

import (
	"errors"
	"fmt"
	"go/token"
	"runtime"
	"strings"

	"github.com/gonterp/gonterp/interp/cell"
	"github.com/gonterp/gonterp/interp/check"
	"github.com/gonterp/gonterp/interp/engine"
)

// refused reports a cell that has not run.
func (s *Session) refused(number int, code string, err error) *CellError {
	var errs check.Errors
	var refusal *engine.Refusal
	e := &CellError{Name: "compile error", Cell: number}
	switch {
	case errors.As(err, &errs):
		for _, d := range errs {
			e.Diagnostics = append(e.Diagnostics, Diagnostic{d.Line, d.Column, d.Text})
		}
	case errors.As(err, &refusal):
		text := strings.TrimPrefix(refusal.Error(), fmt.Sprintf("%d:%d: ", refusal.Pos.Line, refusal.Pos.Column))
		e.Name = "not supported"
		e.Diagnostics = []Diagnostic{{refusal.Pos.Line, refusal.Pos.Column, text}}
	default:
		e.Name, e.Value = "internal error", oneLine(err.Error())
		e.Traceback = strings.Split(err.Error(), "\n")
		return e
	}
	lines := strings.Split(code, "\n")
	for i := range e.Diagnostics {
		d := &e.Diagnostics[i]
		d.Line = min(max(d.Line, 1), len(lines))
		source := lines[d.Line-1]
		d.Column = min(max(d.Column, 1), len(source)+1)
		caret := strings.Map(func(r rune) rune {
			if r == '\t' {
				return r
			}
			return ' '
		}, source[:d.Column-1]) + "^"
		e.Traceback = append(e.Traceback, fmt.Sprintf("%d:%d: %s", d.Line, d.Column, d.Text), "    "+source, "    "+caret)
		d.Column = len([]rune(source[:d.Column-1])) + 1
	}
	first := e.Diagnostics[0]
	e.Line, e.Column = first.Line, first.Column
	e.Value = first.Text
	if n := len(e.Diagnostics); n > 1 {
		e.Value += fmt.Sprintf(" (and %d more)", n-1)
	}
	return e
}

// failed reports a cell that ended with a panic; recovered is nil after runtime.Goexit.
func (s *Session) failed(o *origin, recovered any) *CellError {
	number := o.cell
	e := &CellError{Cell: number}
	f := s.fault(recovered)
	if o.stopped() { // whatever it says, it is because of the interrupt
		f.Name, f.Text = interruption.Name, interruption.Text
	}
	e.Name, e.Value = f.Name, oneLine(f.Text)
	e.Traceback = s.traceback(f)
	for i, fr := range f.Stack { // the innermost place in this cell, else that of all
		here := fr.Pos.Filename == check.FileName(number)
		if i == 0 || here {
			e.Line, e.Column = fr.Pos.Line, fr.Pos.Column
		}
		if here {
			break
		}
	}
	return e
}

var interruption = engine.Fault{Name: "interrupted", Text: "the cell was interrupted"}

// fault asks the engine what a panic was, and finds its name.
func (s *Session) fault(recovered any) engine.Fault {
	if recovered == nil {
		return engine.Fault{Name: "exit", Text: "runtime.Goexit()"}
	}
	f := s.engine.Fault(recovered)
	switch v := f.Value.(type) {
	case engine.Interrupted:
		f.Name, f.Text = interruption.Name, interruption.Text
	case engine.Exit:
		f.Name, f.Text = "exit", v.Text+" ended the cell; the session goes on"
	case runtime.Error:
	case error:
		f.Name = typeName(v)
	}
	return f
}

// typeName is the name of an error's type; those that say nothing are just errors.
func typeName(err error) string {
	switch n := fmt.Sprintf("%T", err); n {
	case "*errors.errorString", "*fmt.wrapError", "*fmt.wrapErrors", "*errors.joinError":
		return "error"
	default:
		if named, ok := err.(interface{ TypeName() string }); ok {
			return named.TypeName()
		}
		return strings.TrimPrefix(n, "*")
	}
}

func (s *Session) place(p token.Position) string {
	return fmt.Sprintf("cell %s, line %d", strings.TrimPrefix(p.Filename, "c"), p.Line)
}

// cellNumber is the number of the cell that a position is in.
func cellNumber(p token.Position) (n int) {
	fmt.Sscanf(p.Filename, "c%d", &n)
	return n
}

func (s *Session) sourceLine(p token.Position) string {
	lines := strings.Split(s.sources[cellNumber(p)], "\n")
	if p.Line < 1 || p.Line > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[p.Line-1])
}

// goroutinePanicked shows the panic of a goroutine in the cell that started it.
func (s *Session) goroutinePanicked(f engine.Fault) {
	text := "panic in a goroutine: " + f.Text
	for _, l := range s.traceback(f)[1:] {
		text += "\n" + l
	}
	fmt.Fprintln(s.streams.stderr, text)
}

func oneLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// onlyFunctions reports whether a cell is made of function declarations alone.
func onlyFunctions(code string) bool {
	items, err := cell.Split(code)
	if err != nil {
		return false
	}
	for _, it := range items {
		if it.Kind != cell.Decl || !strings.HasPrefix(code[it.Start:], "func") {
			return false
		}
	}
	return len(items) > 0
}
