package torch

import "unsafe"

// An op is an operator of libtorch, called through its dispatcher by name.
type op struct {
	name, overload *byte
	word           string // the method's name, for errors
	results        int
	view           sharing
}

// sharing says whether an op's result lies in its argument's memory.
type sharing int8

const (
	never sharing = iota
	perhaps
	always
)

func newOp(word, name, overload string) *op {
	return &op{cname("aten::" + name), cname(overload), word, 1, never}
}

func newOps(results int, word, name, overload string) *op {
	o := newOp(word, name, overload)
	o.results = results
	return o
}

func newView(word, name, overload string, how sharing) *op {
	o := newOp(word, name, overload)
	o.view = how
	return o
}

type argKind int8

const (
	argWord argKind = iota // a bool, a dtype, a float's bits, None
	argInt
	argTensor
	argTensors
	argInts
	argSome // an optional word that is there
	argSomeDevice
	argSomeTensor
	argSomeInts
	argOptTensors // a list whose nil members are None
	argString
)

// An arg is one argument in the dispatcher's order.
type arg struct {
	kind argKind
	word uint64
	t    *Tensor
	ts   []*Tensor
	ints []int
	text string
}

var none = arg{}

func tensor(t *Tensor) arg       { return arg{kind: argTensor, t: t} }
func tensors(ts []*Tensor) arg   { return arg{kind: argTensors, ts: ts} }
func integer(v int) arg          { return arg{kind: argInt, word: uint64(v)} }
func integers(v []int) arg       { return arg{kind: argInts, ints: v} }
func real(v float64) arg         { return arg{word: bits(v)} }
func dtypeArg(d DType) arg       { return arg{word: uint64(d)} }
func someDType(d DType) arg      { return arg{kind: argSome, word: uint64(d)} }
func someReal(v float64) arg     { return arg{kind: argSome, word: bits(v)} }
func someDevice(d Device) arg    { return arg{kind: argSomeDevice, word: d.word()} }
func someInt(v int) arg          { return arg{kind: argSome, word: uint64(v)} }
func someIntegers(v []int) arg   { return arg{kind: argSomeInts, ints: v} }
func optTensors(t []*Tensor) arg { return arg{kind: argOptTensors, ts: t} }

func boolean(v bool) arg {
	if v {
		return arg{word: 1}
	}
	return arg{}
}

func someTensor(t *Tensor) arg {
	if t == nil {
		return none
	}
	return arg{kind: argSomeTensor, t: t}
}

// build is the version of the argument layout, as libtorch packs versions.
var build uint64

// call runs the op and returns its first result.
func (o *op) call(args ...arg) *Tensor { return o.run(args)[0] }

// call2 runs an op with two results.
func (o *op) call2(args ...arg) (*Tensor, *Tensor) {
	r := o.run(args)
	return r[0], r[1]
}

// run runs the op, and panics where it fails.
func (o *op) run(args []arg) [2]*Tensor {
	ts, err := o.try(args)
	if err != nil {
		panic(err)
	}
	return ts
}

// try runs the op. Where memory ran out it collects once and tries again.
func (o *op) try(args []arg) (ts [2]*Tensor, err *Error) {
	th := begin()
	o.write(args)
	r := o.collectResults()
	text, ok := run()
	if !ok && isOutOfMemory(text) {
		mu.Unlock()
		Collect()
		th = begin()
		o.write(args)
		r = o.collectResults()
		text, ok = run()
	}
	if !ok {
		mu.Unlock()
		return ts, failure(o.word, args, text)
	}
	device := deviceOf(args)
	for i := range o.results {
		t := r[i].tensor(uintptr(stack[i]), device)
		if o.view != never {
			t.owner = args[0].t.owner
		}
		ts[i] = th.adopt(t, o.view == always)
	}
	finishUser()
	return ts, nil
}

// finishUser gives back the lock, and collects when the user's tensors have grown
// by much since the last time.
func finishUser() {
	full := since > limit()
	mu.Unlock()
	if full {
		Collect()
	}
}

// write makes the program of the op: arguments, then the call. Handles that the
// dispatcher takes are new ones, since it consumes them.
func (o *op) write(args []arg) {
	for i := range args {
		a, s := &args[i], &stack[i]
		switch a.kind {
		case argWord, argInt:
			*s = a.word
		case argTensor:
			handle(o.word, a.t, s)
		case argTensors:
			l := newList(len(a.ts), s)
			for _, t := range a.ts {
				h := slot()
				handle(o.word, t, h)
				push(l, h)
			}
		case argInts:
			pushInts(newList(len(a.ints), s), a.ints)
		case argSome, argSomeDevice:
			v := slot()
			*v = a.word
			optional(s)
			store(v, s)
		case argSomeTensor:
			h := slot()
			handle(o.word, a.t, h)
			optional(s)
			store(h, s)
		case argSomeInts:
			l := slot()
			pushInts(newList(len(a.ints), l), a.ints)
			optional(s)
			store(l, s)
		case argOptTensors:
			l := newList(len(a.ts), s)
			for _, t := range a.ts {
				p := slot()
				*p = 0
				if t != nil {
					h := slot()
					handle(o.word, t, h)
					optional(p)
					store(h, p)
				}
				push(l, p)
			}
		case argString:
			add(fn.newString, letter(a.text), uint64(len(a.text)), ptr(s))
		}
	}
	add(fn.dispatch, ptr(o.name), ptr(o.overload), ptr(&stack[0]), build)
}

func handle(op string, t *Tensor, to *uint64) {
	t.alive(op)
	add(fn.newHandle, uint64(t.h), ptr(to))
}

func newList(size int, to *uint64) *uint64 {
	add(fn.newList, uint64(size), ptr(to))
	return to
}

func push(list, v *uint64) {
	c := &calls[n+2].a
	move(list, &c[0])
	move(v, &c[1])
	add(fn.push, 0, 0)
}

func pushInts(list *uint64, ints []int) {
	for _, v := range ints {
		move(list, &calls[n+1].a[0])
		add(fn.push, 0, uint64(v))
	}
}

// optional makes room for an optional's value.
func optional(to *uint64) {
	if fn.some != 0 {
		add(fn.some, ptr(to))
		return
	}
	add(fn.alloc, ptr(to), 8, 8)
}

// facts are the words that a program leaves about a result.
type facts struct{ dtype, dim, sizes *uint64 }

// collectResults has the program ask for the facts of the results on the stack.
func (o *op) collectResults() (r [2]facts) {
	for i := range o.results {
		r[i] = ask(&stack[i])
	}
	return r
}

// ask adds to the program what reads dtype and shape of the tensor whose handle is
// in h by then.
func ask(h *uint64) facts {
	f := facts{slot(), slot(), slot()}
	f.read(fn.dtype, h, f.dtype)
	f.read(fn.dim, h, f.dim)
	f.read(fn.sizes, h, f.sizes)
	return f
}

func (facts) read(q uintptr, h, to *uint64) {
	*to = 0
	move(h, &calls[n+1].a[0])
	add(q, 0, ptr(to))
}

func (f facts) tensor(h uintptr, device Device) *Tensor {
	t := &Tensor{h: h, dtype: DType(*f.dtype), device: device}
	t.shape = t.few[:0:len(t.few)]
	for _, s := range unsafe.Slice((*int64)(at(uintptr(*f.sizes))), int(*f.dim)) {
		t.shape = append(t.shape, int(s))
	}
	return t
}

// deviceOf is where an op's results lie: where it was told to put them, or with
// its arguments, of which those without axes may lie on the CPU whatever the
// others do.
func deviceOf(args []arg) Device {
	device := CPU
	for i := range args {
		a := &args[i]
		switch {
		case a.kind == argSomeDevice:
			return deviceFrom(a.word)
		case a.t != nil && !a.t.device.IsCPU():
			device = a.t.device
		}
		for _, t := range a.ts {
			if t != nil && !t.device.IsCPU() {
				device = t.device
			}
		}
	}
	return device
}

// direct runs one of the functions that go round the dispatcher, and record no
// gradients. The caller holds the lock and has written the call; h is where it
// leaves its result.
func (th *thread) direct(op string, h *uint64, args ...arg) *Tensor {
	r := ask(h)
	if text, ok := run(); !ok {
		fail(op, args, text)
	}
	t := th.adopt(r.tensor(uintptr(*h), deviceOf(args)), false)
	finishUser()
	return t
}
