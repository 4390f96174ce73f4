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
	toodeep bool    // the stack was used up, whatever compiled code made of that panic
	ending  bool    // the thread unwinds after an interrupt: its deferred calls still run
}

// A run is one execution of a cell, with all goroutines that it started.
type run struct {
	owner any           // by Host.Owner
	stop  atomic.Bool   // leave at the next check
	hard  atomic.Bool   // deferred calls too
	done  chan struct{} // closed with stop
	once  sync.Once

	alive  atomic.Int32 // threads beside the cell's own
	asleep atomic.Int32 // threads that wait for a channel
}

// interrupt stops all threads of a run.
func (r *run) interrupt() {
	r.once.Do(func() {
		r.stop.Store(true)
		close(r.done)
		time.AfterFunc(100*time.Millisecond, func() { r.hard.Store(true) })
	})
}

// maxStack bounds the goroutine's own stack, which grows with the cells' calls: by
// some 500 bytes a call, more where compiled code lies between. Beyond 1 GB the
// runtime would end the process.
const maxStack = 120 << 20

func (t *thread) overflow() {
	t.toodeep = true
	panic(stackOverflow)
}

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
	if t.depth++; t.depth%64 == 0 && stackUsed() > maxStack {
		t.overflow()
	}
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

// spawn runs f as a new thread of a run; what it panics with goes to the session.
func (m *Machine) spawn(r *run, f func(*thread)) {
	t := &thread{m: m, run: r}
	m.alive.Add(1)
	r.alive.Add(1)
	go func() {
		defer r.alive.Add(-1)
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
