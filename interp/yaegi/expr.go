package yaegi

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
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
		from = types.Default(from)
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

// path follows embedded fields to the one that holds the field or method.
func (g *gen) path(code string, t types.Type, index []int) (string, types.Type, bool) {
	for _, i := range index {
		d := deref(t)
		st := d.Underlying().(*types.Struct)
		if n, ok := types.Unalias(d).(*types.Named); ok && !g.isCell(n) {
			return code, t, true // the engine knows the host's promotions
		}
		f := st.Field(i)
		code += "." + g.field(f, i)
		t = f.Type()
	}
	return code, t, false
}

func (g *gen) selector(e *ast.SelectorExpr) string {
	if id, ok := e.X.(*ast.Ident); ok {
		if pn, ok := g.u.Info.Uses[id].(*types.PkgName); ok {
			o := g.u.Info.Uses[e.Sel]
			if f, ok := o.(*types.Func); ok && g.Units[f.Origin()] != nil {
				return g.fnInst(f.Origin(), nil, g.targs(e.Sel))
			}
			return g.alias(pn.Imported()) + "." + e.Sel.Name
		}
	}
	if g.u.Info.Types[e.X].IsType() { // method expression
		return g.methodExpr(e)
	}
	t := g.typ(e.X)
	obj, index, _ := types.LookupFieldOrMethod(t, true, g.RT.Pkg, e.Sel.Name)
	if obj == nil {
		if s := g.u.Info.Selections[e]; s != nil { // unexported in another package
			obj, index, _ = types.LookupFieldOrMethod(t, true, s.Obj().Pkg(), e.Sel.Name)
		}
	}
	if v, ok := obj.(*types.Var); ok {
		code, ft, host := g.path(g.expr(e.X), t, index[:len(index)-1])
		if host {
			return code + "." + e.Sel.Name
		}
		_ = ft
		return code + "." + g.field(v, index[len(index)-1])
	}
	// method value: the receiver is fixed now
	p := g.methodParts(e)
	sig := g.typ(e).(*types.Signature)
	var ps, as []string
	for i := 0; i < sig.Params().Len(); i++ {
		n := fmt.Sprintf("a%d", i)
		ps, as = append(ps, n), append(as, n)
	}
	if sig.Variadic() {
		as[len(as)-1] += "..."
	}
	ret := ""
	if sig.Results().Len() > 0 {
		ret = "return "
	}
	fs := "func" + g.sig(sig, ps)
	if p.recv == "" {
		return p.fn
	}
	in := strings.Join(as, ", ")
	call := p.fn + "(r"
	if in != "" {
		call += ", " + in
	}
	if p.host {
		call = "r." + p.fn + "(" + in
	}
	return fmt.Sprintf("func(r %s) func%s { return %s { %s%s) } }(%s)", p.recvRep, g.sig(sig, nil), fs, ret, call, p.recv)
}

func (g *gen) methodExpr(e *ast.SelectorExpr) string {
	t := g.typ(e.X)
	sig := g.typ(e).(*types.Signature)
	var ps, as []string
	for i := 0; i < sig.Params().Len(); i++ {
		n := fmt.Sprintf("a%d", i)
		ps, as = append(ps, n), append(as, n)
	}
	if sig.Variadic() {
		as[len(as)-1] += "..."
	}
	ret := ""
	if sig.Results().Len() > 0 {
		ret = "return "
	}
	p := g.methodOf("a0", t, e.Sel.Name, e, true)
	call := ""
	if p.host {
		call = p.recv + "." + p.fn + "(" + strings.Join(as[1:], ", ") + ")"
	} else {
		call = p.fn + "(" + strings.Join(append([]string{p.recv}, as[1:]...), ", ") + ")"
	}
	return fmt.Sprintf("func%s { %s%s }", g.sig(sig, ps), ret, call)
}

// parts of a call: fn(recv, args...) or, for a host's method, recv.fn(args...).
type parts struct {
	fn      string
	recv    string
	recvRep string
	host    bool
	sig     *types.Signature
	raw     bool // any parameters take the plain value, not a box
}

func (g *gen) methodParts(e *ast.SelectorExpr) parts {
	return g.methodOf(g.expr(e.X), g.typ(e.X), e.Sel.Name, e, true)
}

func (g *gen) methodOf(code string, t types.Type, name string, at ast.Node, addressable bool) parts {
	obj, index, _ := types.LookupFieldOrMethod(t, true, g.RT.Pkg, name)
	f, ok := obj.(*types.Func)
	if !ok {
		g.refuse(at, "method %s of %v", name, t)
	}
	code, rt, host := g.path(code, t, index[:len(index)-1])
	if isIface(rt) {
		if host || g.hostIface(rt) {
			return parts{fn: name, recv: code, recvRep: g.rep(rt), host: true}
		}
		sig := f.Type().(*types.Signature)
		h := fmt.Sprintf("call__%s_%d", name, g.RT.Intern(sig).ID)
		var ps, as []string
		for i := 0; i < sig.Params().Len(); i++ {
			n := fmt.Sprintf("a%d", i)
			ps, as = append(ps, n), append(as, n)
		}
		if sig.Variadic() {
			as[len(as)-1] += "..."
		}
		ret := ""
		if sig.Results().Len() > 0 {
			ret = "return "
		}
		full := g.sig(sig, ps)
		sep := ", "
		if len(ps) == 0 {
			sep = ""
		}
		g.helper(h, fmt.Sprintf("func %s(x any%s%s {\nf := rt.Meth(x, %q).(func%s)\n%sf(%s)\n}", h, sep, full[1:], name, g.sig(sig, nil), ret, strings.Join(as, ", ")))
		return parts{fn: h, recv: code, recvRep: "any"}
	}
	n, _ := types.Unalias(deref(rt)).(*types.Named)
	if p, ok := types.Unalias(rt).(*types.Pointer); ok {
		n, _ = types.Unalias(p.Elem()).(*types.Named)
	} else {
		n, _ = types.Unalias(rt).(*types.Named)
	}
	if host || n == nil || !g.isCell(n) {
		rep := g.rep(rt)
		_, isPtr := under(rt).(*types.Pointer)
		fr := f.Type().(*types.Signature).Recv()
		if fr != nil && !isPtr {
			if _, wants := fr.Type().(*types.Pointer); wants {
				return parts{fn: name, recv: code, recvRep: "&" + rep, host: true}
			}
		}
		return parts{fn: name, recv: code, recvRep: rep, host: true}
	}
	_, wants := f.Type().(*types.Signature).Recv().Type().(*types.Pointer)
	_, has := types.Unalias(rt).(*types.Pointer)
	rep := g.rep(n)
	switch {
	case wants && !has:
		code, rep = "(&"+code+")", "*"+rep
	case !wants && has:
		code = "(*" + code + ")"
	case has:
		rep = "*" + rep
	}
	return parts{fn: g.method(n, f), recv: code, recvRep: rep}
}

func rawPkg(p string) bool {
	for _, x := range []string{"encoding", "reflect", "sort", "text/template", "html/template", "database", "unsafe"} {
		if p == x || strings.HasPrefix(p, x+"/") {
			return true
		}
	}
	return false
}

func (g *gen) callee(e *ast.CallExpr) parts {
	fun := ast.Unparen(e.Fun)
	sig, ok := under(g.typ(fun)).(*types.Signature)
	if !ok {
		g.refuse(e, "call of %v", g.typ(fun))
	}
	p := parts{}
	switch f := fun.(type) {
	case *ast.SelectorExpr:
		if id, ok := f.X.(*ast.Ident); ok {
			if pn, ok := g.u.Info.Uses[id].(*types.PkgName); ok {
				p = parts{fn: g.selector(f), raw: rawPkg(pn.Imported().Path())}
				break
			}
		}
		t := g.typ(f.X)
		if g.u.Info.Types[f.X].IsType() {
			p.fn = g.expr(f)
			break
		}
		obj, _, _ := types.LookupFieldOrMethod(t, true, g.RT.Pkg, f.Sel.Name)
		if m, ok := obj.(*types.Func); ok {
			p = g.methodParts(f)
			p.raw = m.Pkg() != nil && rawPkg(m.Pkg().Path())
		} else {
			p.fn = g.expr(f)
		}
	default:
		p.fn = g.expr(fun)
	}
	p.sig = sig
	return p
}

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
