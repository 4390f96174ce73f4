package machine

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/gonterp/gonterp/interp/check"
)

// statements builds a unit of statements: a function whose top-level variables
// are globals, and whose last expression is returned.
func (k *compiling) statements(u *check.Unit) {
	m := k.m
	file := m.fset.File(u.File.FileStart)
	m.module(u.Pkg).file = file
	fd := u.File.Decls[0].(*ast.FuncDecl)
	globals := map[types.Object]*types.Var{}
	for _, v := range u.Vars {
		globals[v.Local] = v.Global
		if old, ok := v.Old.(*types.Var); ok && types.Identical(old.Type(), v.Global.Type()) {
			if p, ok := m.module(old.Pkg()).globals[old]; ok {
				m.module(v.Global.Pkg()).globals[v.Global] = p
			}
		}
	}
	for _, v := range u.Vars {
		if p := v.Global.Pkg(); m.prog.Package(p) == nil {
			m.prog.CreatePackage(p, nil, nil, false)
			m.module(p).file = file
		}
	}
	m.know(u.Info)
	body := rewriteVars(fd.Body.List, u.Info, globals)
	results := types.NewTuple()
	if u.Value {
		body, results = returnLast(body, u.Info)
	}
	fd.Body.List = body
	fd.Type.Results = &ast.FieldList{}
	for range results.Len() {
		fd.Type.Results.List = append(fd.Type.Results.List, new(ast.Field))
	}
	name := ast.NewIdent(cellFunc)
	name.NamePos = fd.Name.NamePos
	f := types.NewFunc(fd.Name.Pos(), u.Pkg, cellFunc, types.NewSignatureType(nil, nil, nil, nil, results, false))
	delete(u.Info.Defs, fd.Name)
	u.Info.Defs[name] = f
	fd.Name = name
	p := m.prog.CreatePackage(u.Pkg, []*ast.File{u.File}, u.Info, false)
	p.Build()
	k.built = append(k.built, p)
	x := unit{callee: m.callee(p.Func(cellFunc))}
	x.callee.now.Load().visible = true
	for v := range results.Variables() {
		x.values = append(x.values, v.Type())
	}
	k.units = append(k.units, x)
}

// rewriteVars makes uses of a unit's own top-level variables uses of globals. A
// statement that declares some goes on declaring locals, whose values are then
// handed to the globals.
func rewriteVars(list []ast.Stmt, info *types.Info, globals map[types.Object]*types.Var) []ast.Stmt {
	for id, o := range info.Uses {
		if g, ok := globals[o]; ok {
			info.Uses[id] = g
		}
	}
	use := func(o types.Object, pos token.Pos) *ast.Ident {
		id := &ast.Ident{Name: o.Name(), NamePos: pos}
		info.Uses[id] = o
		info.Types[id] = types.TypeAndValue{Type: o.Type()}
		return id
	}
	var out []ast.Stmt
	for _, s := range list {
		out = append(out, s)
		var names []*ast.Ident
		inner := s
		for {
			l, ok := inner.(*ast.LabeledStmt)
			if !ok {
				break
			}
			inner = l.Stmt
		}
		switch x := inner.(type) {
		case *ast.AssignStmt:
			if x.Tok != token.DEFINE {
				continue
			}
			for _, l := range x.Lhs {
				names = append(names, l.(*ast.Ident))
			}
		case *ast.DeclStmt:
			for _, sp := range x.Decl.(*ast.GenDecl).Specs {
				if v, ok := sp.(*ast.ValueSpec); ok {
					names = append(names, v.Names...)
				}
			}
		}
		if as, ok := inner.(*ast.AssignStmt); ok && allGlobal(names, info, globals) {
			as.Tok = token.ASSIGN
			for _, id := range names {
				if g := globals[info.Defs[id]]; g != nil {
					delete(info.Defs, id)
					info.Uses[id] = g
					info.Types[id] = types.TypeAndValue{Type: g.Type()}
				}
			}
			continue
		}
		for _, id := range names {
			l := info.Defs[id]
			if g := globals[l]; g != nil {
				out = append(out, &ast.AssignStmt{Lhs: []ast.Expr{use(g, id.Pos())}, TokPos: id.Pos(), Tok: token.ASSIGN, Rhs: []ast.Expr{use(l, id.Pos())}})
			}
		}
	}
	return out
}

// allGlobal reports whether a := declares globals only, so that it can be an assignment.
func allGlobal(names []*ast.Ident, info *types.Info, globals map[types.Object]*types.Var) bool {
	for _, id := range names {
		if id.Name != "_" && globals[info.Defs[id]] == nil && info.Uses[id] == nil {
			return false
		}
	}
	return true
}

// returnLast makes the last expression the function's result.
func returnLast(list []ast.Stmt, info *types.Info) ([]ast.Stmt, *types.Tuple) {
	e, ok := list[len(list)-1].(*ast.ExprStmt)
	none := types.NewTuple()
	if !ok {
		return list, none
	}
	tv := info.Types[e.X]
	results := none
	switch t := tv.Type.(type) {
	case nil:
		return list, none
	case *types.Tuple:
		if t.Len() == 0 {
			return list, none
		}
		var vs []*types.Var
		for v := range t.Variables() {
			vs = append(vs, types.NewVar(token.NoPos, nil, "", v.Type()))
		}
		results = types.NewTuple(vs...)
	default:
		if tv.IsVoid() || tv.IsType() || tv.IsBuiltin() || tv.IsNil() {
			return list, none
		}
		results = types.NewTuple(types.NewVar(token.NoPos, nil, "", types.Default(t)))
	}
	return append(list[:len(list)-1:len(list)-1], &ast.ReturnStmt{Return: e.Pos(), Results: []ast.Expr{e.X}}), results
}
