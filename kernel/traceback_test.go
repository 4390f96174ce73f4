package kernel

import (
	"strings"
	"testing"

	"github.com/gonterp/gonterp/interp"
)

// An error says each thing once.
func TestTraceback(t *testing.T) {
	one := interp.Diagnostic{Line: 2, Column: 6, Text: "undefined: nope"}
	for _, c := range []struct {
		what string
		err  interp.CellError
		want string
	}{
		{"a compile error", interp.CellError{
			Name: "compile error", Value: one.Text, Cell: 3, Line: 2, Column: 6, Diagnostics: []interp.Diagnostic{one},
			Traceback: []string{"2:6: undefined: nope", "    y := nope", "         ^"},
		}, "compile error: undefined: nope|cell 3, line 2, column 6|    y := nope|         ^"},
		{"two", interp.CellError{
			Name: "compile error", Value: one.Text + " (and 1 more)", Cell: 3, Line: 2, Column: 6, Diagnostics: []interp.Diagnostic{one, one},
			Traceback: []string{"2:6: undefined: nope", "3:6: undefined: nope"},
		}, "compile error: undefined: nope (and 1 more)|2:6: undefined: nope|3:6: undefined: nope"},
		{"a panic", interp.CellError{
			Name: "panic", Value: "boom", Cell: 3, Line: 2, Column: 1, Traceback: []string{"panic: boom", "cell 3, line 2"},
		}, "panic: boom|cell 3, line 2"},
		{"an error without a stack", interp.CellError{Name: "odd", Value: "why", Cell: 3, Line: 2}, "odd: why|cell 3, line 2, column 1"},
		{"an error without a place", interp.CellError{Name: "odd", Value: "why", Cell: 3}, "odd: why"},
	} {
		got := strings.Join(traceback(&c.err), "|")
		got = strings.NewReplacer("\x1b[31m", "", "\x1b[0m", "").Replace(got)
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}
