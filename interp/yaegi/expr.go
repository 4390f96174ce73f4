package yaegi

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

func (g *gen) typ(e ast.Expr) types.Type { return types.Unalias(g.subst(g.u.Info.TypeOf(e))) }

func under(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

func deref(t types.Type) types.Type {
	if p, ok := under(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// conv emits e as a value of type to.
func (g *gen) conv(e ast.Expr, to types.Type) string {
	tv := g.u.Info.Types[e]
	from := g.typ(e)
	if tv.Value != nil {
		if isIface(to) {
			d := types.Default(from)
			if isIface(d) { // an untyped constant recorded with the interface's type
				d = kindType(tv.Value)
			}
			return g.convS(g.constant(tv.Value, d), d, to)
		}
		if b, ok := from.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 && to != nil {
			return g.constant(tv.Value, to)
		}
		return g.constant(tv.Value, from)
	}
	if tv.IsNil() {
		return "nil"
	}
	return g.convS(g.expr(e), from, to)
}

func (g *gen) convS(s string, from, to types.Type) string {
	if !isIface(to) {
		return s
	}
	if b, ok := from.(*types.Basic); ok && b.Kind() == types.UntypedNil {
		return s
	}
	host := g.hostIface(to)
	if isIface(from) {
		if host && !g.hostIface(from) {
			return g.to(to) + "(" + s + ")"
		}
		return s
	}
	if b, ok := from.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		return s
	}
	if !g.Impure(from) {
		return s
	}
	box := fmt.Sprintf("rt.Box(%d, %s)", g.id(from), s)
	if !host {
		return box
	}
	return g.to(to) + "(" + box + ")"
}

// to names the helper that makes a host interface value of any.
func (g *gen) to(t types.Type) string {
	id := g.id(t)
	n := fmt.Sprintf("to__%d", id)
	if !g.toFn[id] {
		g.toFn[id] = true
		rep := g.rep(t)
		if rep == "error" {
			g.pre = append(g.pre, fmt.Sprintf("func %s(x any) error { return rt.Err(x) }", n))
		} else {
			g.pre = append(g.pre, fmt.Sprintf("func %s(x any) (r %s) {\nif x == nil { return }\nr = rt.To(x, %d).(%s)\nreturn\n}", n, rep, id, rep))
		}
	}
	return n
}

// as names the comma-ok assertion helper for t.
func (g *gen) as(t types.Type) string {
	id := g.id(t)
	n := fmt.Sprintf("as__%d", id)
	if !g.asFn[id] {
		g.asFn[id] = true
		rep := g.rep(t)
		g.pre = append(g.pre, fmt.Sprintf("func %s(x any) (v %s, ok bool) {\nif !rt.Is(x, %d) { return }\nv = %s\nok = true\nreturn\n}", n, rep, id, g.unbox("x", t)))
		g.pre = append(g.pre, fmt.Sprintf("func asm__%d(x any, from int) %s {\nrt.Assert(x, from, %d)\nreturn %s\n}", id, rep, id, g.unbox("x", t)))
	}
	return n
}

func (g *gen) unbox(x string, t types.Type) string {
	switch {
	case g.hostIface(t):
		return g.to(t) + "(" + x + ")"
	case isIface(t):
		return x
	case g.Impure(t):
		return "rt.Unbox(" + x + ").(" + g.rep(t) + ")"
	}
	return x + ".(" + g.rep(t) + ")"
}

func (g *gen) helper(key, code string) {
	if !g.Lowerer.inst[key] {
		g.Lowerer.inst[key] = true
		g.pre = append(g.pre, code)
	}
}

func (g *gen) targs(id *ast.Ident) (out []types.Type) {
	l := g.u.Info.Instances[id].TypeArgs
	for i := 0; i < l.Len(); i++ {
		out = append(out, g.subst(l.At(i)))
	}
	return
}

func (g *gen) expr(e ast.Expr) string {
	tv := g.u.Info.Types[e]
	if tv.Value != nil {
		return g.constant(tv.Value, g.typ(e))
	}
	switch e := e.(type) {
	case *ast.Ident:
		switch o := g.u.Info.ObjectOf(e).(type) {
		case *types.Nil:
			return "nil"
		case *types.Func:
			if g.Units[o.Origin()] == nil && o.Pkg().Path() != "main" { // overlay code uses its package's host part
				return g.alias(o.Pkg()) + "." + o.Name()
			}
			return g.fnInst(o.Origin(), nil, g.targs(e))
		case *types.Var:
			if e.Name == "_" {
				return "_"
			}
			return g.name(o)
		case nil:
			return e.Name
		default:
			g.refuse(e, "%s as a value", e.Name)
		}
	case *ast.ParenExpr:
		return "(" + g.expr(e.X) + ")"
	case *ast.FuncLit:
		return g.funcLit(e, nil)
	case *ast.CompositeLit:
		return g.composite(e, g.typ(e))
	case *ast.SelectorExpr:
		return g.selector(e)
	case *ast.IndexExpr:
		if id := instIdent(e.X); id != nil && g.u.Info.Instances[id].TypeArgs != nil {
			return g.expr(e.X)
		}
		xt := g.typ(e.X)
		x := g.expr(e.X)
		switch u := under(xt).(type) {
		case *types.Map:
			return x + "[" + g.conv(e.Index, u.Key()) + "]"
		case *types.Pointer:
			x = "(*" + x + ")"
		}
		return x + "[" + g.index(e.Index) + "]"
	case *ast.IndexListExpr:
		return g.expr(e.X)
	case *ast.SliceExpr:
		x := g.expr(e.X)
		if _, ok := under(g.typ(e.X)).(*types.Pointer); ok {
			x = "(*" + x + ")"
		}
		s := x + "["
		if e.Low != nil {
			s += g.index(e.Low)
		}
		s += ":"
		if e.High != nil {
			s += g.index(e.High)
		}
		if e.Slice3 {
			s += ":" + g.index(e.Max)
		}
		return s + "]"
	case *ast.StarExpr:
		return "(*" + g.expr(e.X) + ")"
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			if c, ok := ast.Unparen(e.X).(*ast.CompositeLit); ok {
				return "&" + g.composite(c, g.typ(c))
			}
			return "(&" + g.expr(e.X) + ")"
		}
		return "(" + e.Op.String() + g.expr(e.X) + ")"
	case *ast.BinaryExpr:
		return g.binary(e)
	case *ast.TypeAssertExpr:
		t := g.typ(e.Type)
		g.as(t)
		return fmt.Sprintf("asm__%d(%s, %d)", g.id(t), g.expr(e.X), g.id(g.typ(e.X)))
	case *ast.CallExpr:
		return g.call(e)
	}
	g.refuse(e, "expression %T", e)
	return ""
}

func instIdent(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	}
	return nil
}

func (g *gen) index(e ast.Expr) string {
	s := g.expr(e)
	if b, ok := under(g.typ(e)).(*types.Basic); ok && b.Kind() != types.Int && b.Info()&types.IsUntyped == 0 {
		s = "int(" + s + ")"
	}
	return s
}

func (g *gen) binary(e *ast.BinaryExpr) string {
	x, y := g.typ(e.X), g.typ(e.Y)
	if e.Op == token.EQL || e.Op == token.NEQ {
		nx, ny := g.u.Info.Types[e.X].IsNil(), g.u.Info.Types[e.Y].IsNil()
		if nx || ny {
			if nx {
				return "(nil " + e.Op.String() + " " + g.expr(e.Y) + ")"
			}
			return "(" + g.expr(e.X) + " " + e.Op.String() + " nil)"
		}
		if isIface(x) || isIface(y) {
			anyT := types.Universe.Lookup("any").Type()
			s := "rt.Eq(" + g.conv(e.X, anyT) + ", " + g.conv(e.Y, anyT) + ")"
			if e.Op == token.NEQ {
				s = "!" + s
			}
			return s
		}
	}
	a, b := "", ""
	if e.Op == token.LAND || e.Op == token.LOR {
		if g.risky(e.X) || g.risky(e.Y) {
			a, b := g.conv(e.X, y), g.conv(e.Y, x)
			if e.Op == token.LAND {
				return "func() bool {\nif !(" + a + ") { return false }\nreturn " + b + "\n}()"
			}
			return "func() bool {\nif " + a + " { return true }\nreturn " + b + "\n}()"
		}
	}
	if e.Op == token.SHL || e.Op == token.SHR {
		a, b = g.expr(e.X), g.expr(e.Y)
	} else {
		a, b = g.conv(e.X, y), g.conv(e.Y, x)
	}
	return "(" + a + " " + e.Op.String() + " " + b + ")"
}

// risky: the engine loses its way when && or || has a conversion or a literal in an operand.
func (g *gen) risky(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CompositeLit:
			found = true
		case *ast.CallExpr:
			tv := g.u.Info.Types[ast.Unparen(n.Fun)]
			if tv.IsType() && g.u.Info.Types[n].Value == nil {
				found = true
			}
		}
		return !found
	})
	return found
}
