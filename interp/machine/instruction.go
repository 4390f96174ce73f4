package machine

import (
	"fmt"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// unsupported is a construct that the machine refuses.
type unsupported struct {
	pos       token.Pos
	construct string
	instead   string
}

func (u *unsupported) Error() string { return "not supported here: " + u.construct }

// instruction makes the op of an instruction, nil where there is nothing to do.
func (k *compiler) instruction(in ssa.Instruction) op {
	switch x := in.(type) {
	case *ssa.DebugRef, *ssa.Phi, *ssa.Extract:
		return nil
	case *ssa.Alloc:
		return k.alloc(x)
	case *ssa.BinOp:
		return k.binop(x)
	case *ssa.UnOp:
		return k.unop(x)
	case *ssa.Call:
		return k.call(&x.Call, k.results(x))
	case *ssa.ChangeInterface:
		return k.changeInterface(x)
	case *ssa.ChangeType:
		return k.copyTo(x, x.X)
	case *ssa.Convert:
		return k.convert(x, x.X)
	case *ssa.SliceToArrayPointer:
		return k.sliceToArray(x)
	case *ssa.MakeInterface:
		return k.makeInterface(x)
	case *ssa.TypeAssert:
		return k.typeAssert(x)
	case *ssa.Field:
		return k.field(x)
	case *ssa.FieldAddr:
		return k.fieldAddr(x)
	case *ssa.Index:
		return k.index(x)
	case *ssa.IndexAddr:
		return k.indexAddr(x)
	case *ssa.Lookup:
		return k.lookup(x)
	case *ssa.MapUpdate:
		return k.mapUpdate(x)
	case *ssa.Slice:
		return k.slice(x)
	case *ssa.Store:
		return k.store(x)
	case *ssa.Range:
		return k.iterate(x)
	case *ssa.Next:
		return k.next(x)
	case *ssa.MakeChan:
		return k.makeChan(x)
	case *ssa.MakeMap:
		return k.makeMap(x)
	case *ssa.MakeSlice:
		return k.makeSlice(x)
	case *ssa.MakeClosure:
		return k.makeClosure(x)
	case *ssa.Send:
		return k.send(x)
	case *ssa.Select:
		return k.selects(x)
	case *ssa.Go:
		return k.start(x)
	case *ssa.Defer:
		return k.deferCall(x)
	case *ssa.RunDefers:
		if k.c.visible { // a cell's deferred calls run when all its units have
			return nil
		}
		k.c.guarded = true
		return func(f *frame) { f.runDefers() }
	}
	panic(&unsupported{in.Pos(), fmt.Sprintf("%T", in), ""})
}

// results are the slots of a call's results.
func (k *compiler) results(x *ssa.Call) []*slot {
	if ss := k.tuples[x]; ss != nil {
		return ss
	}
	if x.Call.Signature().Results().Len() == 0 {
		if _, ok := x.Call.Value.(*ssa.Builtin); !ok {
			return nil
		}
	}
	return []*slot{k.slot(x)}
}

func (k *compiler) start(x *ssa.Go) op {
	m := k.m
	call := k.call(&x.Call, nil)
	return func(f *frame) {
		s := f.snapshot()
		m.spawn(f.th.run, func(t *thread) {
			s.th, s.caller, s.x = t, nil, nil
			t.cur = s
			call(s)
		})
	}
}

func (k *compiler) deferCall(x *ssa.Defer) op {
	k.c.guarded = !k.c.visible
	call := k.call(&x.Call, nil)
	if b, ok := x.Call.Value.(*ssa.Builtin); ok && b.Name() == "recover" {
		call = deferredRecover
	}
	if x.DeferStack == nil {
		return func(f *frame) {
			e := f.extra()
			e.defers = append(e.defers, deferred{f.snapshot(), call})
		}
	}
	stack := k.off(x.DeferStack)
	return func(f *frame) {
		e := *at[*extra](f, stack)
		e.defers = append(e.defers, deferred{f.snapshot(), call})
	}
}

// deferredRecover is recover as a deferred call itself. Run at the end of the
// function it is like a call by the function; run by a panic it does nothing.
func deferredRecover(f *frame) {
	if f.th.because == nil {
		f.caller.recoverPanic()
	}
}
