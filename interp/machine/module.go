package machine

import (
	"go/token"
	"go/types"
	"reflect"
	"strings"
	"sync/atomic"
	"unsafe"
	"weak"

	"golang.org/x/tools/go/ssa"

	"github.com/gonterp/gonterp/interp/check"
)

// A session may last for many thousands of cells, so what a cell leaves is what can
// still be reached. A function is held by what calls it and by its name; what it
// refers to itself it holds (code.callees, code.globals), not by way of the packages
// that it came from. So the machine and go/ssa need a unit's package only while names
// of it are visible, its types are about, or generic code may come to it again.

// A callee is what callers of a function hold of it, so that a function that a later
// cell declares in its place gets their calls.
type callee struct {
	now   atomic.Pointer[code]
	value unsafe.Pointer // the function as a value, once that is needed
}

// A module is what the machine keeps of a package.
type module struct {
	callees map[*ssa.Function]*callee
	globals map[*types.Var]unsafe.Pointer
	file    *token.File      // of a cell's package
	lasting bool             // it has types, whose descriptors the runtime keeps, or is no cell's
	uses    []*types.Package // what its generic code refers to
}

// module is that of a package; nil is the package of what go/ssa makes for all.
func (m *Machine) module(p *types.Package) *module {
	x := m.modules[p]
	if x == nil {
		x = &module{callees: map[*ssa.Function]*callee{}, globals: map[*types.Var]unsafe.Pointer{}, lasting: p == nil || !m.isCell(p)}
		m.modules[p] = x
	}
	return x
}

// home is the package that a function, or what it is an instance or a part of, is declared in.
func home(fn *ssa.Function) *types.Package {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if fn.Pkg == nil {
		return nil
	}
	return fn.Pkg.Pkg
}

// callee is that of a function with a body.
func (m *Machine) callee(fn *ssa.Function) *callee {
	x := m.module(home(fn))
	c := x.callees[fn]
	if c == nil {
		c = &callee{}
		c.now.Store(m.newCode(fn, c))
		x.callees[fn] = c
	}
	return c
}

// known is a function's callee, nil if it has none yet.
func (m *Machine) known(fn *ssa.Function) *callee {
	if x := m.modules[home(fn)]; x != nil {
		return x.callees[fn]
	}
	return nil
}

// callee is that of a function that the compiler's own refers to.
func (k *compiler) callee(fn *ssa.Function) *callee {
	c := k.c.callees[fn]
	if c != nil {
		return c
	}
	switch {
	case fn.Parent() != nil:
		c = &callee{}
		c.now.Store(k.m.newCode(fn, c))
		c.now.Load().file = k.c.file
	case isForOne(fn):
		c = &callee{}
		c.now.Store(k.m.newCode(fn, c))
	default:
		c = k.m.callee(fn)
	}
	if k.c.callees == nil {
		k.c.callees = map[*ssa.Function]*callee{}
	}
	k.c.callees[fn] = c
	return c
}

// isHost reports whether a function is compiled code's.
func (k *compiler) isHost(fn *ssa.Function) bool {
	return fn.Blocks == nil && k.c.callees[fn] == nil && k.m.known(fn) == nil
}

// isForOne tells whether go/ssa made a function for one expression.
func isForOne(fn *ssa.Function) bool {
	return strings.HasPrefix(fn.Synthetic, "bound") || strings.HasPrefix(fn.Synthetic, "thunk")
}

func (m *Machine) newCode(fn *ssa.Function, c *callee) *code {
	n := &code{m: m, fn: fn, callee: c, wrapper: isWrapper(fn)}
	if n.file = m.fset.File(fn.Pos()); n.file == nil { // a generic function of an earlier cell
		n.file = m.module(home(fn)).file
	}
	m.codes = append(m.codes, weak.Make(n))
	return n
}

// forgetCode makes all code be made again at its next call.
func (m *Machine) forgetCode() {
	for _, w := range m.codes {
		if c := w.Value(); c != nil && c.callee.now.Load() == c && c.ready.Load() {
			n := m.newCode(c.fn, c.callee)
			n.visible, n.file, n.callees, n.globals = c.visible, c.file, c.callees, c.globals
			c.callee.now.Store(n)
		}
	}
}

// global is where a package-level variable lies.
func (k *compiler) global(g *ssa.Global) unsafe.Pointer {
	if p, ok := k.c.globals[g]; ok {
		return p
	}
	p := k.m.global(g)
	if k.c.globals == nil {
		k.c.globals = map[*ssa.Global]unsafe.Pointer{}
	}
	k.c.globals[g] = p
	return p
}

func (m *Machine) global(g *ssa.Global) unsafe.Pointer {
	v, _ := g.Object().(*types.Var)
	if v == nil {
		panic("machine: no variable behind " + g.String())
	}
	x := m.module(v.Pkg())
	if p, ok := x.globals[v]; ok {
		return p
	}
	if m.isCell(v.Pkg()) && m.prog.Package(v.Pkg()) == nil {
		panic("machine: forgotten too early: " + g.String())
	}
	var p unsafe.Pointer
	if s, ok := m.host.Importer.Symbols(v.Pkg().Path())[v.Name()]; ok && !m.isCell(v.Pkg()) && s.CanAddr() {
		p = s.Addr().UnsafePointer()
	} else {
		p = newObject(m.forger.descriptor(v.Type()))
	}
	x.globals[v] = p
	return p
}

// declared records how long the package of a unit of declarations is needed.
func (m *Machine) declared(u *check.Unit) {
	x := m.module(u.Pkg)
	x.file = m.fset.File(u.File.FileStart)
	generic := false
	for _, d := range u.Decls {
		switch o := d.New.(type) {
		case *types.TypeName:
			x.lasting = true
			if n, ok := o.Type().(*types.Named); ok && n.TypeParams() != nil {
				generic = true
			}
		case *types.Func:
			generic = generic || o.Signature().TypeParams() != nil
		}
	}
	for _, d := range u.Methods {
		x.lasting = x.lasting || d.IsNew
	}
	if !generic {
		return
	}
	seen := map[*types.Package]bool{u.Pkg: true}
	use := func(o types.Object) {
		if p := o.Pkg(); p != nil && m.isCell(p) && !seen[p] {
			seen[p] = true
			x.uses = append(x.uses, p)
		}
	}
	for _, o := range u.Info.Uses {
		use(o)
	}
	for _, s := range u.Info.Selections {
		use(s.Obj())
	}
}

// sweep forgets the packages that are needed no more, now and then.
func (m *Machine) sweep(c *check.Cell) {
	if len(m.modules) < m.swept*2+sweepAt {
		return
	}
	needed, files := map[*types.Package]bool{}, map[*token.File]bool{}
	var need func(*types.Package)
	need = func(p *types.Package) {
		x := m.modules[p]
		if x == nil || needed[p] {
			return
		}
		needed[p], files[x.file] = true, true
		for _, u := range x.uses {
			need(u)
		}
	}
	for p, x := range m.modules {
		if x.lasting {
			need(p)
		}
	}
	for _, o := range c.Visible() {
		need(o.Pkg())
	}
	packages := ssaMap[map[*types.Package]*ssa.Package](m.prog, "packages")
	for p, x := range m.modules {
		if needed[p] {
			continue
		}
		delete(m.modules, p)
		delete(packages, p)
		if x.file != nil && !files[x.file] {
			m.fset.RemoveFile(x.file)
		}
	}
	m.swept = len(m.modules)
	live := m.codes[:0]
	for _, w := range m.codes {
		if w.Value() != nil {
			live = append(live, w)
		}
	}
	clear(m.codes[len(live):])
	m.codes = live
	m.forgetMethodSets()
}

// sweepAt is how many packages come together before they are swept.
const sweepAt = 64

// ssaMap is a map of a program that go/ssa only adds to, nil if it has no such map.
func ssaMap[M any](p *ssa.Program, name string) (m M) {
	v := reflect.ValueOf(p).Elem().FieldByName(name)
	if v.IsValid() && v.Type() == reflect.TypeFor[M]() {
		m = *(*M)(v.Addr().UnsafePointer())
	}
	return m
}
