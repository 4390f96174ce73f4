// Package trace stands in for the tracing API: a forward pass on its own
// goroutine, the cell's body on the caller's; sites are met in order.
package trace

import (
	"errors"
	"fmt"
)

var ErrOrder = errors.New("trace: site already passed by forward")

type Value struct {
	Data  []float32
	saved bool
}

func (v *Value) Save() *Value { v.saved = true; return v }
func (v *Value) Saved() bool  { return v.saved }
func (v *Value) Sum() float32 {
	var s float32
	for _, x := range v.Data {
		s += x
	}
	return s
}
func (v *Value) String() string { return fmt.Sprintf("Value(%v)", v.Data) }
func (v *Value) Mul(f float32) *Value {
	r := &Value{Data: make([]float32, len(v.Data))}
	for i, x := range v.Data {
		r.Data[i] = x * f
	}
	return r
}

// Hook is one site.
type Hook struct {
	m    *Model
	id   int
	Name string
}

type Layer struct {
	Idx         int
	MLPOutput   *Hook
	LayerOutput *Hook
}

type Model struct {
	Layers   []*Layer
	cur      *Tracer
	Handoffs int
}

func NewModel(n int) *Model {
	m := &Model{}
	for i := 0; i < n; i++ {
		m.Layers = append(m.Layers, &Layer{i,
			&Hook{m, 2 * i, fmt.Sprintf("layers.%d.mlp", i)},
			&Hook{m, 2*i + 1, fmt.Sprintf("layers.%d", i)}})
	}
	return m
}

// Tracer is one running forward pass.
type Tracer struct {
	m      *Model
	resume chan int    // body -> forward: run until site id (or 1<<30: to the end)
	reach  chan *Value // forward -> body: here is the value
	at     int         // site where forward is parked (-1 before the first)
	val    *Value
	done   bool
	Output *Value
	ended  chan struct{}
	abort  bool
	err    error
}

type aborted struct{}

func (m *Model) Trace(prompt string) *Tracer {
	return &Tracer{m: m, resume: make(chan int), reach: make(chan *Value), at: -1, ended: make(chan struct{})}
}

// Enter starts the forward goroutine (parked before the first site).
func (t *Tracer) Enter() *Tracer {
	if t.m.cur != nil {
		panic("trace: model is already being traced")
	}
	t.m.cur = t
	go t.forward()
	return t
}

func (t *Tracer) forward() {
	defer close(t.ended)
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(aborted); !ok {
				t.err = fmt.Errorf("forward: %v", r)
			}
		}
	}()
	want := <-t.resume
	x := &Value{Data: []float32{1, 2, 3}}
	site := func(id int, v *Value) *Value {
		if t.abort {
			panic(aborted{})
		}
		if id < want {
			return v
		}
		t.val, t.at = v, id
		t.reach <- v
		want = <-t.resume
		if t.abort {
			panic(aborted{})
		}
		return t.val
	}
	for _, l := range t.m.Layers {
		h := &Value{Data: make([]float32, len(x.Data))}
		for i := range x.Data {
			h.Data[i] = x.Data[i] * 0.5
		}
		h = site(l.MLPOutput.id, h)
		y := &Value{Data: make([]float32, len(x.Data))}
		for i := range x.Data {
			y.Data[i] = x.Data[i] + h.Data[i]
		}
		x = site(l.LayerOutput.id, y)
	}
	t.Output = x
}

// Exit ends the block: ok=true lets forward run to the end, else it is aborted.
func (t *Tracer) Exit(ok bool) {
	if t.done {
		return
	}
	t.done = true
	t.m.cur = nil
	if !ok {
		t.abort = true
	}
	select {
	case t.resume <- 1 << 30:
	case <-t.ended:
	}
	<-t.ended
	if ok && t.err != nil {
		panic(t.err)
	}
}

// Close is for defer: aborts unless Exit was called.
func (t *Tracer) Close() { t.Exit(false) }

func (h *Hook) await() *Tracer {
	t := h.m.cur
	if t == nil {
		panic("trace: " + h.Name + " read outside a trace block")
	}
	if t.at == h.id {
		return t
	}
	if t.at > h.id {
		panic(fmt.Errorf("%w: %s", ErrOrder, h.Name))
	}
	h.m.Handoffs++
	t.resume <- h.id
	select {
	case <-t.reach:
	case <-t.ended:
		panic("trace: forward ended before " + h.Name)
	}
	return t
}
func (h *Hook) Get() *Value  { return h.await().val }
func (h *Hook) Save() *Value { return h.await().val.Save() }
func (h *Hook) Set(v *Value) { h.await().val = v }
func (t *Tracer) Run(body func(*Tracer)) *Tracer {
	t.Enter()
	defer t.Close()
	body(t)
	t.Exit(true)
	return t
}

// Open tells whether a trace is running; AbortOpen ends it (the kernel calls it after a failed cell).
func (m *Model) Open() bool { return m.cur != nil }
func (m *Model) AbortOpen() {
	if t := m.cur; t != nil {
		t.Exit(false)
	}
}
