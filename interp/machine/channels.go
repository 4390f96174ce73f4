package machine

import (
	"go/types"
	"reflect"
	"runtime"
	"time"
	"unsafe"
	"weak"

	"golang.org/x/tools/go/ssa"
)

// Channels are the runtime's own. An operation that would block waits in a
// select whose last case is the run's end, so that an interrupt gets it out.

func (k *compiler) makeChan(x *ssa.MakeChan) op {
	m, d, n := k.m, k.slot(x), k.intOf(x.Size)
	o := d.off
	t := descriptor(reflect.ChanOf(reflect.BothDir, typeOf(d.typ).Elem()))
	return func(f *frame) {
		size := n(f)
		if size < 0 {
			panic(runtimeError("makechan: size out of range"))
		}
		p := makechan(t, size)
		m.madeChan(p)
		*at[unsafe.Pointer](f, o) = p
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

// asleep is how long all of a session's goroutines wait for each other before
// the cell ends with Go's deadlock error. Compiled code that holds a channel
// might still wake one of them, so it takes its time.
const asleep = 5 * time.Second

// wait blocks in a select until a case can go on or the run is interrupted.
func (t *thread) wait(cases []reflect.SelectCase) (int, reflect.Value, bool) {
	t.check()
	done := t.run.done
	if t.ending { // deferred calls may still wait, until the run is cut off
		done = nil
	}
	t.run.asleep.Add(1)
	defer t.run.asleep.Add(-1)
	n := len(cases)
	cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(done)})
	defer t.m.sleeping.Add(-t.sleeps(cases[:n]))
	for {
		now := cases
		woken := t.m.woken.Load()
		var timer *time.Timer
		if t.main {
			timer = time.NewTimer(asleep)
			now = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(timer.C)})
		}
		i, v, ok := reflect.Select(now)
		if timer != nil {
			timer.Stop()
		}
		switch {
		case i < n:
			t.m.woken.Add(1)
			return i, v, ok
		case i == n:
			t.check()
			panic(interrupted)
		case !t.m.outside.Load() && t.m.sleeping.Load() == t.m.alive.Load()+1 && t.m.woken.Load() == woken:
			panic(runtimeError("fatal error: all goroutines are asleep - deadlock!"))
		}
	}
}

// sleeps counts the thread among those that only another thread can wake: all
// its channels were made by cells. It returns what it added to the count.
func (t *thread) sleeps(cases []reflect.SelectCase) int32 {
	for _, c := range cases {
		if p := c.Chan.UnsafePointer(); p != nil {
			if _, ok := t.m.channels.Load(weak.Make((*byte)(p))); !ok {
				return 0
			}
		}
	}
	t.m.sleeping.Add(1)
	return 1
}

// madeChan remembers that cells made a channel, as long as it lives.
func (m *Machine) madeChan(p unsafe.Pointer) {
	k := weak.Make((*byte)(p)) // an address may soon be another channel's
	m.channels.Store(k, true)
	runtime.AddCleanup((*byte)(p), func(k weak.Pointer[byte]) { m.channels.Delete(k) }, k)
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
