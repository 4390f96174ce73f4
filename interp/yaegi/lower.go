package yaegi

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"reflect"
	"sort"
	"strconv"
	"strings"

	"github.com/gonterp/gonterp/interp/yaegi/rt"
)

// Refused is the error of a construct that is not supported.
type Refused struct {
	Pos token.Position
	Msg string
}

// Unit is a checked function or method declaration with what is needed to lower it again for other type arguments.
type Unit struct {
	Decl *ast.FuncDecl
	Info *types.Info
	Fset *token.FileSet
	Cell string
}

// Lowerer holds what outlives a cell: names given, instances made.
type Lowerer struct {
	RT    *rt.RT
	Ctx   *types.Context
	Units map[types.Object]*Unit // functions and methods with syntax: the session's and the overlay's
	// IsHost tells whether the package's symbols are in the engine; HostType whether a type can be named there.
	IsHost   func(path string) bool
	HostName func(*types.Named) bool

	names    map[types.Object]string
	used     map[string]int
	inst     map[string]bool   // functions emitted
	typs     map[string]string // key of named type -> emitted name
	named    map[string]*types.Named
	boxed    map[string]*types.Named
	asFn     map[int]bool
	toFn     map[int]bool
	hook     map[string]string // function key -> emitted name of the first version, whose hook later versions set
	impure   map[types.Type]bool
	fam      map[*types.Func]*types.Func // first version of a redefined function
	versions map[*types.Func][]string    // emitted names of a method's older versions

	pre  []string // declarations to evaluate before the cell's body
	regs []string // statements to run after pre
	work []func()

	marks []mark
}

func NewLowerer(r *rt.RT) *Lowerer {
	l := &Lowerer{RT: r, Ctx: types.NewContext(), Units: map[types.Object]*Unit{}, names: map[types.Object]string{}, used: map[string]int{}, inst: map[string]bool{}, typs: map[string]string{}, named: map[string]*types.Named{}, boxed: map[string]*types.Named{}, asFn: map[int]bool{}, toFn: map[int]bool{}, hook: map[string]string{}, impure: map[types.Type]bool{}, fam: map[*types.Func]*types.Func{}, versions: map[*types.Func][]string{}}
	r.Impure = l.Impure
	r.NameOf = func(n *types.Named) string {
		if !l.isCell(n) {
			return ""
		}
		return l.typeKey(n)
	}
	return l
}

// gen lowers one function body.
type gen struct {
	*Lowerer
	u         *Unit
	env       map[*types.TypeParam]types.Type
	inst      string // suffix that tells instances apart
	out       *strings.Builder
	fn        *fnCtx
	local     map[types.Object]string
	loops     []*target
	tmp       *int
	deferring string            // the literal about to be lowered is deferred by the function of this list
	flags     map[string]string // label -> flag variable
}

type fnCtx struct {
	top    bool // the body of the cell
	res    []types.Type
	names  []string // names of named results
	up     *fnCtx   // the function around a range-over-func body
	rf     *rangeFn // set in a range-over-func body
	under  string   // in a deferred literal: the list of the function that deferred it
	defers string   // the function's list of deferred calls
	rets   []string // result variables of a function that defers
}

type rangeFn struct {
	state string
	rets  []string
	exits []exit // labels left through, in order of code
	used  bool
}

type exit struct {
	tok token.Token
	to  *target
}

// target is a statement that break or continue may name.
type target struct {
	label string
	loop  bool // continue may name it
	cont  func() string
	rf    *rangeFn // the body is a callback
	fn    *fnCtx
	flag  string // variable that says a labelled branch is on its way here: 1 break, 2 continue
	used  bool
	sw    bool
}

func (g *gen) refuse(n ast.Node, f string, a ...any) {
	panic(Refused{g.u.Fset.Position(n.Pos()), fmt.Sprintf(f, a...)})
}

// ---- types

func (l *Lowerer) isCell(n *types.Named) bool {
	o := n.Obj()
	if o.Pkg() == nil {
		return false
	}
	return !l.IsHost(o.Pkg().Path()) || l.Units[o] != nil
}

// Impure: the engine's reflect type does not say which type it is.
func (l *Lowerer) Impure(t types.Type) bool {
	t = types.Unalias(t)
	if v, ok := l.impure[t]; ok {
		return v
	}
	l.impure[t] = false
	v := false
	switch u := t.(type) {
	case *types.Named:
		v = l.isCell(u)
		for i := 0; !v && i < u.TypeArgs().Len(); i++ {
			v = l.Impure(u.TypeArgs().At(i))
		}
	case *types.Pointer:
		v = l.Impure(u.Elem())
	case *types.Slice:
		v = l.Impure(u.Elem())
	case *types.Array:
		v = l.Impure(u.Elem())
	case *types.Chan:
		v = l.Impure(u.Elem())
	case *types.Map:
		v = l.Impure(u.Key()) || l.Impure(u.Elem())
	case *types.Signature:
		for _, tu := range []*types.Tuple{u.Params(), u.Results()} {
			for i := 0; i < tu.Len(); i++ {
				v = v || l.Impure(tu.At(i).Type())
			}
		}
	case *types.Struct:
		for i := 0; i < u.NumFields(); i++ {
			v = v || !u.Field(i).Exported() || l.Impure(u.Field(i).Type())
		}
	case *types.Interface:
		v = u.NumMethods() > 0
	}
	l.impure[t] = v
	return v
}

func clean(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_':
			b.WriteRune(r)
		case r > 127:
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	return b.String()
}

func (l *Lowerer) fresh(base string) string {
	base = clean(base)
	l.used[base]++
	return fmt.Sprintf("%s__%d", base, l.used[base])
}

// typeKey names a cell type: one name for each object and type arguments.
func (l *Lowerer) typeKey(n *types.Named) string {
	k := fmt.Sprintf("%p", n.Obj())
	for i := 0; i < n.TypeArgs().Len(); i++ {
		k += "," + fmt.Sprint(l.RT.Intern(n.TypeArgs().At(i)).ID)
	}
	if s, ok := l.typs[k]; ok {
		return s
	}
	s := l.fresh(n.Obj().Name())
	l.typs[k] = s
	l.named[s] = n
	return s
}

// Alias is the name of a host package in emitted code.
func Alias(path string) string { return "h_" + clean(path) }

func (l *Lowerer) alias(p *types.Package) string { return Alias(p.Path()) }

func (g *gen) subst(t types.Type) types.Type {
	if len(g.env) == 0 || t == nil {
		return t
	}
	return g.sub(t)
}

func (g *gen) sub(t types.Type) types.Type {
	switch u := t.(type) {
	case *types.Alias:
		return g.sub(types.Unalias(u))
	case *types.TypeParam:
		if x, ok := g.env[u]; ok {
			return x
		}
		return u
	case *types.Pointer:
		if e := g.sub(u.Elem()); e != u.Elem() {
			return types.NewPointer(e)
		}
	case *types.Slice:
		if e := g.sub(u.Elem()); e != u.Elem() {
			return types.NewSlice(e)
		}
	case *types.Array:
		if e := g.sub(u.Elem()); e != u.Elem() {
			return types.NewArray(e, u.Len())
		}
	case *types.Chan:
		if e := g.sub(u.Elem()); e != u.Elem() {
			return types.NewChan(u.Dir(), e)
		}
	case *types.Map:
		k, e := g.sub(u.Key()), g.sub(u.Elem())
		if k != u.Key() || e != u.Elem() {
			return types.NewMap(k, e)
		}
	case *types.Tuple:
		if u == nil {
			return u
		}
		ch := false
		var vs []*types.Var
		for i := 0; i < u.Len(); i++ {
			v := u.At(i)
			if x := g.sub(v.Type()); x != v.Type() {
				ch = true
				v = types.NewVar(v.Pos(), v.Pkg(), v.Name(), x)
			}
			vs = append(vs, v)
		}
		if ch {
			return types.NewTuple(vs...)
		}
	case *types.Signature:
		p, r := g.sub(u.Params()).(*types.Tuple), g.sub(u.Results()).(*types.Tuple)
		if p != u.Params() || r != u.Results() {
			return types.NewSignatureType(nil, nil, nil, p, r, u.Variadic())
		}
	case *types.Struct:
		ch := false
		var fs []*types.Var
		var tags []string
		for i := 0; i < u.NumFields(); i++ {
			v := u.Field(i)
			if x := g.sub(v.Type()); x != v.Type() {
				ch = true
				v = types.NewField(v.Pos(), v.Pkg(), v.Name(), x, v.Embedded())
			}
			fs, tags = append(fs, v), append(tags, u.Tag(i))
		}
		if ch {
			return types.NewStruct(fs, tags)
		}
	case *types.Interface:
		ch := false
		var ms []*types.Func
		for i := 0; i < u.NumMethods(); i++ {
			m := u.Method(i)
			if x := g.sub(m.Type()); x != m.Type() {
				ch = true
				m = types.NewFunc(m.Pos(), m.Pkg(), m.Name(), x.(*types.Signature))
			}
			ms = append(ms, m)
		}
		if ch {
			it := types.NewInterfaceType(ms, nil)
			it.Complete()
			return it
		}
	case *types.Named:
		if n := u.TypeArgs().Len(); n > 0 {
			ch := false
			var as []types.Type
			for i := 0; i < n; i++ {
				x := g.sub(u.TypeArgs().At(i))
				ch = ch || x != u.TypeArgs().At(i)
				as = append(as, x)
			}
			if ch {
				x, err := types.Instantiate(g.Ctx, u.Origin(), as, false)
				if err == nil {
					return x
				}
			}
		}
	}
	return t
}

// rep is the type in the emitted program.
func (l *Lowerer) rep(t types.Type) string {
	switch u := types.Unalias(t).(type) {
	case *types.Basic:
		switch u.Kind() {
		case types.UntypedBool:
			return "bool"
		case types.UntypedInt:
			return "int"
		case types.UntypedRune:
			return "int32"
		case types.UntypedFloat:
			return "float64"
		case types.UntypedComplex:
			return "complex128"
		case types.UntypedString:
			return "string"
		case types.UnsafePointer:
			return "uintptr"
		case types.Invalid, types.UntypedNil:
			panic("rep of " + u.String())
		}
		return u.Name()
	case *types.Named:
		if u.Obj().Pkg() == nil { // error, comparable
			return "error"
		}
		if !l.isCell(u) {
			if u.TypeArgs().Len() == 0 && l.HostName(u) {
				return l.alias(u.Obj().Pkg()) + "." + u.Obj().Name()
			}
			if _, ok := u.Underlying().(*types.Struct); ok {
				panic(Refused{Msg: "the host type " + u.String() + " has no name in the engine"})
			}
			return l.rep(u.Underlying())
		}
		switch un := u.Underlying().(type) {
		case *types.Struct:
			name := l.typeKey(u)
			if !l.inst["type "+name] {
				l.inst["type "+name] = true
				i := len(l.pre)
				l.pre = append(l.pre, "")
				s := "type " + name + " " + l.rep(un)
				// a type goes after those it holds by value
				l.pre = append(append(l.pre[:i:i], l.pre[i+1:]...), s)
			}
			return name
		case *types.Interface:
			return "any"
		default:
			// erased, unless it holds itself
			name := l.typeKey(u)
			if l.inst["erasing "+name] {
				l.inst["recursive "+name] = true
				return name
			}
			if l.inst["recursive "+name] {
				return name
			}
			l.inst["erasing "+name] = true
			s := l.rep(un)
			delete(l.inst, "erasing "+name)
			if l.inst["recursive "+name] {
				l.pre = append(l.pre, "type "+name+" "+s)
				return name
			}
			return s
		}
	case *types.Pointer:
		return "*" + l.rep(u.Elem())
	case *types.Slice:
		return "[]" + l.rep(u.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", u.Len(), l.rep(u.Elem()))
	case *types.Map:
		return "map[" + l.rep(u.Key()) + "]" + l.rep(u.Elem())
	case *types.Chan:
		switch u.Dir() {
		case types.SendOnly:
			return "chan<- " + l.rep(u.Elem())
		case types.RecvOnly:
			return "<-chan " + l.rep(u.Elem())
		}
		return "chan (" + l.rep(u.Elem()) + ")"
	case *types.Signature:
		return "func" + l.sig(u, nil)
	case *types.Struct:
		var b strings.Builder
		b.WriteString("struct{ ")
		for i := 0; i < u.NumFields(); i++ {
			f := u.Field(i)
			n := l.field(f, i)
			b.WriteString(n + " " + l.rep(f.Type()))
			tag := u.Tag(i)
			if !f.Exported() && tag == "" {
				tag = `json:"-"`
			}
			if tag != "" {
				b.WriteString(" " + strconv.Quote(tag))
			}
			b.WriteString("; ")
		}
		b.WriteString("}")
		return b.String()
	case *types.Interface:
		return "any"
	case *types.TypeParam:
		panic("type parameter left: " + u.String())
	}
	panic(fmt.Sprintf("rep of %T", t))
}

func (l *Lowerer) field(f *types.Var, i int) string {
	if f.Name() == "_" {
		return fmt.Sprintf("blank%d", i)
	}
	return f.Name()
}

func (l *Lowerer) sig(s *types.Signature, names []string) string {
	var b strings.Builder
	b.WriteString("(")
	for i := 0; i < s.Params().Len(); i++ {
		if i > 0 {
			b.WriteString(", ")
		}
		t := s.Params().At(i).Type()
		if names != nil {
			b.WriteString(names[i] + " ")
		}
		if s.Variadic() && i == s.Params().Len()-1 {
			if sl, ok := t.(*types.Slice); ok {
				b.WriteString("..." + l.rep(sl.Elem()))
			} else {
				b.WriteString("...byte")
			}
		} else {
			b.WriteString(l.rep(t))
		}
	}
	b.WriteString(")")
	switch n := s.Results().Len(); n {
	case 0:
	case 1:
		b.WriteString(" " + l.rep(s.Results().At(0).Type()))
	default:
		b.WriteString(" (")
		for i := 0; i < n; i++ {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(l.rep(s.Results().At(i).Type()))
		}
		b.WriteString(")")
	}
	return b.String()
}

func isIface(t types.Type) bool { return t != nil && types.IsInterface(t) }

// hostIface: an interface that is itself in the emitted program (error, io.Reader), not any.
func (l *Lowerer) hostIface(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || !types.IsInterface(n) {
		return false
	}
	return n.Obj().Pkg() == nil || !l.isCell(n)
}

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

// Drain emits everything that was asked for; it returns the declarations and the statements to run after them.
func (l *Lowerer) Drain() (pre []string, regs []string) {
	for len(l.work) > 0 {
		f := l.work[0]
		l.work = l.work[1:]
		f()
	}
	pre, regs = l.pre, l.regs
	l.pre, l.regs = nil, nil
	sort.SliceStable(pre, func(i, j int) bool { return rank(pre[i]) < rank(pre[j]) })
	return
}

func rank(s string) int {
	for i, p := range []string{"import ", "type ", "var ", "func "} {
		if strings.HasPrefix(s, p) {
			return i
		}
	}
	return 0
}

// ---- constants

func (g *gen) constant(v constant.Value, t types.Type) string {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		if types.IsInterface(t) {
			return g.constant(v, types.Default(kindType(v)))
		}
		panic(fmt.Sprintf("constant of type %v", t))
	}
	name := g.rep(t)
	switch {
	case b.Info()&types.IsBoolean != 0:
		return v.String() + "__v" // variables: a constant operand of && or || makes the engine leave the function
	case b.Info()&types.IsString != 0:
		return strconv.Quote(constant.StringVal(v))
	case b.Info()&types.IsInteger != 0:
		s := constant.ToInt(v).ExactString()
		if b.Kind() == types.Int || b.Kind() == types.UntypedInt {
			if s[0] == '-' {
				return "(" + s + ")"
			}
			return s
		}
		return name + "(" + s + ")"
	case b.Info()&types.IsFloat != 0:
		f, _ := constant.Float64Val(v)
		if math.IsInf(f, 0) {
			return name + "(" + constant.ToFloat(v).ExactString() + ")"
		}
		if b.Kind() == types.Float32 {
			f32, _ := constant.Float32Val(v)
			f = float64(f32)
		}
		s := strconv.FormatFloat(f, 'g', -1, 64)
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
		return name + "(" + s + ")"
	case b.Info()&types.IsComplex != 0:
		r, _ := constant.Float64Val(constant.Real(v))
		i, _ := constant.Float64Val(constant.Imag(v))
		return fmt.Sprintf("%s(complex(%v, %v))", name, strconv.FormatFloat(r, 'g', -1, 64), strconv.FormatFloat(i, 'g', -1, 64))
	}
	panic("constant")
}

func kindType(v constant.Value) types.Type {
	switch v.Kind() {
	case constant.Bool:
		return types.Typ[types.Bool]
	case constant.String:
		return types.Typ[types.String]
	case constant.Int:
		return types.Typ[types.Int]
	case constant.Float:
		return types.Typ[types.Float64]
	}
	return types.Typ[types.Complex128]
}

var _ = reflect.TypeOf
