package yaegi

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

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
		code, _, host := g.path(g.expr(e.X), t, index[:len(index)-1])
		if host {
			return code + "." + e.Sel.Name
		}
		return code + "." + g.field(v, index[len(index)-1])
	}
	// method value: the receiver is fixed now
	p := g.methodParts(e)
	sig := g.typ(e).(*types.Signature)
	ps, as, ret := forwarded(sig)
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
	ps, as, ret := forwarded(sig)
	p := g.methodOf("a0", t, e.Sel.Name, e, true)
	call := ""
	if p.host {
		call = p.recv + "." + p.fn + "(" + strings.Join(as[1:], ", ") + ")"
	} else {
		call = p.fn + "(" + strings.Join(append([]string{p.recv}, as[1:]...), ", ") + ")"
	}
	return fmt.Sprintf("func%s { %s%s }", g.sig(sig, ps), ret, call)
}

// forwarded is how a function literal of that signature passes its parameters on: their
// names, the arguments of the call in it, and what stands before that call.
func forwarded(sig *types.Signature) (params, args []string, ret string) {
	for i := range sig.Params().Len() {
		n := fmt.Sprintf("a%d", i)
		params, args = append(params, n), append(args, n)
	}
	if sig.Variadic() {
		args[len(args)-1] += "..."
	}
	if sig.Results().Len() > 0 {
		ret = "return "
	}
	return params, args, ret
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
	n := namedOf(rt)
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
