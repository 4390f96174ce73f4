package interp

import (
	"go/ast"
	"go/constant"
	"go/types"

	"github.com/gonterp/gonterp/interp/check"
)

// literals refuses a cell with a call whose constant text is certainly wrong, as
// Options.Refuse tells.
func (s *Session) literals(c *check.Cell) error {
	if s.opt.Refuse == nil {
		return nil
	}
	var errs check.Errors
	for _, u := range c.Units {
		ast.Inspect(u.File, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			f := called(u.Info, call)
			text := u.Info.Types[call.Args[0]].Value
			if f == nil || text == nil || text.Kind() != constant.String {
				return true
			}
			if why := s.opt.Refuse(f.FullName(), constant.StringVal(text)); why != "" {
				at := c.Fset.Position(call.Args[0].Pos())
				errs = append(errs, check.Diagnostic{Line: at.Line, Column: at.Column, Text: why})
			}
			return true
		})
	}
	if len(errs) == 0 {
		return nil
	}
	return errs
}

// called is the function or method that a call names, nil where it names none.
func called(info *types.Info, call *ast.CallExpr) *types.Func {
	var id *ast.Ident
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return nil
	}
	f, _ := info.Uses[id].(*types.Func)
	return f
}
