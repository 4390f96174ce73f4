package machine

import (
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// Channels are the runtime's own. An operation that would block waits in a
// select whose last case is the run's end, so that an interrupt gets it out.

func (k *compiler) makeChan(x *ssa.MakeChan) op {
	d, n := k.slot(x), k.intOf(x.Size)
	o := d.off
	t := descriptor(reflect.ChanOf(reflect.BothDir, typeOf(d.typ).Elem()))
	return func(f *frame) {
		size := n(f)
		if size < 0 {
			panic(runtimeError("makechan: size out of range"))
		}
		*at[unsafe.Pointer](f, o) = makechan(t, size)
	}
}

func (k *compiler) send(x *ssa.Send) op {
	c, v := k.slot(x.Chan), k.slot(x.X)
	ch, val := c.off, v.off
	return func(f *frame) {
		p := *at[unsafe.Pointer](f, ch)
		if p != nil && chansend(p, f.ptr(val), true) {
			return
		}
		f.th.wait([]reflect.SelectCase{{Dir: reflect.SelectSend, Chan: c.value(f), Send: v.value(f)}})
	}
}

func (k *compiler) receive(x *ssa.UnOp) op {
	c := k.slot(x.X)
	ch := c.off
	var d, ok *slot
	if x.CommaOk {
		d, ok = k.tuples[x][0], k.tuples[x][1]
	} else {
		d = k.slot(x)
	}
	return func(f *frame) {
		p := *at[unsafe.Pointer](f, ch)
		var selected, received bool
		if p != nil {
			selected, received = chanrecv(p, true, f.ptr(d.off))
		}
		if !selected {
			var v reflect.Value
			_, v, received = f.th.wait([]reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: c.value(f)}})
			d.value(f).Set(v)
		}
		if ok != nil {
			*at[bool](f, ok.off) = received
		}
	}
}

// wait blocks in a select until a case can go on or the run is interrupted.
func (t *thread) wait(cases []reflect.SelectCase) (int, reflect.Value, bool) {
	t.check()
	done := t.run.done
	if t.ending { // deferred calls may still wait, until the run is cut off
		done = nil
	}
	cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(done)})
	leave := t.blocked(cases)
	i, v, ok := reflect.Select(cases)
	leave()
	if i == len(cases)-1 {
		t.check()
		panic(interrupted)
	}
	return i, v, ok
}

func (k *compiler) selects(x *ssa.Select) op {
	ss := k.tuples[x]
	type state struct{ ch, send, recv *slot }
	states := make([]state, len(x.States))
	next := 2
	for i, s := range x.States {
		states[i].ch = k.slot(s.Chan)
		if s.Dir == types.SendOnly {
			states[i].send = k.slot(s.Send)
			continue
		}
		states[i].recv = ss[next]
		next++
	}
	blocking := x.Blocking
	return func(f *frame) {
		cases := make([]reflect.SelectCase, len(states), len(states)+1)
		for i, s := range states {
			cases[i] = reflect.SelectCase{Dir: reflect.SelectRecv, Chan: s.ch.value(f)}
			if s.send != nil {
				cases[i].Dir, cases[i].Send = reflect.SelectSend, s.send.value(f)
			}
		}
		var i int
		var v reflect.Value
		var ok bool
		if blocking {
			i, v, ok = f.th.wait(cases)
		} else {
			f.th.check()
			i, v, ok = reflect.Select(append(cases, reflect.SelectCase{Dir: reflect.SelectDefault}))
			if i == len(states) {
				i = -1
			}
		}
		*at[int](f, ss[0].off) = i
		*at[bool](f, ss[1].off) = ok
		for j, s := range states {
			switch {
			case s.recv == nil:
			case j == i:
				s.recv.value(f).Set(v)
			default:
				s.recv.clear(f)
			}
		}
	}
}
