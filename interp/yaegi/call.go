package yaegi

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

func (g *gen) call(e *ast.CallExpr) string {
	fun := ast.Unparen(e.Fun)
	tv := g.u.Info.Types[fun]
	if tv.IsType() {
		return g.convert(e.Args[0], g.typ(fun))
	}
	if tv.IsBuiltin() {
		return g.builtin(e)
	}
	if s := g.special(e); s != "" {
		return s
	}
	p := g.callee(e)
	args, pre := g.args(p, e)
	if pre != "" { // f(g()) that needs conversions
		ret := ""
		res := ""
		if n := p.sig.Results().Len(); n > 0 {
			ret = "return "
			res = g.sig(types.NewSignatureType(nil, nil, nil, nil, p.sig.Results(), false), nil)[2:]
		}
		return fmt.Sprintf("func()%s { %s; %s%s }()", res, pre, ret, g.finish(p, args))
	}
	return g.finish(p, args)
}

func (g *gen) finish(p parts, args []string) string {
	a := strings.Join(args, ", ")
	switch {
	case p.host && p.recv != "":
		return p.recv + "." + p.fn + "(" + a + ")"
	case p.recv != "":
		if a != "" {
			a = ", " + a
		}
		return p.fn + "(" + p.recv + a + ")"
	}
	return p.fn + "(" + a + ")"
}

func paramAt(sig *types.Signature, i int, spread bool) types.Type {
	n := sig.Params().Len()
	if sig.Variadic() && i >= n-1 {
		t := sig.Params().At(n - 1).Type()
		if spread {
			return t
		}
		return t.(*types.Slice).Elem()
	}
	return sig.Params().At(i).Type()
}

func (g *gen) args(p parts, e *ast.CallExpr) (out []string, pre string) {
	if len(e.Args) == 1 {
		if tu, ok := g.typ(e.Args[0]).(*types.Tuple); ok {
			need := p.recv != "" && !p.host
			var ts []string
			for i := 0; i < tu.Len(); i++ {
				t := g.temp("t")
				ts = append(ts, t)
				c := g.convS(t, tu.At(i).Type(), paramAt(p.sig, i, false))
				need = need || c != t
				out = append(out, c)
			}
			if p.sig.Variadic() || need {
				return out, strings.Join(ts, ", ") + " := " + g.expr(e.Args[0])
			}
			return []string{g.expr(e.Args[0])}, ""
		}
	}
	for i, a := range e.Args {
		spread := e.Ellipsis.IsValid() && i == len(e.Args)-1
		t := paramAt(p.sig, i, spread)
		s := ""
		if p.raw && isIface(t) && !isIface(g.typ(a)) && !g.u.Info.Types[a].IsNil() && under(t).(*types.Interface).NumMethods() == 0 {
			s = g.expr(a)
		} else {
			s = g.conv(a, t)
		}
		if fl, ok := ast.Unparen(a).(*ast.FuncLit); ok {
			s = g.keepLit(fl, s)
		}
		if spread {
			s += "..."
		}
		out = append(out, s)
	}
	return
}

// keepLit passes a literal through an emitted function: given straight to the host, the engine would let it see later
// values of the variables it captures.
func (g *gen) keepLit(fl *ast.FuncLit, code string) string {
	t := g.typ(fl)
	if !strings.HasPrefix(code, "func") {
		return code
	}
	h := fmt.Sprintf("lit__%d", g.RT.Intern(t).ID)
	r := g.rep(t)
	g.helper(h, fmt.Sprintf("func %s(f %s) %s { return f }", h, r, r))
	return h + "(" + code + ")"
}

// special: calls whose host code depends on dynamic types that only the run time knows.
func (g *gen) special(e *ast.CallExpr) string {
	id := instIdent(e.Fun)
	if id == nil {
		return ""
	}
	o, ok := g.u.Info.Uses[id].(*types.Func)
	if !ok || o.Pkg() == nil || o.Type().(*types.Signature).Recv() != nil {
		return ""
	}
	if o.Pkg().Path() == "errors" && o.Name() == "As" {
		if p, ok := g.typ(e.Args[1]).(*types.Pointer); ok {
			return fmt.Sprintf("rt.As(%s, %d, %s)", g.conv(e.Args[0], errorT), g.id(p.Elem()), g.expr(e.Args[1]))
		}
	}
	return ""
}

var errorT = types.Universe.Lookup("error").Type()

func (g *gen) convert(e ast.Expr, to types.Type) string {
	from := g.typ(e)
	if isIface(to) {
		return g.conv(e, to)
	}
	if tv := g.u.Info.Types[e]; tv.Value != nil {
		// a constant operand of a non-constant conversion: string to []byte and the like
		d := types.Default(from)
		if _, ok := under(to).(*types.Basic); ok {
			return g.rep(to) + "(" + g.constant(tv.Value, d) + ")"
		}
		return "(" + g.rep(to) + ")(" + g.constant(tv.Value, d) + ")"
	}
	if g.u.Info.Types[e].IsNil() {
		return "(" + g.rep(to) + ")(nil)"
	}
	s := g.expr(e)
	if g.rep(from) == g.rep(to) {
		return s
	}
	return "(" + g.rep(to) + ")(" + s + ")"
}

func (g *gen) composite(e *ast.CompositeLit, t types.Type) string {
	if p, ok := under(t).(*types.Pointer); ok {
		return "&" + g.composite(e, p.Elem())
	}
	elem := func(x ast.Expr, et types.Type) string {
		if c, ok := x.(*ast.CompositeLit); ok && c.Type == nil {
			return g.convS(g.composite(c, et), et, et)
		}
		return g.conv(x, et)
	}
	var b strings.Builder
	switch u := under(t).(type) {
	case *types.Struct:
		var names, vals []string
		for i, x := range e.Elts {
			f := (*types.Var)(nil)
			fi := i
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				for j := 0; j < u.NumFields(); j++ {
					if u.Field(j).Name() == kv.Key.(*ast.Ident).Name {
						f, fi = u.Field(j), j
					}
				}
				x = kv.Value
			} else {
				f = u.Field(i)
			}
			names, vals = append(names, g.field(f, fi)), append(vals, elem(x, f.Type()))
		}
		b.WriteString(g.rep(t) + "{")
		for i, n := range names {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(n + ": " + vals[i])
		}
	case *types.Slice, *types.Array:
		et := u.(interface{ Elem() types.Type }).Elem()
		b.WriteString(g.rep(t) + "{")
		for i, x := range e.Elts {
			if i > 0 {
				b.WriteString(", ")
			}
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				b.WriteString(g.expr(kv.Key) + ": ")
				x = kv.Value
			}
			b.WriteString(elem(x, et))
		}
	case *types.Map:
		b.WriteString(g.rep(t) + "{")
		for i, x := range e.Elts {
			if i > 0 {
				b.WriteString(", ")
			}
			kv := x.(*ast.KeyValueExpr)
			b.WriteString(elem(kv.Key, u.Key()) + ": " + elem(kv.Value, u.Elem()))
		}
	default:
		g.refuse(e, "literal of %v", t)
	}
	return b.String() + "}"
}

func (g *gen) funcLit(e *ast.FuncLit, recv *ast.Field) string {
	sig := g.u.Info.TypeOf(e).(*types.Signature)
	out, fn, loops := g.out, g.fn, g.loops
	g.out, g.fn, g.loops = &strings.Builder{}, &fnCtx{under: g.deferring}, nil
	g.deferring = ""
	params, _, _ := g.params(nil, sig, e.Type)
	res := g.results(sig, e.Type)
	g.body(e.Body)
	body := g.out.String()
	g.out, g.fn, g.loops = out, fn, loops
	return "func(" + params + ")" + res + " {\n" + body + "}"
}

func (g *gen) builtin(e *ast.CallExpr) string {
	id := ast.Unparen(e.Fun).(*ast.Ident)
	arg := func(i int) string { return g.expr(e.Args[i]) }
	switch id.Name {
	case "len", "cap":
		if _, ok := under(g.typ(e.Args[0])).(*types.Pointer); ok {
			return id.Name + "(*" + arg(0) + ")"
		}
		return id.Name + "(" + arg(0) + ")"
	case "append":
		st := g.typ(e.Args[0])
		if g.u.Info.Types[e.Args[0]].IsNil() {
			st = g.typ(e)
		}
		et := under(st).(*types.Slice).Elem()
		s := "append(" + g.conv(e.Args[0], st)
		for i, a := range e.Args[1:] {
			if e.Ellipsis.IsValid() && i == len(e.Args)-2 {
				x := g.expr(a)
				if b, ok := under(g.typ(a)).(*types.Basic); ok && b.Info()&types.IsString != 0 {
					x = "[]byte(" + x + ")"
				}
				s += ", " + x + "..."
			} else {
				s += ", " + g.conv(a, et)
			}
		}
		return s + ")"
	case "copy":
		x := arg(1)
		if b, ok := under(g.typ(e.Args[1])).(*types.Basic); ok && b.Info()&types.IsString != 0 {
			x = "[]byte(" + x + ")"
		}
		return "copy(" + arg(0) + ", " + x + ")"
	case "delete":
		return "delete(" + arg(0) + ", " + g.conv(e.Args[1], under(g.typ(e.Args[0])).(*types.Map).Key()) + ")"
	case "make":
		s := "make(" + g.rep(g.typ(e.Args[0]))
		for _, a := range e.Args[1:] {
			s += ", " + g.index(a)
		}
		return s + ")"
	case "new":
		if g.u.Info.Types[e.Args[0]].IsType() {
			return "new(" + g.rep(g.typ(e.Args[0])) + ")"
		}
		t := under(g.typ(e)).(*types.Pointer).Elem()
		h := fmt.Sprintf("newv__%d", g.id(t))
		r := g.rep(t)
		g.helper(h, fmt.Sprintf("func %s(v %s) *%s {\np := new(%s)\n*p = v\nreturn p\n}", h, r, r, r))
		return h + "(" + g.conv(e.Args[0], t) + ")"
	case "min", "max":
		t := g.typ(e)
		r := g.rep(t)
		h := fmt.Sprintf("%s__%s", id.Name, clean(r))
		op := map[string]string{"min": "<", "max": ">"}[id.Name]
		nan := ""
		if b, ok := under(t).(*types.Basic); ok && b.Info()&types.IsFloat != 0 {
			nan = "if a != a { return a }\nif b != b { return b }\n"
		}
		g.helper(h, fmt.Sprintf("func %s(a, b %s) %s {\n%sif a %s b { return a }\nreturn b\n}", h, r, r, nan, op))
		s := g.conv(e.Args[0], t)
		for _, a := range e.Args[1:] {
			s = h + "(" + s + ", " + g.conv(a, t) + ")"
		}
		return s
	case "clear":
		t := g.typ(e.Args[0])
		r := g.rep(t)
		h := "clear__" + clean(r) + fmt.Sprint(g.RT.Intern(t).ID)
		switch u := under(t).(type) {
		case *types.Map:
			g.helper(h, fmt.Sprintf("func %s(m %s) {\nfor k := range m { delete(m, k) }\n}", h, r))
		case *types.Slice:
			g.helper(h, fmt.Sprintf("func %s(m %s) {\nvar z %s\nfor k := range m { m[k] = z }\n}", h, r, g.rep(u.Elem())))
		}
		return h + "(" + arg(0) + ")"
	case "panic":
		return "panic(rt.PanicVal(" + g.conv(e.Args[0], types.Universe.Lookup("any").Type()) + "))"
	case "recover":
		fn := g.fn
		for fn.rf != nil {
			fn = fn.up
		}
		if fn.under != "" {
			return "rt.RecoverIn(" + fn.under + ")"
		}
		return "rt.Recover()"
	case "complex":
		return "complex(" + g.conv(e.Args[0], g.typ(e.Args[1])) + ", " + g.conv(e.Args[1], g.typ(e.Args[0])) + ")"
	case "real", "imag", "close", "print", "println":
		var as []string
		for i := range e.Args {
			as = append(as, arg(i))
		}
		return id.Name + "(" + strings.Join(as, ", ") + ")"
	}
	g.refuse(e, "builtin %s", id.Name)
	return ""
}
