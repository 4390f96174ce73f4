package yaegi

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"github.com/gonterp/gonterp/interp/engine"
)

// yaegi finds the statement that panicked by comparing code pointers, and is
// often wrong. So lowered code notes where it is, before each statement that may
// panic: in one variable for the body of the cell, in another for functions.
// The engine believes a note where it agrees with yaegi about the function.

const (
	topMark  = "mark__top"
	funcMark = "mark__func"
)

// A mark is where a statement stands.
type mark struct {
	pos token.Position
	fn  string
}

// mark emits a note before s if it may panic.
func (g *gen) mark(s ast.Stmt) {
	if g.u.Cell == "" || !mayPanic(s) {
		return
	}
	m := mark{pos: g.u.Fset.Position(s.Pos()), fn: g.inst}
	name := funcMark
	if g.fn.top {
		name = topMark
	}
	fmt.Fprintf(g.out, "%s = %d\n", name, len(g.marks))
	g.marks = append(g.marks, m)
}

// mayPanic reports whether a statement, without its blocks, does what can panic.
func mayPanic(s ast.Stmt) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt, *ast.FuncLit:
			return false
		case *ast.IndexExpr, *ast.SliceExpr, *ast.CallExpr, *ast.StarExpr, *ast.SelectorExpr, *ast.TypeAssertExpr, *ast.SendStmt:
			found = true
		case *ast.BinaryExpr:
			found = found || n.Op == token.QUO || n.Op == token.REM
		}
		return !found
	})
	return found
}

// corrected puts what the notes say in place of yaegi's guesses.
func (e *Engine) corrected(stack []engine.Frame) []engine.Frame {
	note := func(i *int) (mark, bool) {
		if i == nil || *i < 0 || *i >= len(e.lower.marks) {
			return mark{}, false
		}
		return e.lower.marks[*i], true
	}
	if m, ok := note(e.funcMark); ok && len(stack) > 0 && stack[0].Func != "" && (m.fn == "" || strings.HasPrefix(m.fn, stack[0].Func)) {
		stack[0].Pos = m.pos
	}
	if m, ok := note(e.topMark); ok && len(stack) > 0 {
		if last := &stack[len(stack)-1]; last.Func == "" && last.Pos.Filename == m.pos.Filename {
			last.Pos = m.pos
		}
	}
	return stack
}
