package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gonterp/gonterp/interp/cell"
)

// The variables of a with block are those of the text around it, so two blocks that
// follow each other and both say x := share x. Where Go would see no new variable,
// the := of a block assigns.

// reuse makes such statements of a file assignments and returns them.
func reuse(f *ast.File) (made []*ast.AssignStmt) {
	list := func(stmts []ast.Stmt, params ...*ast.FieldList) {
		made = append(made, reuseIn(stmts, params)...)
	}
	bodies := map[*ast.BlockStmt]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.FuncDecl:
			if x.Body != nil {
				bodies[x.Body] = true
				list(x.Body.List, x.Recv, x.Type.Params, x.Type.Results)
			}
		case *ast.FuncLit:
			bodies[x.Body] = true
			list(x.Body.List, x.Type.Params, x.Type.Results)
		case *ast.BlockStmt:
			if !bodies[x] {
				list(x.List)
			}
		case *ast.CaseClause:
			list(x.Body)
		case *ast.CommClause:
			list(x.Body)
		}
		return true
	})
	return made
}

// reuseIn does it in one scope.
func reuseIn(stmts []ast.Stmt, params []*ast.FieldList) (made []*ast.AssignStmt) {
	declared := map[string]bool{}
	for _, p := range params {
		if p == nil {
			continue
		}
		for _, f := range p.List {
			for _, n := range f.Names {
				declared[n.Name] = true
			}
		}
	}
	open := map[string]bool{}
	for _, s := range stmts {
		for {
			l, ok := s.(*ast.LabeledStmt)
			if !ok {
				break
			}
			s = l.Stmt
		}
		switch x := s.(type) {
		case *ast.ExprStmt:
			delete(open, closes(x))
		case *ast.DeclStmt:
			for _, spec := range x.Decl.(*ast.GenDecl).Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					for _, n := range v.Names {
						declared[n.Name] = true
					}
				}
			}
		case *ast.AssignStmt:
			if x.Tok != token.DEFINE {
				continue
			}
			isNew := false
			for _, e := range x.Lhs {
				if id, ok := e.(*ast.Ident); ok && id.Name != "_" {
					isNew = isNew || !declared[id.Name]
					declared[id.Name] = true
				}
			}
			if !isNew && len(open) > 0 {
				x.Tok = token.ASSIGN
				made = append(made, x)
			}
			if id, ok := x.Lhs[0].(*ast.Ident); ok && strings.HasPrefix(id.Name, cell.PassPrefix) && len(x.Rhs) == 1 {
				if _, ok := x.Rhs[0].(*ast.ParenExpr); ok {
					open[id.Name] = true
				}
			}
		}
	}
	return made
}

// closes is the variable of the with block that a statement ends, "" if it ends none.
func closes(s *ast.ExprStmt) string {
	if call, ok := s.X.(*ast.CallExpr); ok {
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Exit" {
			if id, ok := sel.X.(*ast.Ident); ok && strings.HasPrefix(id.Name, cell.PassPrefix) {
				return id.Name
			}
		}
	}
	return ""
}

// reusedAs says of an error of such an assignment which variable has another type.
func reusedAs(made []*ast.AssignStmt, u *Unit, e types.Error) (text string, ok bool) {
	if !strings.HasPrefix(e.Msg, "cannot use ") || !strings.Contains(e.Msg, " in assignment") {
		return "", false
	}
	for _, x := range made {
		if e.Pos < x.Pos() || e.Pos >= x.End() {
			continue
		}
		for i, l := range x.Lhs {
			id, ok := l.(*ast.Ident)
			if !ok || u.Info.Uses[id] == nil || len(x.Rhs) == len(x.Lhs) && (e.Pos < x.Rhs[i].Pos() || e.Pos >= x.Rhs[i].End()) {
				continue
			}
			t := u.Info.Uses[id].Type()
			if len(x.Rhs) < len(x.Lhs) {
				if tuple, ok := u.Info.TypeOf(x.Rhs[0]).(*types.Tuple); ok && types.AssignableTo(tuple.At(i).Type(), t) {
					continue
				}
			}
			return fmt.Sprintf("%s is a variable of type %s already, and a with block's variables are those around it; choose another name", id.Name, types.TypeString(t, qualify)), true
		}
	}
	return "", false
}
