package machine

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// An op is one instruction, made a closure.
type op func(*frame)

// A term is how a block ends: it gives the block to go on with, nil for a return.
type term func(*frame) *block

type block struct {
	ops  []op
	term term
	base int // index of the first instruction in code.pos
}

// A code is a function that can run. It is made ready at its first call.
type code struct {
	m       *Machine
	fn      *ssa.Function
	file    *token.File // that its positions are in
	callee  *callee
	ready   atomic.Bool
	mu      sync.Mutex
	wrapper bool // made by go/ssa around a method: recover looks through it
	visible bool // a synthetic function that stands for a cell
	// What it refers to, for making it again when the machine knows that no more.
	callees map[*ssa.Function]*callee
	globals map[*ssa.Global]unsafe.Pointer

	frameType *rtype
	template  unsafe.Pointer // a frame with the constants in place
	params    []*slot        // parameters, then free variables
	results   []*slot
	entry     *block
	recover   *block
	guarded   bool
	pos       []token.Pos

	free   *frame
	pooled bool
}

// run executes blocks from b on.
func (c *code) run(f *frame, b *block) {
	for b != nil {
		pc := b.base
		for _, o := range b.ops {
			f.pc = pc
			o(f)
			pc++
		}
		f.pc = pc
		b = b.term(f)
	}
}

// exec runs a frame whose parameters are set.
func (c *code) exec(f *frame) {
	if c.guarded {
		c.runGuarded(f)
		return
	}
	c.run(f, c.entry)
}

// compiler makes the code of one function.
type compiler struct {
	m      *Machine
	c      *code
	layout layout
	slots  map[ssa.Value]*slot
	tuples map[ssa.Value][]*slot
	consts []constSlot
	known  map[constKey]*slot
	temps  map[*ssa.Phi]*slot
	blocks []*block
	fused  map[ssa.Value]bool // values that the instruction that uses them computes
	// receivers are the slots for the data words of interfaces whose methods are called.
	receivers map[*ssa.CallCommon]*slot
	// shared says that other functions may defer calls for this one.
	shared bool
}

type constSlot struct {
	slot *slot
	set  func(unsafe.Pointer)
}

type constKey struct {
	typ *rtype
	val string
}

// prepare makes c ready to run.
func (c *code) prepare() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ready.Load() {
		return
	}
	c.m.compileLock.Lock()
	defer c.m.compileLock.Unlock()
	k := &compiler{m: c.m, c: c, slots: map[ssa.Value]*slot{}, tuples: map[ssa.Value][]*slot{}, known: map[constKey]*slot{}, temps: map[*ssa.Phi]*slot{}, fused: map[ssa.Value]bool{}, receivers: map[*ssa.CallCommon]*slot{}}
	k.assign()
	c.frameType = k.layout.done()
	c.template = newObject(c.frameType)
	(*frame)(c.template).code = c
	for _, s := range k.consts {
		s.set(unsafe.Add(c.template, s.slot.off))
	}
	k.emit()
	c.ready.Store(true)
}

// assign gives each value of the function a slot.
func (k *compiler) assign() {
	fn := k.c.fn
	for _, p := range fn.Params {
		k.c.params = append(k.c.params, k.define(p))
	}
	for _, v := range fn.FreeVars {
		k.c.params = append(k.c.params, k.define(v))
	}
	rs := fn.Signature.Results()
	for i := range rs.Len() {
		k.c.results = append(k.c.results, k.layout.add(k.m.forger.descriptor(rs.At(i).Type())))
	}
	for _, b := range fn.Blocks {
		k.fuse(b)
	}
	var operands [16]*ssa.Value
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if _, ok := in.(*ssa.DebugRef); ok {
				continue
			}
			if v, ok := in.(ssa.Value); ok {
				k.defineInstr(v)
			}
			for _, o := range in.Operands(operands[:0]) {
				if *o != nil {
					k.constant(*o)
				}
			}
			if c, ok := in.(*ssa.Call); ok {
				if b, ok := c.Call.Value.(*ssa.Builtin); ok && b.Name() == "ssa:deferstack" {
					k.shared, k.c.guarded = !k.c.visible, !k.c.visible
				}
			}
			if ci, ok := in.(ssa.CallInstruction); ok && ci.Common().IsInvoke() {
				k.receivers[ci.Common()] = k.layout.add(descriptor(reflect.TypeFor[unsafe.Pointer]()))
			}
			if ph, ok := in.(*ssa.Phi); ok && k.entangled(ph) {
				k.temps[ph] = k.layout.add(k.slots[ph].typ)
			}
		}
	}
}

func (k *compiler) define(v ssa.Value) *slot {
	s := k.layout.add(k.m.forger.descriptor(v.Type()))
	k.slots[v] = s
	return s
}

func (k *compiler) defineInstr(v ssa.Value) {
	switch x := v.(type) {
	case *ssa.Extract:
		// its slot is the tuple's
	case *ssa.Range:
		k.slots[v] = k.layout.add(iteratorType(x.X.Type()))
	case *ssa.Alloc:
		k.define(v)
		if k.inFrame(x) {
			k.tuples[v] = []*slot{k.layout.add(k.m.forger.descriptor(x.Type().Underlying().(*types.Pointer).Elem()))}
		}
	default:
		t, ok := v.Type().(*types.Tuple)
		if !ok {
			k.define(v)
			return
		}
		if n, ok := v.(*ssa.Next); ok {
			t = k.nextTuple(n)
		}
		ss := make([]*slot, t.Len())
		for i := range ss {
			ss[i] = k.layout.add(k.m.forger.descriptor(t.At(i).Type()))
		}
		k.tuples[v] = ss
	}
}

// nextTuple has the types of an iteration's key and value even where the loop leaves one out.
func (k *compiler) nextTuple(n *ssa.Next) *types.Tuple {
	t := n.Type().(*types.Tuple)
	if n.IsString {
		return types.NewTuple(t.At(0), types.NewVar(0, nil, "", types.Typ[types.Int]), types.NewVar(0, nil, "", types.Typ[types.Rune]))
	}
	m := n.Iter.(*ssa.Range).X.Type().Underlying().(*types.Map)
	return types.NewTuple(t.At(0), types.NewVar(0, nil, "", m.Key()), types.NewVar(0, nil, "", m.Elem()))
}

// inFrame tells whether a variable lives in the frame: its address is used only there.
func (k *compiler) inFrame(a *ssa.Alloc) bool {
	return !a.Heap && k.m.forger.descriptor(a.Type().Underlying().(*types.Pointer).Elem()).size <= 1024
}

// slot is where a value is; extracted values are in their tuple.
func (k *compiler) slot(v ssa.Value) *slot {
	if x, ok := v.(*ssa.Extract); ok {
		return k.tuples[x.Tuple][x.Index]
	}
	if s := k.slots[v]; s != nil {
		return s
	}
	panic(fmt.Sprintf("machine: no slot for %s in %s", v, k.c.fn))
}

func (k *compiler) off(v ssa.Value) uintptr { return k.slot(v).off }

// fuse marks instructions that the one that uses their result does along: a
// comparison before a branch, the address of what is loaded at once, and the
// array around the one value of an append.
func (k *compiler) fuse(b *ssa.BasicBlock) {
	for i, in := range b.Instrs {
		switch x := in.(type) {
		case *ssa.Call:
			k.fuseAppend(x)
		case *ssa.UnOp:
			if a, ok := x.X.(ssa.Instruction); ok && i > 0 && x.Op == token.MUL && b.Instrs[i-1] == a && len(*x.X.Referrers()) == 1 && k.loadable(x) {
				k.fused[x.X] = true
			}
		}
	}
	n := len(b.Instrs)
	if n < 2 {
		return
	}
	br, ok := b.Instrs[n-1].(*ssa.If)
	if !ok {
		return
	}
	cmp, ok := br.Cond.(*ssa.BinOp)
	if !ok || cmp != b.Instrs[n-2] || len(*cmp.Referrers()) != 1 || !fusable(cmp) {
		return
	}
	k.fused[cmp] = true
}

// entangled tells whether a phi's new value may be read, as the old one, by
// another phi of the same block: then all are computed before one is set.
func (k *compiler) entangled(p *ssa.Phi) bool {
	for _, in := range p.Block().Instrs {
		q, ok := in.(*ssa.Phi)
		if !ok {
			return false
		}
		if q == p {
			continue
		}
		for _, e := range q.Edges {
			if e == p {
				return true
			}
		}
	}
	return false
}

// emit turns the instructions into closures.
func (k *compiler) emit() {
	fn := k.c.fn
	k.blocks = make([]*block, len(fn.Blocks))
	for i := range k.blocks {
		k.blocks[i] = new(block)
	}
	for i, b := range fn.Blocks {
		out := k.blocks[i]
		out.base = len(k.c.pos)
		for _, in := range b.Instrs {
			if k.terminate(out, b, in) {
				at := k.position(in)
				if !at.IsValid() { // an interrupted loop is at what it did last
					at = k.lastPosition(b)
				}
				k.c.pos = append(k.c.pos, at)
				break
			}
			if v, ok := in.(ssa.Value); ok && k.fused[v] {
				continue
			}
			if s, ok := in.(*ssa.Store); ok && k.fused[s.Addr] {
				continue
			}
			if o := k.instruction(in); o != nil {
				out.ops = append(out.ops, o)
				k.c.pos = append(k.c.pos, k.position(in))
			}
		}
		if out.term == nil {
			out.term = func(*frame) *block { return nil }
		}
	}
	k.c.entry = k.blocks[0]
	if fn.Recover != nil {
		k.c.recover = k.blocks[fn.Recover.Index]
	}
}

// position finds the place of an instruction, or of what it works on.
func (k *compiler) position(in ssa.Instruction) token.Pos {
	if p := in.Pos(); p.IsValid() {
		return p
	}
	switch x := in.(type) {
	case *ssa.Call:
		return x.Call.Pos()
	case *ssa.If:
		return x.Cond.Pos()
	case *ssa.Store:
		if p := x.Addr.Pos(); p.IsValid() {
			return p
		}
		return x.Val.Pos()
	case *ssa.UnOp:
		return x.X.Pos()
	}
	return token.NoPos
}

// lastPosition is the place of the last instruction of a block that has one.
func (k *compiler) lastPosition(b *ssa.BasicBlock) token.Pos {
	for _, in := range slices.Backward(b.Instrs) {
		if at := k.position(in); at.IsValid() {
			return at
		}
	}
	return token.NoPos
}

// terminate makes the end of a block.
func (k *compiler) terminate(out *block, b *ssa.BasicBlock, in ssa.Instruction) bool {
	switch x := in.(type) {
	case *ssa.Jump:
		out.term = k.edge(b, b.Succs[0], 0).term()
	case *ssa.If:
		second := 0
		if b.Succs[0] == b.Succs[1] {
			second = 1
		}
		t, e := k.edge(b, b.Succs[0], 0), k.edge(b, b.Succs[1], second)
		if k.fused[x.Cond] {
			out.term = k.branch(x.Cond.(*ssa.BinOp), t, e)
			break
		}
		c := k.off(x.Cond)
		out.term = func(f *frame) *block {
			if *at[bool](f, c) {
				return t.take(f)
			}
			return e.take(f)
		}
	case *ssa.Return:
		out.term = k.returns(x)
	case *ssa.Panic:
		v := k.off(x.X)
		out.term = func(f *frame) *block { panic(*at[any](f, v)) }
	default:
		return false
	}
	return true
}

func (k *compiler) returns(x *ssa.Return) term {
	type pair struct{ dst, src *slot }
	var ps []pair
	for i, r := range x.Results {
		ps = append(ps, pair{k.c.results[i], k.slot(r)})
	}
	if k.shared {
		return k.returnsShared(x)
	}
	switch {
	case len(ps) == 0:
		return func(*frame) *block { return nil }
	case len(ps) == 1 && ps[0].dst.class == classWord:
		d, s := ps[0].dst.off, ps[0].src.off
		return func(f *frame) *block { *at[uint64](f, d) = *at[uint64](f, s); return nil }
	}
	return func(f *frame) *block {
		for i := range ps {
			ps[i].dst.copyValue(f.ptr(ps[i].dst.off), f.ptr(ps[i].src.off))
		}
		return nil
	}
}

// returnsShared returns from a function that bodies of range-over-func loops,
// which are functions of their own, may have deferred calls in. go/ssa leaves out
// RunDefers if the function itself defers nothing, so they run here, and named
// results are read again after them.
func (k *compiler) returnsShared(x *ssa.Return) term {
	var copies []func(*frame)
	for i, r := range x.Results {
		d, s := k.c.results[i], k.slot(r)
		if l, ok := r.(*ssa.UnOp); ok && l.Op == token.MUL {
			if a, ok := l.X.(*ssa.Alloc); ok {
				p := k.off(a)
				copies = append(copies, func(f *frame) { d.copyValue(f.ptr(d.off), *at[unsafe.Pointer](f, p)) })
				continue
			}
		}
		copies = append(copies, func(f *frame) { d.copyValue(f.ptr(d.off), f.ptr(s.off)) })
	}
	return func(f *frame) *block {
		f.runDefers()
		for _, c := range copies {
			c(f)
		}
		return nil
	}
}
