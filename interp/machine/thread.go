package machine

import (
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// A thread is a goroutine that runs cell code.
type thread struct {
	m       *Machine
	run     *run
	cur     *frame
	depth   int
	main    bool    // the goroutine of the running cell, whose frames are reused
	because *thrown // the panic that the next frame may recover: it is a deferred call
	flying  *thrown // the panic that is on its way up
	ending  bool    // the thread unwinds after an interrupt: its deferred calls still run
}

// A run is one execution of a cell, with all goroutines that it started.
type run struct {
	cell int
	stop atomic.Bool   // leave at the next check
	hard atomic.Bool   // deferred calls too
	done chan struct{} // closed with stop
	once sync.Once
}

// interrupt stops all threads of a run.
func (r *run) interrupt() {
	r.once.Do(func() {
		r.stop.Store(true)
		close(r.done)
		time.AfterFunc(100*time.Millisecond, func() { r.hard.Store(true) })
	})
}

// maxDepth bounds nested calls. It stops endless recursion long before the
// goroutine's own stack, of which a call of cell code takes some 500 bytes, or
// twice as much through compiled code, is used up.
const maxDepth = 400_000

// threads finds the thread of the running goroutine.
var threads sync.Map // goroutine() -> *thread

func current() *thread {
	if t, ok := threads.Load(goroutine()); ok {
		return t.(*thread)
	}
	return nil
}

// check lets an interrupt take effect.
func (t *thread) check() {
	if t.run.stop.Load() && (!t.ending || t.run.hard.Load()) {
		panic(interrupted)
	}
}

// push makes the frame of a call that caller makes.
func (t *thread) push(c *code, caller *frame) *frame {
	if !c.ready.Load() {
		c.prepare()
	}
	if t.run.stop.Load() {
		t.check()
	}
	if t.depth >= maxDepth {
		t.overflow()
	}
	t.depth++
	var f *frame
	if t.main && c.free != nil {
		f = c.free
		c.free = f.caller
		f.x = nil
	} else {
		f = (*frame)(newObject(c.frameType))
		typedmemmove(c.frameType, unsafe.Pointer(f), c.template)
		f.code = c
		if t.main && !c.pooled {
			c.pooled = true
			t.m.pooled = append(t.m.pooled, c)
		}
	}
	f.th, f.caller = t, caller
	t.cur = f
	if t.because != nil {
		f.extra().because, t.because = t.because, nil
	} else if caller != nil && caller.x != nil && caller.code.wrapper {
		f.extra().because = caller.x.because
	}
	return f
}

// pop ends a call.
func (t *thread) pop(f *frame) {
	t.cur = f.caller
	t.depth--
	if t.main && f.code.pooled {
		f.caller = f.code.free
		f.code.free = f
	}
}

// overflow is Go's words for endless recursion, as an error that the cell can end with.
func (t *thread) overflow() {
	panic(stackOverflow)
}

// spawn runs f as a new thread of a run; what it panics with goes to the session.
func (m *Machine) spawn(r *run, f func(*thread)) {
	t := &thread{m: m, run: r}
	m.alive.Add(1)
	go func() {
		g := goroutine()
		threads.Store(g, t)
		defer func() {
			threads.Delete(g)
			m.alive.Add(-1)
			if v := recover(); v != nil {
				m.goroutinePanic(t, v)
			}
		}()
		f(t)
	}()
}
