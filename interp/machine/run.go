package machine

import (
	"reflect"

	"github.com/gonterp/gonterp/interp/engine"
)

// run executes the units of a cell on the calling goroutine.
func (m *Machine) run(cell int, units []unit) (out []engine.Value) {
	r := &run{cell: cell, done: make(chan struct{})}
	t := &thread{m: m, run: r, main: true}
	g := goroutine()
	threads.Store(g, t)
	m.running.Store(r)
	defer func() {
		threads.Delete(g)
		m.running.CompareAndSwap(r, nil)
		for _, c := range m.pooled {
			c.free, c.pooled = nil, false
		}
		m.pooled = nil
		m.forgetCell(units)
		if v := recover(); v != nil {
			p := t.caught(v)
			m.faults.Lock()
			m.last = p
			m.faults.Unlock()
			panic(v)
		}
	}()
	return t.units(units)
}

// forgetCell lets go of what only a cell that is over needed. Where it has func
// literals they may be about, and may have to be made again.
func (m *Machine) forgetCell(units []unit) {
	m.compileLock.Lock()
	defer m.compileLock.Unlock()
	for _, u := range units {
		if fn := u.code.fn; len(fn.AnonFuncs) == 0 {
			delete(m.codes, fn)
			fn.Blocks, fn.Locals, fn.Params = nil, nil, nil
		}
	}
}

// units runs a cell's units one after the other, as if they were one function:
// what they defer runs at the end, and may recover what any of them panics with.
func (t *thread) units(units []unit) (out []engine.Value) {
	x := new(extra)
	var f *frame
	p := t.protect(nil, func() {
		for i, u := range units {
			u.code = u.code.newest()
			f = t.push(u.code, nil)
			f.x = x
			u.code.run(f, u.code.entry)
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
	for i, s := range u.code.results {
		v := reflect.New(typeOf(s.typ)).Elem()
		v.Set(s.value(f))
		out = append(out, engine.Value{V: v.Interface(), Type: u.values[i]})
	}
	return out
}
