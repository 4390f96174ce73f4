package check

import (
	"go/ast"
	"go/token"
	"strconv"
)

// giveBodies lets a cell list functions as documentation does, without their
// bodies: such a function is there, and calling it panics.
func giveBodies(f *ast.File) {
	for _, d := range f.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Body != nil {
			continue
		}
		last := fd.Type.End() - 1 // the declaration ends where it did
		fd.Body = &ast.BlockStmt{Lbrace: last, Rbrace: last, List: []ast.Stmt{&ast.ExprStmt{X: &ast.CallExpr{
			Fun:    &ast.Ident{Name: "panic", NamePos: fd.Name.NamePos},
			Lparen: fd.Name.NamePos,
			Args:   []ast.Expr{&ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(fd.Name.Name + " has no body"), ValuePos: fd.Name.NamePos}},
			Rparen: fd.Name.NamePos,
		}}}}
	}
}
