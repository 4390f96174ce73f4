package check

import (
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"go/types"
	"sort"
	"strings"

	"github.com/gonterp/gonterp/interp/cell"
)

// A Diagnostic is one error of a cell's text; line and column count from 1, columns in bytes.
type Diagnostic struct {
	Line, Column int
	Text         string
}

// Errors are all that is wrong with a cell, in order.
type Errors []Diagnostic

func (e Errors) Error() string {
	var lines []string
	for _, d := range e {
		lines = append(lines, fmt.Sprintf("%d:%d: %s", d.Line, d.Column, d.Text))
	}
	return strings.Join(lines, "\n")
}

// OnlyUndefined reports whether all that is wrong is names that are not there (yet).
func (e Errors) OnlyUndefined() bool {
	for _, d := range e {
		if _, ok := d.Undefined(); !ok {
			return false
		}
	}
	return len(e) > 0
}

// Undefined is the name that is not there, of those that a later cell can declare.
func (d Diagnostic) Undefined() (name string, ok bool) {
	name, ok = strings.CutPrefix(d.Text, "undefined: ")
	if end := strings.IndexAny(name, "; "); end >= 0 { // what may have been meant
		name = name[:end]
	}
	return name, ok && !strings.Contains(name, ".")
}

func (e *Errors) add(p token.Position, text string) {
	for _, d := range *e {
		if d.Line == p.Line && d.Column == p.Column && d.Text == text {
			return
		}
	}
	*e = append(*e, Diagnostic{p.Line, p.Column, text})
}

func (e Errors) sort() {
	sort.SliceStable(e, func(i, j int) bool {
		return e[i].Line < e[j].Line || e[i].Line == e[j].Line && e[i].Column < e[j].Column
	})
}

// textErrors makes Errors of what scanning, rewriting or parsing found; line is for an error without a place.
func textErrors(err error, line int) Errors {
	var list scanner.ErrorList
	var with *cell.Error
	switch {
	case errors.As(err, &list):
		var out Errors
		for _, x := range list {
			out.add(x.Pos, x.Msg)
		}
		return out
	case errors.As(err, &with):
		return Errors{{with.Line, with.Column, with.Text}}
	}
	return Errors{{line, 1, err.Error()}}
}

// tolerated reports whether a cell may do what a program may not.
func tolerated(e types.Error) bool {
	return strings.HasPrefix(e.Msg, "declared and not used") ||
		strings.HasSuffix(e.Msg, "is not used") ||
		strings.Contains(e.Msg, "imported and not used") ||
		strings.HasPrefix(e.Msg, "\t") || // where the other declaration is: it has a line of its own
		strings.HasPrefix(e.Msg, "implicit assignment to unexported field") && strings.Contains(e.Msg, "of type main.")
}

// plainWords says what is wrong with a with block's value in the block's own words.
func plainWords(msg string) string {
	for _, m := range []string{"Enter", "Exit"} {
		if i := strings.Index(msg, "."+m+" undefined (type "); i >= 0 && !strings.Contains(msg, "but does have") {
			t, _, _ := strings.Cut(msg[i+len("."+m+" undefined (type "):], " has no field")
			return fmt.Sprintf("with needs a value that has the methods Enter() and Exit(bool), which %s has not", t)
		}
	}
	return msg
}
