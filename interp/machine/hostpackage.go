package machine

import (
	"go/ast"
	"go/token"
	"go/types"
)

// hostDecls declares, for go/ssa, what a package has beside its source.
func hostDecls(p *types.Package, info *types.Info) []ast.Decl {
	own := map[types.Object]bool{}
	for _, o := range info.Defs {
		own[o] = true
	}
	var out []ast.Decl
	ident := func(o types.Object) *ast.Ident {
		id := ast.NewIdent(o.Name())
		info.Defs[id] = o
		return id
	}
	fn := func(o *types.Func) {
		d := &ast.FuncDecl{Name: ident(o), Type: &ast.FuncType{Params: &ast.FieldList{}}}
		if o.Signature().Recv() != nil {
			d.Recv = &ast.FieldList{}
		}
		out = append(out, d)
	}
	for _, n := range p.Scope().Names() {
		o := p.Scope().Lookup(n)
		if own[o] {
			continue
		}
		switch o := o.(type) {
		case *types.Func:
			fn(o)
		case *types.Var:
			out = append(out, &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{ident(o)}}}})
		case *types.Const:
			out = append(out, &ast.GenDecl{Tok: token.CONST, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{ident(o)}}}})
		case *types.TypeName:
			out = append(out, &ast.GenDecl{Tok: token.TYPE, Specs: []ast.Spec{&ast.TypeSpec{Name: ident(o)}}})
			if named, ok := o.Type().(*types.Named); ok {
				for i := range named.NumMethods() {
					fn(named.Method(i))
				}
			}
		}
	}
	return out
}

// know makes sure that the program has the host packages that a unit refers
// to, in the state that they are in: the importer adds to them as it meets types.
func (m *Machine) know(info *types.Info) {
	for _, o := range info.Uses {
		m.knowObject(o)
	}
	for _, tv := range info.Types {
		m.knowType(tv.Type)
	}
	for _, s := range info.Selections {
		m.knowObject(s.Obj())
	}
}

func (m *Machine) knowObject(o types.Object) {
	if o == nil || o.Pkg() == nil {
		return
	}
	m.knowType(o.Type())
	m.knowPackage(o.Pkg())
}

func (m *Machine) knowPackage(p *types.Package) {
	if m.isCell(p) || m.sources[p] {
		return
	}
	if n := len(p.Scope().Names()); m.sizes[p] != n || n == 0 {
		m.sizes[p] = n
		m.prog.CreatePackage(p, nil, nil, true)
	}
}

func (m *Machine) knowType(t types.Type) {
	switch u := types.Unalias(t).(type) {
	case *types.Named:
		if m.seen[u] {
			return
		}
		m.seen[u] = true
		if p := u.Obj().Pkg(); p != nil {
			m.knowPackage(p)
		}
		m.knowType(u.Underlying())
		for i := range u.NumMethods() {
			m.knowType(u.Method(i).Type())
		}
		for a := range u.TypeArgs().Types() {
			m.knowType(a)
		}
	case *types.Pointer:
		m.knowType(u.Elem())
	case *types.Slice:
		m.knowType(u.Elem())
	case *types.Array:
		m.knowType(u.Elem())
	case *types.Chan:
		m.knowType(u.Elem())
	case *types.Map:
		m.knowType(u.Key())
		m.knowType(u.Elem())
	case *types.Tuple:
		for v := range u.Variables() {
			m.knowType(v.Type())
		}
	case *types.Signature:
		m.knowType(u.Params())
		m.knowType(u.Results())
	case *types.Struct:
		for f := range u.Fields() {
			m.knowType(f.Type())
		}
	case *types.Interface:
		for f := range u.Methods() {
			m.knowType(f.Type())
		}
	}
}
