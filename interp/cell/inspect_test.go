package cell

import (
	"go/ast"
	"go/token"
)

func eachIdent(f *ast.File, do func(string, token.Pos)) {
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			do(id.Name, id.Pos())
		}
		return true
	})
}
