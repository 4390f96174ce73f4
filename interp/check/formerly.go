package check

import (
	"go/ast"
)

// formerly are functions that once returned an error beside their result, and
// which notebooks still call so: by import path and name.
var formerly = map[string]string{
	"gonum.org/v1/plot": "New", // until its version 0.9
}

// asBefore gives calls of such functions the error back that they are called
// for, which is nil: p, err := plot.New() is read as p, err := plot.New(), error(nil).
func (k *checking) asBefore(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.AssignStmt)
		if !ok || len(s.Lhs) != 2 || len(s.Rhs) != 1 || !k.isFormerly(f, s.Rhs[0]) {
			return true
		}
		at := s.Rhs[0].End() - 1
		s.Rhs = append(s.Rhs, &ast.CallExpr{
			Fun: &ast.Ident{Name: "error", NamePos: at}, Lparen: at, Args: []ast.Expr{&ast.Ident{Name: "nil", NamePos: at}}, Rparen: at,
		})
		return true
	})
}

// isFormerly reports whether an expression of a file calls one of them.
func (k *checking) isFormerly(f *ast.File, e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && k.cell.universe[pkg.Name] == nil && formerly[k.packageOf(pkg.Name)] == sel.Sel.Name && !names(f, pkg.Name)
}

// names reports whether a file gives a name to something of its own, anywhere.
func names(f *ast.File, name string) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		var all []*ast.Ident
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if id, ok := l.(*ast.Ident); ok {
					all = append(all, id)
				}
			}
		case *ast.ValueSpec:
			all = n.Names
		case *ast.Field:
			all = n.Names
		}
		for _, id := range all {
			found = found || id.Name == name
		}
		return !found
	})
	return found
}
