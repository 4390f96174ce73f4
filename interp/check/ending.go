package check

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/gonterp/gonterp/interp/cell"
)

// A function may end with a with block whose body ends the function in all its
// branches. What would close the block behind that is never reached, and Go would
// miss a return there.

// cutEnds takes such statements out of the functions of a file.
func cutEnds(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.FuncDecl:
			if x.Body != nil && x.Type.Results != nil {
				cutEnd(x.Body)
			}
		case *ast.FuncLit:
			if x.Type.Results != nil {
				cutEnd(x.Body)
			}
		}
		return true
	})
}

func cutEnd(b *ast.BlockStmt) {
	n := len(b.List)
	for n > 0 && ofBlockEnd(b.List[n-1]) {
		n--
	}
	if n > 0 && terminates(b.List[n-1]) {
		b.List = b.List[:n]
	}
}

// ofBlockEnd reports whether a statement is one that the end of a with block became.
func ofBlockEnd(s ast.Stmt) bool {
	switch x := s.(type) {
	case *ast.EmptyStmt:
		return true
	case *ast.ExprStmt:
		return closes(x) != ""
	case *ast.AssignStmt:
		id, ok := x.Lhs[0].(*ast.Ident)
		return ok && x.Tok == token.ASSIGN && strings.HasPrefix(id.Name, cell.PassPrefix+"open")
	}
	return false
}

// terminates reports whether a statement is terminating, as Go's specification has it.
func terminates(s ast.Stmt) bool {
	switch x := s.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return x.Tok == token.GOTO || x.Tok == token.FALLTHROUGH
	case *ast.ExprStmt:
		call, ok := x.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		id, ok := call.Fun.(*ast.Ident)
		return ok && id.Name == "panic"
	case *ast.BlockStmt:
		return listTerminates(x.List)
	case *ast.IfStmt:
		return x.Else != nil && terminates(x.Body) && terminates(x.Else)
	case *ast.ForStmt:
		return x.Cond == nil && !breaks(x.Body)
	case *ast.SwitchStmt:
		return clausesTerminate(x.Body)
	case *ast.TypeSwitchStmt:
		return clausesTerminate(x.Body)
	case *ast.SelectStmt:
		return clausesTerminate(x.Body)
	}
	return false
}

func listTerminates(list []ast.Stmt) bool {
	for len(list) > 0 && ofBlockEnd(list[len(list)-1]) {
		list = list[:len(list)-1]
	}
	return len(list) > 0 && terminates(list[len(list)-1])
}

func clausesTerminate(b *ast.BlockStmt) bool {
	hasDefault := false
	for _, s := range b.List {
		var body []ast.Stmt
		switch c := s.(type) {
		case *ast.CaseClause:
			hasDefault = hasDefault || c.List == nil
			body = c.Body
		case *ast.CommClause:
			hasDefault = true // a select waits for one of its cases
			body = c.Body
		}
		if !listTerminates(body) {
			return false
		}
	}
	return hasDefault && !breaks(b)
}

// breaks reports whether a break in a block may leave the statement that it is of.
func breaks(b *ast.BlockStmt) (found bool) {
	ast.Inspect(b, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BranchStmt:
			found = found || x.Tok == token.BREAK
		}
		return !found
	})
	return found
}
