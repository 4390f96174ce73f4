package yaegi

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// id interns a type and sees to it that the run time knows its methods.
func (l *Lowerer) id(t types.Type) int {
	l.needMethods(t, 0)
	return l.RT.Intern(t).ID
}

func (l *Lowerer) needMethods(t types.Type, depth int) {
	if depth > 8 || !l.Impure(t) {
		return
	}
	switch u := types.Unalias(t).(type) {
	case *types.Named:
		if !l.isCell(u) {
			return
		}
		if types.IsInterface(u) {
			return
		}
		k := l.typeKey(u)
		if l.boxed[k] != nil {
			return
		}
		l.boxed[k] = u
		for i := 0; i < u.NumMethods(); i++ {
			l.regMethod(u, u.Method(i))
		}
		l.needMethods(u.Underlying(), depth+1)
	case *types.Pointer:
		l.needMethods(u.Elem(), depth+1)
	case *types.Slice:
		l.needMethods(u.Elem(), depth+1)
	case *types.Array:
		l.needMethods(u.Elem(), depth+1)
	case *types.Chan:
		l.needMethods(u.Elem(), depth+1)
	case *types.Map:
		l.needMethods(u.Key(), depth+1)
		l.needMethods(u.Elem(), depth+1)
	case *types.Struct:
		for i := 0; i < u.NumFields(); i++ {
			l.needMethods(u.Field(i).Type(), depth+1)
		}
	}
}

func (l *Lowerer) regMethod(n *types.Named, m *types.Func) {
	name := l.method(n, m)
	l.regs = append(l.regs, fmt.Sprintf("rt.Reg(%q, %q, %s)", l.typeKey(n), m.Name(), name))
}

// method gives the emitted function of a cell type's method.
func (l *Lowerer) method(n *types.Named, m *types.Func) string {
	return l.fnInst(m.Origin(), n, nil)
}

// fnInst gives the emitted name of a function or method for its type arguments, and makes it if it is new.
func (l *Lowerer) fnInst(f *types.Func, recv *types.Named, targs []types.Type) string {
	base, ok := l.names[f]
	if !ok {
		base = f.Name()
		if f.Pkg() != nil && f.Pkg().Name() != "main" {
			base = f.Pkg().Name() + "_" + base
		}
		if recv != nil {
			base = recv.Obj().Name() + "_" + base
		}
		base = l.fresh(base)
		l.names[f] = base
	}
	name := base
	env := map[*types.TypeParam]types.Type{}
	sig := f.Type().(*types.Signature)
	if recv != nil {
		for i := 0; i < recv.TypeArgs().Len(); i++ {
			env[sig.RecvTypeParams().At(i)] = recv.TypeArgs().At(i)
			name += fmt.Sprintf("_%d", l.RT.Intern(recv.TypeArgs().At(i)).ID)
		}
	}
	for i, t := range targs {
		env[sig.TypeParams().At(i)] = t
		name += fmt.Sprintf("_%d", l.RT.Intern(t).ID)
	}
	if l.inst[name] {
		return name
	}
	l.inst[name] = true
	u := l.Units[f]
	if u == nil {
		panic(Refused{Msg: "no source for " + f.FullName()})
	}
	l.work = append(l.work, func() { l.emitFunc(name, u, env) })
	if len(l.inst) > 20000 {
		panic(Refused{Msg: "too many instances of generic functions"})
	}
	return name
}

func (l *Lowerer) emitFunc(name string, u *Unit, env map[*types.TypeParam]types.Type) {
	g := &gen{Lowerer: l, u: u, env: env, inst: name, out: &strings.Builder{}, local: map[types.Object]string{}, tmp: new(int), flags: map[string]string{}}
	d := u.Decl
	obj := u.Info.Defs[d.Name].(*types.Func)
	sig := obj.Type().(*types.Signature)
	if len(env) > 0 {
		ast.Inspect(d.Body, func(n ast.Node) bool {
			if ts, ok := n.(*ast.TypeSpec); ok {
				g.refuse(ts, "a type declared inside a generic function")
			}
			return true
		})
	}
	var recv *ast.Field
	if d.Recv != nil {
		recv = d.Recv.List[0]
	}
	params, names, ftype := g.params(recv, sig, d.Type)
	hook := name + "_hook"
	l.pre = append(l.pre, "var "+hook+" func"+ftype)
	g.fn = &fnCtx{}
	res := g.results(sig, d.Type)
	call := hook + "(" + strings.Join(names, ", ")
	if sig.Variadic() {
		call += "..."
	}
	call += ")"
	if len(g.fn.res) == 0 {
		call += "; return"
	} else {
		call = "return " + call
	}
	at := ""
	if u.Cell != "" { // the engine often knows no more of a panic than the function's first statement
		at = "/*line " + g.where(d) + "*/"
	}
	head := fmt.Sprintf("func %s(%s)%s {\n%sif %s != nil { %s }\n", name, params, res, at, hook, call)
	g.body(d.Body)
	l.pre = append(l.pre, head+g.out.String()+"}")
}

// body emits a function's statements. A function that defers runs in a callback of the host, which keeps the deferred
// calls: the engine's own defer loops for ever when a deferred function calls a function value.
func (g *gen) body(b *ast.BlockStmt) {
	for i, n := range g.fn.names {
		r := g.rep(g.fn.res[i])
		g.p("var %s %s%s", n, r, g.zero(g.fn.res[i], r))
	}
	if !hasDefer(b) {
		g.stmts(b.List)
		if len(g.fn.res) > 0 && !endsInReturn(b.List) {
			g.p("panic(\"unreachable\")")
		}
		return
	}
	fn := g.fn
	fn.defers = g.temp("ds")
	fn.rets = fn.names
	if len(fn.rets) == 0 {
		for _, t := range fn.res {
			n := g.temp("ret")
			g.p("var %s %s", n, g.rep(t))
			fn.rets = append(fn.rets, n)
		}
	}
	g.p("%s := rt.Defers()", fn.defers)
	g.p("rt.Run(%s, func() {", fn.defers)
	g.stmts(b.List)
	g.p("})")
	if len(fn.res) > 0 {
		g.p("return %s", strings.Join(fn.rets, ", "))
	}
}

func hasDefer(b *ast.BlockStmt) bool {
	found := false
	ast.Inspect(b, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			found = true
		}
		return true
	})
	return found
}

func endsInReturn(l []ast.Stmt) bool {
	if len(l) == 0 {
		return false
	}
	_, ok := l[len(l)-1].(*ast.ReturnStmt)
	return ok
}

// params: the emitted parameter list, the names in it, and the type without names.
func (g *gen) params(recv *ast.Field, sig *types.Signature, ft *ast.FuncType) (string, []string, string) {
	var names, decl, typs []string
	add := func(id *ast.Ident, t types.Type, variadic bool) {
		n := ""
		if id == nil || id.Name == "_" {
			n = g.temp("p")
		} else {
			n = g.declare(g.u.Info.Defs[id])
		}
		r := ""
		if variadic {
			r = "..." + g.rep(t.(*types.Slice).Elem())
		} else {
			r = g.rep(t)
		}
		names, decl, typs = append(names, n), append(decl, n+" "+r), append(typs, r)
	}
	if recv != nil {
		var id *ast.Ident
		if len(recv.Names) > 0 {
			id = recv.Names[0]
		}
		add(id, g.subst(g.u.Info.TypeOf(recv.Type)), false)
	}
	i, n := 0, sig.Params().Len()
	for _, f := range ft.Params.List {
		ids := f.Names
		if len(ids) == 0 {
			ids = []*ast.Ident{nil}
		}
		for _, id := range ids {
			add(id, g.subst(sig.Params().At(i).Type()), sig.Variadic() && i == n-1)
			i++
		}
	}
	var res []string
	for i := 0; i < sig.Results().Len(); i++ {
		res = append(res, g.rep(g.subst(sig.Results().At(i).Type())))
	}
	r := ""
	if len(res) > 0 {
		r = " (" + strings.Join(res, ", ") + ")"
	}
	return strings.Join(decl, ", "), names, "(" + strings.Join(typs, ", ") + ")" + r
}

func (g *gen) results(sig *types.Signature, ft *ast.FuncType) string {
	if sig.Results().Len() == 0 {
		return ""
	}
	var out []string
	i := 0
	named := false
	for _, f := range ft.Results.List {
		ids := f.Names
		if len(ids) == 0 {
			ids = []*ast.Ident{nil}
		} else {
			named = true
		}
		for _, id := range ids {
			t := g.subst(sig.Results().At(i).Type())
			g.fn.res = append(g.fn.res, t)
			s := g.rep(t)
			if named {
				n := ""
				if id.Name == "_" {
					n = g.temp("r")
				} else {
					n = g.declare(g.u.Info.Defs[id])
				}
				g.fn.names = append(g.fn.names, n) // a local: the engine does not zero named results
			}
			out = append(out, s)
			i++
		}
	}
	return " (" + strings.Join(out, ", ") + ")"
}

func (g *gen) temp(p string) string {
	*g.tmp++
	return fmt.Sprintf("%s_%d", p, *g.tmp)
}

// declare gives a local object a name of its own.
func (g *gen) declare(o types.Object) string {
	if o == nil {
		return g.temp("b")
	}
	if n, ok := g.local[o]; ok {
		return n
	}
	if n, ok := g.names[o]; ok { // hoisted to the package
		return n
	}
	n := g.temp(clean(o.Name()))
	g.local[o] = n
	return n
}

func (g *gen) name(o types.Object) string {
	if n, ok := g.local[o]; ok {
		return n
	}
	if n, ok := g.names[o]; ok {
		return n
	}
	return g.declare(o)
}
