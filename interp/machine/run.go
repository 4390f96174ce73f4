package machine

import (
	"reflect"
	"time"

	"github.com/gonterp/gonterp/interp/engine"
)

// run executes the units of a cell on the calling goroutine.
func (m *Machine) run(units []unit) (out []engine.Value) {
	defer m.forgetCell(units)
	m.on(func(t *thread) {
		out = t.units(units)
		t.run.settle()
	})
	return out
}

// How long a cell that has come to its end waits for its goroutines, and how often it
// looks.
const (
	settling = 100 * time.Millisecond
	glance   = 2 * time.Millisecond
)

// settle gives the goroutines of a run that is at its end a moment to end or to come
// to rest, waiting for a channel, so that what they were about to write comes with
// the cell. Programs that collect a cell's output take nothing after its end.
func (r *run) settle() {
	resting := 0
	for end := time.Now().Add(settling); r.alive.Load() > 0 && resting < 2 && time.Now().Before(end); {
		select {
		case <-r.done:
			return
		case <-time.After(glance):
		}
		if r.alive.Load() > r.asleep.Load() {
			resting = 0
		} else {
			resting++
		}
	}
}

// Call implements engine.Parallel.
func (m *Machine) Call(f func()) { m.on(func(*thread) { f() }) }

// on calls f with the calling goroutine as a cell's own thread. Where another cell is
// at work the thread is as one that a cell started: it keeps no frames for the next
// call, and counts among those that are alive beside that cell's own.
func (m *Machine) on(f func(*thread)) {
	r := &run{done: make(chan struct{})}
	if m.host.Owner != nil {
		r.owner = m.host.Owner()
	}
	t := &thread{m: m, run: r, main: m.engaged.CompareAndSwap(false, true)}
	if !t.main {
		m.alive.Add(1)
	}
	g := goroutine()
	threads.Store(g, t)
	m.runs.Store(r, true)
	m.running.Store(r)
	defer func() {
		threads.Delete(g)
		m.runs.Delete(r)
		m.running.CompareAndSwap(r, nil)
		if t.main {
			for _, c := range m.pooled {
				c.free, c.pooled = nil, false
			}
			m.pooled = nil
			m.engaged.Store(false)
		} else {
			m.alive.Add(-1)
		}
		if v := recover(); v != nil {
			m.last.Store(g, t.caught(v))
			panic(v)
		}
	}()
	f(t)
}

// forgetCell lets go of what only a cell that is over needed.
func (m *Machine) forgetCell(units []unit) {
	m.compileLock.Lock()
	defer m.compileLock.Unlock()
	for _, u := range units {
		fn := u.callee.now.Load().fn
		if x := m.modules[home(fn)]; x != nil {
			delete(x.callees, fn)
		}
		fn.Blocks, fn.Locals, fn.Params = nil, nil, nil
	}
}

// units runs a cell's units one after the other, as if they were one function:
// what they defer runs at the end, and may recover what any of them panics with.
func (t *thread) units(units []unit) (out []engine.Value) {
	x := new(extra)
	var f *frame
	p := t.protect(nil, func() {
		for i, u := range units {
			c := u.callee.now.Load()
			f = t.push(c, nil)
			f.x = x
			c.run(f, c.entry)
			if i == len(units)-1 {
				out = u.result(f)
			}
			t.pop(f)
		}
	})
	for len(x.defers) > 0 {
		if p != nil {
			out = nil
			if p = f.unwind(p); !p.recovered {
				break
			}
		}
		p = f.protect(f.runDefers)
	}
	if p == nil && t.toodeep {
		panic(stackOverflow)
	}
	if p != nil && !p.recovered {
		t.flying = p
		panic(p.value)
	}
	return out
}

// result are the values of a unit's last expression.
func (u unit) result(f *frame) (out []engine.Value) {
	for i, s := range f.code.results {
		v := reflect.New(typeOf(s.typ)).Elem()
		v.Set(s.value(f))
		out = append(out, engine.Value{V: v.Interface(), Type: u.values[i]})
	}
	return out
}
