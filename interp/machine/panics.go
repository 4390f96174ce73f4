package machine

import (
	"reflect"
	"runtime"
	"unsafe"

	"github.com/gonterp/gonterp/interp/engine"
)

// A thrown panic keeps, beside its value, the calls that led to it.
type thrown struct {
	value     any
	stack     []call
	recovered bool
	before    *thrown // the panic that it took the place of
}

// A call is one line of a traceback.
type call struct {
	code *code
	pc   int
	more int // calls outside this one that are left out
}

// The ends of a cell that recover does not see.
var interrupted any = engine.Interrupted{}

func final(v any) bool {
	switch v.(type) {
	case engine.Interrupted, engine.Exit:
		return true
	}
	return false
}

// A runtimeError has Go's own words for what Go itself reports as fatal, or
// what the machine finds out before the runtime does.
type runtimeError string

func (e runtimeError) Error() string { return string(e) }
func (e runtimeError) RuntimeError() {}

const stackOverflow = runtimeError("stack overflow: goroutine stack exceeds the limit of a cell")

// nilDereference raises the runtime's own error.
func nilDereference() { *(*int)(nil) = 0 }

// indexPanic raises the runtime's own error for an index out of range.
func indexPanic(i, n int) { _ = make([]struct{}, n)[i] }

// sameValue tells whether two panics have the same value.
func sameValue(a, b any) bool {
	x, y := (*eface)(unsafe.Pointer(&a)), (*eface)(unsafe.Pointer(&b))
	if *x == *y {
		return true
	}
	return x.typ == y.typ && reflect.TypeOf(a) != nil && reflect.TypeOf(a).Comparable() && reflect.ValueOf(a).Comparable() && a == b
}

// caught is the panic with value v as the thread knows it.
func (t *thread) caught(v any) *thrown {
	if p := t.flying; p != nil && sameValue(p.value, v) {
		return p
	}
	p := &thrown{value: v, stack: append(t.m.crossed(v), t.stack()...)}
	t.flying = p
	if _, ok := v.(engine.Interrupted); ok {
		t.ending = true
	}
	return p
}

// maxTrace bounds the calls that are kept of a stack, from either end.
const maxTrace = 50

func (t *thread) stack() []call {
	depth := 0
	for f := t.cur; f != nil; f = f.caller {
		if f.shown() {
			depth++
		}
	}
	out := make([]call, 0, min(depth, 2*maxTrace))
	for f := t.cur; f != nil; f = f.caller {
		switch {
		case !f.shown():
			continue
		case len(out) < maxTrace || depth <= maxTrace:
			out = append(out, call{code: f.code, pc: f.pc})
		default:
			out[maxTrace-1].more++
		}
		depth--
	}
	return out
}

// shown reports whether a frame is of code that a person wrote.
func (f *frame) shown() bool {
	return f.code.fn.Synthetic == "" || f.code.fn.Parent() != nil || f.code.visible
}

// catch runs blocks of a frame until they end or panic.
func (f *frame) catch(b *block) (p *thrown) { return f.protect(func() { f.code.run(f, b) }) }

func (f *frame) protect(do func()) *thrown { return f.th.protect(f, do) }

// protect returns what do panics with; f is the frame that runs on then.
func (t *thread) protect(f *frame, do func()) (p *thrown) {
	done := false
	depth := t.depth
	defer func() {
		if done {
			return
		}
		v := recover()
		if v == nil {
			return // runtime.Goexit goes on
		}
		p = t.caught(v)
		t.cur, t.depth, t.because = f, depth, nil
	}()
	do()
	done = true
	return nil
}

// runGuarded runs a function that defers or recovers.
func (c *code) runGuarded(f *frame) {
	p := f.catch(c.entry)
	for p != nil {
		if p = f.unwind(p); !p.recovered {
			f.th.flying = p
			panic(p.value)
		}
		p = f.protect(func() {
			f.runDefers()
			if c.recover != nil {
				c.run(f, c.recover)
				return
			}
			for i := range c.results {
				c.results[i].clear(f)
			}
		})
	}
}

// unwind runs deferred calls until one recovers or none is left. The panic that
// it returns may be one of theirs.
func (f *frame) unwind(p *thrown) *thrown {
	for x := f.extra(); len(x.defers) > 0 && !p.recovered; {
		d := x.defers[len(x.defers)-1]
		x.defers = x.defers[:len(x.defers)-1]
		if q := f.protect(func() { d.run(f, p) }); q != nil && q != p {
			q.before = p
			p = q
		}
	}
	return p
}

// A deferred call is a copy of the frame that deferred it, with the operands as they were.
type deferred struct {
	at   *frame
	call op
}

func (d deferred) run(f *frame, p *thrown) {
	t := f.th
	t.cur = f
	d.at.th, d.at.caller, d.at.x = t, f, nil
	t.because = p
	d.call(d.at)
	t.because = nil
}

func (f *frame) runDefers() {
	if f.x == nil {
		return
	}
	for x := f.x; len(x.defers) > 0; {
		d := x.defers[len(x.defers)-1]
		x.defers = x.defers[:len(x.defers)-1]
		d.run(f, nil)
	}
}

// snapshot copies a frame, for a call that runs later or elsewhere.
func (f *frame) snapshot() *frame {
	s := newObject(f.code.frameType)
	typedmemmove(f.code.frameType, s, unsafe.Pointer(f))
	return (*frame)(s)
}

// recoverPanic is the builtin recover, called in f.
func (f *frame) recoverPanic() any {
	if f.x == nil || f.x.because == nil {
		return nil
	}
	p := f.x.because
	if p.recovered || final(p.value) {
		return nil
	}
	p.recovered = true
	f.th.flying, f.th.toodeep = nil, false
	if at := home(f.code.fn); at != nil && at.Path() == "iter" { // which panics with it again where the sequence is read
		m := f.th.m
		m.faults.Lock()
		m.crossing = p
		m.faults.Unlock()
	}
	return p.value
}

var _ runtime.Error = runtimeError("")
