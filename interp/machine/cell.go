package machine

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/gonterp/gonterp/interp/check"
	"github.com/gonterp/gonterp/interp/engine"
)

// cellFunc is the name of the function that a unit of statements is made.
const cellFunc = "cell"

// methodPrefix starts the names of functions that the checker makes of methods.
const methodPrefix = "method__"

// A unit is a unit of a cell, ready to run.
type unit struct {
	code   *code
	values []types.Type // of the last expression
}

// A compiling is the state of making one cell ready.
type compiling struct {
	m      *Machine
	cell   *check.Cell
	units  []unit
	built  []*ssa.Package
	change []func() // what takes effect when all of the cell can run
}

// Compile implements engine.Engine.
func (m *Machine) Compile(c *check.Cell) (run engine.Run, err error) {
	k := &compiling{m: m, cell: c}
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *unsupported:
			err = &engine.Refusal{Pos: c.Fset.Position(v.pos), Construct: v.construct, Instead: v.instead}
		case *limitError:
			err = &engine.Refusal{Construct: v.text}
		default:
			panic(v)
		}
	}()
	k.build()
	for _, p := range k.built {
		k.prepare(p)
	}
	m.compileLock.Lock()
	defer m.compileLock.Unlock()
	for _, f := range k.change {
		f()
	}
	return func() []engine.Value { return m.run(c.Number, k.units) }, nil
}

// build makes SSA of the cell.
func (k *compiling) build() {
	m := k.m
	m.compileLock.Lock()
	defer m.compileLock.Unlock()
	if m.prog == nil {
		m.fset = k.cell.Fset
		m.prog = ssa.NewProgram(m.fset, ssa.InstantiateGenerics|ssa.BareInits)
	}
	for _, p := range k.cell.Packages[m.packages:] {
		k.source(p)
	}
	m.packages = len(k.cell.Packages)
	for _, u := range k.cell.Units {
		u.Info.FileVersions = map[*ast.File]string{u.File: "go1.26"}
		if u.Kind == check.Statements {
			k.statements(u)
		} else {
			k.declarations(u)
		}
	}
}

// source builds a package that is Go source, or the part of a host package that is.
func (k *compiling) source(p *check.Package) {
	p.Info.FileVersions = map[*ast.File]string{p.File: "go1.26"}
	k.m.know(p.Info)
	k.m.sources[p.Pkg] = true
	file := p.File
	if p.Host {
		f := *p.File
		f.Decls = append(hostDecls(p.Pkg, p.Info), f.Decls...)
		file = &f
		p.Info.FileVersions[file] = "go1.26"
	}
	s := k.m.prog.CreatePackage(p.Pkg, []*ast.File{file}, p.Info, true)
	s.Build()
	if init := s.Func("init"); len(init.Blocks) > 1 || len(init.Blocks[0].Instrs) > 1 { // it has variables with values
		k.units = append(k.units, unit{code: k.m.code(init)})
	}
}

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

// declarations builds a unit of functions, methods and types.
func (k *compiling) declarations(u *check.Unit) {
	m := k.m
	m.know(u.Info)
	k.restoreMethods(u)
	p := m.prog.CreatePackage(u.Pkg, []*ast.File{u.File}, u.Info, false)
	p.Build()
	k.built = append(k.built, p)
	for _, d := range u.Decls {
		f, isFunc := d.New.(*types.Func)
		old, wasFunc := d.Old.(*types.Func)
		if isFunc && wasFunc && types.Identical(f.Type(), old.Type()) && f.Signature().TypeParams() == nil {
			k.replace(m.prog.FuncValue(old), m.prog.FuncValue(f))
		}
	}
	for _, d := range u.Methods {
		if !d.IsNew {
			k.replace(m.prog.FuncValue(d.Func), m.prog.FuncValue(u.Info.Defs[d.Decl.Name].(*types.Func)))
		}
	}
}

// replace makes callers of a function call the one that a later cell declares.
func (k *compiling) replace(old, new *ssa.Function) {
	if old == nil || new == nil || old.Blocks == nil {
		return
	}
	k.change = append(k.change, func() {
		c := k.m.code(old).newest()
		if n := k.m.code(new); n != c {
			c.next = n
		}
	})
}

// restoreMethods makes methods again of functions that the checker made of new methods of earlier types.
func (k *compiling) restoreMethods(u *check.Unit) {
	m := k.m
	added := map[*types.Named]bool{}
	for _, d := range u.Methods {
		if !d.IsNew {
			continue
		}
		added[d.Recv] = true
		params := d.Decl.Type.Params.List
		name := *d.Decl.Name
		name.Name = d.Func.Name()
		u.Info.Defs[&name] = d.Func
		fd := &ast.FuncDecl{
			Recv: &ast.FieldList{List: params[:1]}, Name: &name, Body: d.Decl.Body,
			Type: &ast.FuncType{Func: d.Decl.Type.Func, Params: &ast.FieldList{List: params[1:]}, Results: d.Decl.Type.Results},
		}
		if d.Func.Pkg() != u.Pkg { // left over from a cell that failed
			f := &ast.File{Name: u.File.Name, Decls: []ast.Decl{fd}, FileStart: u.File.FileStart}
			u.Info.FileVersions[f] = "go1.26"
			m.prog.CreatePackage(d.Func.Pkg(), []*ast.File{f}, u.Info, false).Build()
			continue
		}
		for i, old := range u.File.Decls {
			if old == d.Decl {
				u.File.Decls[i] = fd
			}
		}
	}
	if len(added) == 0 {
		return
	}
	m.forgetMethodSets()
	k.change = append(k.change, func() {
		for n := range added {
			if m.forger.renew(n) {
				m.renewed.Store(true)
				m.forgetCode()
			}
		}
	})
}

// forgetCode makes all code be made again at its next call.
func (m *Machine) forgetCode() {
	for fn, c := range m.codes {
		if c.next == nil && c.ready.Load() {
			n := &code{m: m, fn: fn, wrapper: c.wrapper, visible: c.visible}
			m.codes[fn], c.next = n, n
		}
	}
}

// forgetMethodSets drops remembered method sets, which a cell has added to.
func (m *Machine) forgetMethodSets() {
	p := &m.prog.MethodSets
	*p = typeutil.MethodSetCache{}
}

// statements builds a unit of statements: a function whose top-level variables
// are globals, and whose last expression is returned.
func (k *compiling) statements(u *check.Unit) {
	m := k.m
	fd := u.File.Decls[0].(*ast.FuncDecl)
	globals := map[types.Object]*types.Var{}
	for _, v := range u.Vars {
		globals[v.Local] = v.Global
		if old, ok := v.Old.(*types.Var); ok && types.Identical(old.Type(), v.Global.Type()) {
			if p, ok := m.globals[old]; ok {
				m.globals[v.Global] = p
			}
		}
	}
	for _, v := range u.Vars {
		if p := v.Global.Pkg(); m.prog.Package(p) == nil {
			m.prog.CreatePackage(p, nil, nil, false)
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
	x := unit{code: m.code(p.Func(cellFunc))}
	x.code.visible = true
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

// prepare makes all code of a package ready, so that what cannot run is refused now.
func (k *compiling) prepare(p *ssa.Package) {
	var all func(fn *ssa.Function)
	all = func(fn *ssa.Function) {
		if fn == nil || fn.Signature.TypeParams() != nil || fn.Signature.RecvTypeParams() != nil {
			return
		}
		if fn.Blocks == nil {
			if fn.Syntax() != nil && fn.Synthetic == "" {
				panic(&unsupported{fn.Pos(), "the function " + fn.Name() + " without a body", "write its body"})
			}
			return
		}
		k.m.compileLock.Lock()
		c := k.m.code(fn)
		k.m.compileLock.Unlock()
		if c.ready.Load() {
			return
		}
		c.prepare()
		for _, a := range fn.AnonFuncs {
			all(a)
		}
		for _, i := range instances(fn) {
			all(i)
		}
	}
	for name, mem := range p.Members {
		switch x := mem.(type) {
		case *ssa.Function:
			if name != "init" {
				all(x)
			}
		case *ssa.Type:
			if n, ok := x.Type().(*types.Named); ok && n.TypeParams() == nil && n.Obj().Pkg() == p.Pkg {
				for f := range n.Methods() {
					all(k.m.prog.FuncValue(f))
				}
			}
		}
	}
}

// instances are the instances of generic functions that a function calls.
func instances(fn *ssa.Function) (out []*ssa.Function) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if c, ok := in.(ssa.CallInstruction); ok {
				if g := c.Common().StaticCallee(); g != nil && g.Origin() != nil {
					out = append(out, g)
				}
			}
		}
	}
	return out
}

// run executes the units of a cell on the calling goroutine.
func (m *Machine) run(cell int, units []unit) (out []engine.Value) {
	r := &run{cell: cell, done: make(chan struct{})}
	t := &thread{m: m, run: r, main: true}
	g := goroutine()
	threads.Store(g, t)
	m.running.Store(r)
	defer func() {
		threads.Delete(g)
		m.running.CompareAndSwap(r, nil)
		for _, c := range m.pooled {
			c.free, c.pooled = nil, false
		}
		m.pooled = nil
		m.forgetCell(units)
		if v := recover(); v != nil {
			p := t.caught(v)
			m.faults.Lock()
			m.last = p
			m.faults.Unlock()
			panic(v)
		}
	}()
	return t.units(units)
}

// forgetCell lets go of what only a cell that is over needed. Where it has func
// literals they may be about, and may have to be made again.
func (m *Machine) forgetCell(units []unit) {
	m.compileLock.Lock()
	defer m.compileLock.Unlock()
	for _, u := range units {
		if fn := u.code.fn; len(fn.AnonFuncs) == 0 {
			delete(m.codes, fn)
			fn.Blocks, fn.Locals, fn.Params = nil, nil, nil
		}
	}
}

// units runs a cell's units one after the other, as if they were one function:
// what they defer runs at the end, and may recover what any of them panics with.
func (t *thread) units(units []unit) (out []engine.Value) {
	x := new(extra)
	var f *frame
	p := t.protect(nil, func() {
		for i, u := range units {
			u.code = u.code.newest()
			f = t.push(u.code, nil)
			f.x = x
			u.code.run(f, u.code.entry)
			if i == len(units)-1 {
				out = u.result(f)
			}
			t.pop(f)
		}
	})
	for len(x.defers) > 0 {
		if p != nil {
			out = nil
			if p = f.unwind(p); !p.recovered {
				break
			}
		}
		p = f.protect(f.runDefers)
	}
	if p == nil && t.toodeep {
		panic(stackOverflow)
	}
	if p != nil && !p.recovered {
		t.flying = p
		panic(p.value)
	}
	return out
}

// result are the values of a unit's last expression.
func (u unit) result(f *frame) (out []engine.Value) {
	for i, s := range u.code.results {
		v := reflect.New(typeOf(s.typ)).Elem()
		v.Set(s.value(f))
		out = append(out, engine.Value{V: v.Interface(), Type: u.values[i]})
	}
	return out
}
