package machine

import (
	"go/ast"
	"go/types"

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
	callee *callee
	values []types.Type // of the last expression
}

// A compiling is the state of making one cell ready.
type compiling struct {
	m     *Machine
	cell  *check.Cell
	units []unit
	built []*ssa.Package
	// What takes effect when all of the cell can run.
	change []func()
	forget bool                    // all code is to be made again
	fresh  map[*ssa.Function]*code // of functions that take the place of others
}

// Compile implements engine.Engine.
func (m *Machine) Compile(c *check.Cell) (run engine.Run, err error) {
	k := &compiling{m: m, cell: c, fresh: map[*ssa.Function]*code{}}
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
	if k.forget {
		m.renewed.Store(true)
		m.forgetCode()
	}
	m.sweep(c)
	return func() []engine.Value { return m.run(k.units) }, nil
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
		k.units = append(k.units, unit{callee: k.m.callee(init)})
	}
}

// declarations builds a unit of functions, methods and types.
func (k *compiling) declarations(u *check.Unit) {
	m := k.m
	m.know(u.Info)
	k.restoreMethods(u)
	p := m.prog.CreatePackage(u.Pkg, []*ast.File{u.File}, u.Info, false)
	p.Build()
	m.declared(u)
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
	m := k.m
	if old == nil || new == nil || m.known(old) == nil && old.Blocks == nil {
		return
	}
	c := m.callee(old)
	n := m.newCode(new, c)
	m.module(home(new)).callees[new] = c
	k.fresh[new] = n
	k.change = append(k.change, func() {
		if was := c.now.Load(); was != n && was.ready.Load() { // what still runs needs it no more
			was.fn.Blocks, was.fn.Locals, was.fn.Params = nil, nil, nil
		}
		c.now.Store(n)
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
			m.module(d.Func.Pkg()).lasting = true
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
				k.forget = true
			}
		}
	})
}

// forgetMethodSets drops remembered method sets, which a cell has added to.
func (m *Machine) forgetMethodSets() {
	p := &m.prog.MethodSets
	*p = typeutil.MethodSetCache{}
}

// prepare makes all code of a package ready, so that what cannot run is refused now.
func (k *compiling) prepare(p *ssa.Package) {
	var all func(fn *ssa.Function, c *code)
	all = func(fn *ssa.Function, c *code) {
		if c.ready.Load() {
			return
		}
		c.prepare()
		for f, g := range c.callees { // an instance's package may be forgotten before the instance is called
			if f.Parent() != nil || f.Origin() != nil {
				all(f, g.now.Load())
			}
		}
	}
	top := func(fn *ssa.Function) {
		if fn == nil || fn.Blocks == nil || fn.Signature.TypeParams() != nil || fn.Signature.RecvTypeParams() != nil {
			return
		}
		c := k.fresh[fn]
		if c == nil {
			k.m.compileLock.Lock()
			c = k.m.callee(fn).now.Load()
			k.m.compileLock.Unlock()
		}
		all(fn, c)
	}
	for name, mem := range p.Members {
		switch x := mem.(type) {
		case *ssa.Function:
			if name != "init" {
				top(x)
			}
		case *ssa.Type:
			if n, ok := x.Type().(*types.Named); ok && n.TypeParams() == nil && n.Obj().Pkg() == p.Pkg {
				for f := range n.Methods() {
					top(k.m.prog.FuncValue(f))
				}
			}
		}
	}
}
