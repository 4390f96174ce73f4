package interp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonterp/gonterp/interp/engine"
)

// How many calls of a stack are shown: the innermost, and the outermost with the
// line of the cell itself.
const (
	innerCalls = 6
	outerCalls = 4
)

// traceback is the fault in Go's words, then the cells' own call stack with its source lines.
func (s *Session) traceback(f engine.Fault) []string {
	first := f.Text
	switch f.Name {
	case "exit", "interrupted":
	case "panic":
		first = "panic: " + f.Text
	default:
		first = f.Name + ": " + f.Text
	}
	out := strings.Split(first, "\n")
	s.state.Lock()
	defer s.state.Unlock()
	for _, fr := range shorten(f.Stack) {
		where := s.place(fr.Pos)
		if fr.Func != "" {
			where += ", in " + fr.Func
		}
		out = append(out, where)
		if src := s.sourceLine(fr.Pos); src != "" {
			out = append(out, "    "+src)
		}
		if fr.More > 0 {
			out = append(out, fmt.Sprintf("… %d more", fr.More))
		}
	}
	return out
}

// shorten leaves calls out of a stack: all but one of those that follow each other
// at the same place, as a recursion's do, and the middle of what is still long.
func shorten(stack []engine.Frame) []engine.Frame {
	var out []engine.Frame
	for _, f := range stack {
		if n := len(out); n > 0 && out[n-1].Func == f.Func && out[n-1].Pos == f.Pos {
			out[n-1].More += 1 + f.More
			continue
		}
		out = append(out, f)
	}
	if len(out) <= innerCalls+outerCalls {
		return out
	}
	last := &out[innerCalls-1]
	for _, f := range out[innerCalls : len(out)-outerCalls] {
		last.More += 1 + f.More
	}
	return slices.Delete(out, innerCalls, len(out)-outerCalls)
}
