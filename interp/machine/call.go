package machine

import (
	"go/types"
	"reflect"
	"sync/atomic"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// A closure is what a func value of a cell points to. Its first word makes it
// callable by compiled code, through native; cell code calls code directly.
type closure struct {
	pc     uintptr
	native unsafe.Pointer // a Go closure of the same signature
	callee *callee
	binds  []unsafe.Pointer // the free variables' values: pointers themselves, else what they point to
}

// closureOf is the cell closure behind a func value, nil if compiled code made the value.
func closureOf(fn unsafe.Pointer) *closure {
	if *(*uintptr)(fn) == funcAddr {
		return (*closure)(fn)
	}
	return nil
}

// funcValue is a function as a value.
func (k *compiler) funcValue(fn *ssa.Function) unsafe.Pointer {
	if k.isHost(fn) {
		return k.m.hostFunc(fn)
	}
	c := k.callee(fn)
	if c.value == nil {
		cl := &closure{pc: funcAddr, callee: c}
		cl.native = c.now.Load().nativeMaker()(cl)
		c.value = unsafe.Pointer(cl)
	}
	return c.value
}

func (k *compiler) makeClosure(x *ssa.MakeClosure) op {
	d := k.off(x)
	c := k.callee(x.Fn.(*ssa.Function))
	var from []*slot
	for _, b := range x.Bindings {
		from = append(from, k.slot(b))
	}
	native := c.now.Load().nativeMaker()
	return func(f *frame) {
		cl := &closure{pc: funcAddr, callee: c, binds: make([]unsafe.Pointer, len(from))}
		for i, s := range from {
			p := f.ptr(s.off)
			if s.class == classPointer {
				cl.binds[i] = *(*unsafe.Pointer)(p)
				continue
			}
			cl.binds[i] = newObject(s.typ)
			s.copyValue(cl.binds[i], p)
		}
		cl.native = native(cl)
		*at[*closure](f, d) = cl
	}
}

// bind sets the free variables of a frame.
func (cl *closure) bind(f *frame) {
	if len(cl.binds) == 0 {
		return
	}
	ps := f.code.params[len(f.code.params)-len(cl.binds):]
	for i, s := range ps {
		if s.class == classPointer {
			*at[unsafe.Pointer](f, s.off) = cl.binds[i]
			continue
		}
		s.copyValue(f.ptr(s.off), cl.binds[i])
	}
}

// call makes the op of a call; results are where its results go.
func (k *compiler) call(cc *ssa.CallCommon, results []*slot) op {
	args := make([]*slot, len(cc.Args))
	for i, a := range cc.Args {
		args[i] = k.slot(a)
	}
	if cc.IsInvoke() {
		return k.invoke(cc, args, results)
	}
	if b, ok := cc.Value.(*ssa.Builtin); ok {
		return k.builtin(b, cc, args, results)
	}
	if fn, ok := cc.Value.(*ssa.Function); ok {
		if k.isHost(fn) {
			return k.callHost(fn, args, results)
		}
		return k.callCode(k.callee(fn), args, results)
	}
	v := k.off(cc.Value)
	host := hostCall(k.m.forger.reflectType(cc.Signature()), args, results)
	return func(f *frame) {
		fn := *at[unsafe.Pointer](f, v)
		if fn == nil {
			nilDereference()
		}
		cl := closureOf(fn)
		if cl == nil {
			host(f, fn)
			return
		}
		c := cl.callee.now.Load()
		n := f.th.push(c, f)
		for i, s := range args {
			s.copyValue(n.ptr(c.params[i].off), f.ptr(s.off))
		}
		cl.bind(n)
		c.exec(n)
		for i, s := range results {
			s.copyValue(f.ptr(s.off), n.ptr(c.results[i].off))
		}
		f.th.pop(n)
	}
}

// callCode calls a function of the cells that is known beforehand.
func (k *compiler) callCode(to *callee, args, results []*slot) op {
	if len(args) == 1 && args[0].class == classWord && len(results) == 1 && results[0].class == classWord {
		a, d := args[0].off, results[0].off
		return func(f *frame) {
			c := to.now.Load()
			n := f.th.push(c, f)
			*at[uint64](n, c.params[0].off) = *at[uint64](f, a)
			if c.guarded {
				c.runGuarded(n)
			} else {
				c.run(n, c.entry)
			}
			*at[uint64](f, d) = *at[uint64](n, c.results[0].off)
			f.th.pop(n)
		}
	}
	return func(f *frame) {
		c := to.now.Load()
		n := f.th.push(c, f)
		for i, s := range args {
			s.copyValue(n.ptr(c.params[i].off), f.ptr(s.off))
		}
		if c.guarded {
			c.runGuarded(n)
		} else {
			c.run(n, c.entry)
		}
		for i, s := range results {
			s.copyValue(f.ptr(s.off), n.ptr(c.results[i].off))
		}
		f.th.pop(n)
	}
}

// invoke calls a method of an interface value. The code that the last dynamic
// type has for it is remembered at the call. A method of a compiled type is
// called through the method table, whose entry serves as a func value: it is a
// pointer to a code address.
func (k *compiler) invoke(cc *ssa.CallCommon, args, results []*slot) op {
	m, v := k.m, k.off(cc.Value)
	name := cc.Method
	recv := k.receivers[cc]
	entry := methodIndex(cc.Value.Type().Underlying().(*types.Interface), name)
	ft := k.m.forger.funcType([]reflect.Type{reflect.TypeFor[unsafe.Pointer]()}, cc.Method.Type().(*types.Signature))
	host := hostCall(ft, append([]*slot{recv}, args...), results)
	type target struct {
		typ    *rtype
		callee *callee // nil for compiled types
	}
	var last atomic.Pointer[target]
	return func(f *frame) {
		i := *at[iface](f, v)
		if i.tab == nil {
			nilDereference()
		}
		t := (*itab)(i.tab).typ
		g := last.Load()
		if g == nil || g.typ != t {
			g = &target{t, m.methodOf(t, name)}
			last.Store(g)
		}
		if g.callee == nil {
			*at[unsafe.Pointer](f, recv.off) = i.data
			host(f, unsafe.Add(i.tab, entry))
			return
		}
		c := g.callee.now.Load()
		n := f.th.push(c, f)
		p := c.params[0]
		if t.flag&flagDirect != 0 {
			*at[unsafe.Pointer](n, p.off) = i.data
		} else {
			p.copyValue(n.ptr(p.off), i.data)
		}
		for j, s := range args {
			s.copyValue(n.ptr(c.params[j+1].off), f.ptr(s.off))
		}
		if c.guarded {
			c.runGuarded(n)
		} else {
			c.run(n, c.entry)
		}
		for j, s := range results {
			s.copyValue(f.ptr(s.off), n.ptr(c.results[j].off))
		}
		f.th.pop(n)
	}
}

// methodIndex is where in a method table the entry of a method is.
func methodIndex(t *types.Interface, m *types.Func) uintptr {
	for i, o := range sortedMethods(t) {
		if o.Name() == m.Name() {
			return itabEntries + uintptr(i)*unsafe.Sizeof(uintptr(0))
		}
	}
	panic("machine: no method " + m.Name())
}

// methodOf is a cell type's method, nil for a compiled type.
func (m *Machine) methodOf(t *rtype, name *types.Func) *callee {
	m.forger.mu.Lock()
	ct, cell := m.forger.cells[t]
	m.forger.mu.Unlock()
	if !cell {
		return nil
	}
	m.compileLock.Lock()
	defer m.compileLock.Unlock()
	set := m.prog.MethodSets.MethodSet(ct)
	sel := set.Lookup(name.Pkg(), name.Name())
	if sel == nil { // an unexported method of another cell's type
		sel = methodNamed(set, name.Name())
	}
	return m.callee(m.prog.MethodValue(sel))
}

func methodNamed(s *types.MethodSet, name string) *types.Selection {
	for i := range s.Len() {
		if s.At(i).Obj().Name() == name {
			return s.At(i)
		}
	}
	return nil
}

// enter runs f on the calling goroutine's thread: a new one where compiled code
// calls a cell's function on a goroutine that no cell started.
func (m *Machine) enter(f func(*thread)) {
	if t := current(); t != nil {
		cur, depth := t.cur, t.depth
		if stackUsed() > maxStack {
			t.overflow()
		}
		f(t)
		if t.toodeep { // fmt, for one, recovers from any panic of a String method
			panic(stackOverflow)
		}
		t.cur, t.depth = cur, depth
		return
	}
	r := m.running.Load()
	if r == nil {
		r = &run{done: make(chan struct{})}
	}
	t := &thread{m: m, run: r}
	g := goroutine()
	threads.Store(g, t)
	m.alive.Add(1)
	r.alive.Add(1)
	defer r.alive.Add(-1)
	defer func() {
		threads.Delete(g)
		m.alive.Add(-1)
		if v := recover(); v != nil {
			m.strayPanic(t, v)
		}
	}()
	f(t)
}

// callReflect calls a function for compiled code, with its free variables from cl.
func (m *Machine) callReflect(to *callee, cl *closure, args []reflect.Value) (out []reflect.Value) {
	c := to.now.Load()
	if !c.ready.Load() {
		c.prepare()
	}
	m.enter(func(t *thread) {
		n := t.push(c, t.cur)
		for i, a := range args {
			c.params[i].value(n).Set(a)
		}
		if cl != nil {
			cl.bind(n)
		}
		c.exec(n)
		for _, s := range c.results {
			v := reflect.New(typeOf(s.typ)).Elem()
			v.Set(s.value(n))
			out = append(out, v)
		}
		t.pop(n)
	})
	if out == nil { // nothing, or a panic that has ended in enter
		for v := range c.fn.Signature.Results().Variables() {
			out = append(out, reflect.Zero(m.forger.reflectType(v.Type())))
		}
	}
	return out
}
