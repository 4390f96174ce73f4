package yaegi

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"strings"
)

// Cell lowers the parts of one cell; top-level variables live in the package.
type Cell struct {
	l   *Lowerer
	g   *gen
	out strings.Builder
}

// Cell begins a cell.
func (l *Lowerer) Cell(name string) *Cell {
	c := &Cell{l: l}
	c.g = &gen{Lowerer: l, out: &c.out, local: map[types.Object]string{}, tmp: new(int), flags: map[string]string{}, fn: &fnCtx{top: true}, u: &Unit{Cell: name}}
	return c
}

// Var places v: in the old variable's storage if the type is the same. later is the object that later cells see.
func (c *Cell) Var(v, later, old types.Object) {
	if n, ok := c.l.names[old]; ok && old != nil && types.Identical(old.Type(), v.Type()) {
		if _, isVar := old.(*types.Var); isVar {
			c.l.names[v], c.l.names[later] = n, n
			return
		}
	}
	n := c.l.fresh(v.Name())
	c.l.names[v], c.l.names[later] = n, n
	c.l.pre = append(c.l.pre, "var "+n+" "+c.l.rep(v.Type()))
}

// Stmts lowers top-level statements; the value of a last expression is reported.
func (c *Cell) Stmts(u *Unit, list []ast.Stmt, last bool) {
	c.g.u = u
	for i, s := range list {
		if es, ok := s.(*ast.ExprStmt); ok && last && i == len(list)-1 {
			c.result(es)
			continue
		}
		c.g.stmt(s, "")
	}
}

func (c *Cell) result(s *ast.ExprStmt) {
	g := c.g
	g.mark(s)
	g.pos(s)
	anyT := types.Universe.Lookup("any").Type()
	t := g.typ(s.X)
	tu, multi := t.(*types.Tuple)
	switch {
	case g.u.Info.Types[s.X].IsVoid() || multi && tu.Len() == 0:
		g.p("%s", g.expr(s.X))
	case multi:
		var ts, vs []string
		for i := 0; i < tu.Len(); i++ {
			x := g.temp("t")
			ts, vs = append(ts, x), append(vs, g.convS(x, tu.At(i).Type(), anyT))
		}
		g.p("%s := %s", strings.Join(ts, ", "), g.expr(s.X))
		g.p("rt.Result(%s)", strings.Join(vs, ", "))
	default:
		g.p("rt.Result(%s)", g.conv(s.X, anyT))
	}
}

// Func makes a declared function now, so that its errors come now; generic ones wait for their use.
func (c *Cell) Func(o types.Object, d *ast.FuncDecl) {
	f, ok := o.(*types.Func)
	if !ok || d.Body == nil {
		return
	}
	sig := f.Type().(*types.Signature)
	if sig.TypeParams().Len() > 0 || sig.RecvTypeParams().Len() > 0 {
		return
	}
	var n *types.Named
	if r := sig.Recv(); r != nil {
		n = namedOf(r.Type())
	} else if c.l.Units[f] != nil && strings.HasPrefix(f.Name(), "method__") {
		return // a method of an earlier type
	}
	c.l.fnInst(f, n, nil)
}

// namedOf is the named type that a receiver is of, or points to.
func namedOf(t types.Type) *types.Named {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, _ := types.Unalias(t).(*types.Named)
	return n
}

// Replace makes the callers of old call f, if the signature is the same.
func (c *Cell) Replace(old, f *types.Func) {
	if !types.Identical(old.Type(), f.Type()) {
		return
	}
	if f.Type().(*types.Signature).TypeParams().Len() > 0 {
		c.l.Units[old] = c.l.Units[f] // instances not yet made
		return
	}
	for o, n := range maps.Clone(c.l.names) {
		of, ok := o.(*types.Func)
		if !ok || !c.l.inst[n] || c.l.family(of) != c.l.family(old) {
			continue
		}
		c.l.regs = append(c.l.regs, fmt.Sprintf("%s_hook = %s", n, c.l.fnInst(f, nil, nil)))
	}
	c.l.fam[f] = c.l.family(old)
}

func (l *Lowerer) family(f *types.Func) *types.Func {
	if x := l.fam[f]; x != nil {
		return x
	}
	return f
}

// Method adds a method to a type of an earlier cell, or replaces one.
func (c *Cell) Method(n *types.Named, m *types.Func, u *Unit, isNew bool) {
	l := c.l
	l.Units[m] = u
	if isNew {
		if k := l.typeKey(n); l.boxed[k] != nil {
			l.regMethod(n, m)
		} else {
			l.fnInst(m, n, nil)
		}
		return
	}
	old, ok := l.names[m]
	if !ok {
		return
	}
	delete(l.names, m)
	nu := l.fnInst(m, n, nil)
	for _, o := range append(l.versions[m], old) {
		l.regs = append(l.regs, fmt.Sprintf("%s_hook = %s", o, nu))
	}
	l.versions[m] = append(l.versions[m], old)
}

// Body is the code of the cell's statements.
func (c *Cell) Body() string {
	if d := c.g.fn.defers; d != "" {
		return d + " := rt.Defers()\nrt.Run(" + d + ", func() {\n" + c.out.String() + "})"
	}
	return c.out.String()
}

// A Mark is what a Lowerer knew before a cell, so that Rollback can undo what a cell
// that does not run has made.
type Mark struct {
	inst  map[string]bool
	as    map[int]bool
	to    map[int]bool
	boxed map[string]*types.Named
	names map[types.Object]string
}

// Mark notes what is known now.
func (l *Lowerer) Mark() Mark {
	return Mark{maps.Clone(l.inst), maps.Clone(l.asFn), maps.Clone(l.toFn), maps.Clone(l.boxed), maps.Clone(l.names)}
}

// Rollback forgets what came after m.
func (l *Lowerer) Rollback(m Mark) {
	l.inst, l.asFn, l.toFn, l.boxed, l.names = m.inst, m.as, m.to, m.boxed, m.names
	l.pre, l.regs, l.work = nil, nil, nil
}
