package torch

import "fmt"

// The functions of this file write into tensors made before, or look at memory in
// ways that record nothing: no gradient flows through them. They are for the inner
// loops of a forward that doesn't record, and refuse a thread that is recording;
// nothing that a user holds may be written by them.

// CopyInto writes src over dst, with broadcasting and conversion. It and Zero are
// for caches, and may be called while recording: they stay out of the record.
func CopyInto(dst, src *Tensor) {
	beginUnrecorded("CopyInto", dst, src)
	add(fn.copy, uint64(dst.h), uint64(src.h), 0)
	finish("CopyInto", tensor(dst), tensor(src))
}

// Zero writes zeros over dst.
func Zero(dst *Tensor) {
	beginUnrecorded("Zero", dst)
	add(fn.zero, uint64(dst.h))
	finish("Zero", tensor(dst))
}

// Strided is a view of t's storage: offset and strides count elements. It reads
// memory as it lies, whatever t's own shape.
func Strided(t *Tensor, offset int, shape, stride []int) *Tensor {
	th := beginView("Strided", t)
	if len(shape) != len(stride) {
		mu.Unlock()
		refuse("Strided", []arg{tensor(t), integers(shape), integers(stride)}, "there must be a stride for each axis")
	}
	h := slot()
	t.strided(offset, shape, stride, h)
	if text, ok := run(); !ok {
		fail("Strided", []arg{tensor(t), integers(shape), integers(stride)}, text)
	}
	v := &Tensor{h: uintptr(*h), dtype: t.dtype, device: t.device, owner: t.owner}
	v.setShape(shape)
	th.adopt(v, true)
	mu.Unlock()
	return v
}

func (t *Tensor) strided(offset int, shape, stride []int, h *uint64) {
	add(fn.reinterpret, uint64(t.h), uint64(len(shape)), list(shape), list(stride), uint64(offset), ptr(h))
}

// Rows are the views of rows from[i] up to from[i+1] of a contiguous tensor of two
// axes that starts its storage, made in one crossing.
func Rows(t *Tensor, from []int) []*Tensor {
	th := beginView("Rows", t)
	if len(t.shape) != 2 || len(from) == 0 {
		mu.Unlock()
		refuse("Rows", []arg{tensor(t)}, "it cuts a tensor of two axes at given rows")
	}
	views := make([]*Tensor, 0, len(from)-1)
	cols := t.shape[1]
	for len(views) < len(from)-1 {
		first := len(views)
		batch := min(len(from)-1-first, 400)
		n, nout, ndims = 0, 0, 0
		for i := first; i < first+batch; i++ {
			t.strided(from[i]*cols, []int{from[i+1] - from[i], cols}, []int{cols, 1}, slot())
		}
		if text, ok := run(); !ok {
			fail("Rows", []arg{tensor(t)}, text)
		}
		for i := range batch {
			v := &Tensor{h: uintptr(out[i]), dtype: t.dtype, device: t.device, owner: t.owner}
			v.setShape([]int{from[first+i+1] - from[first+i], cols})
			views = append(views, th.adopt(v, true))
		}
	}
	mu.Unlock()
	return views
}

// MMInto writes a·b into dst.
func MMInto(dst, a, b *Tensor) *Tensor {
	beginInPlace("MMInto", dst, a, b)
	add(fn.mmOut, uint64(dst.h), uint64(a.h), uint64(b.h))
	finish("MMInto", tensor(dst), tensor(a), tensor(b))
	return dst
}

// MMsInto writes as[i]·bs[i] into dsts[i] for every i, in one crossing.
func MMsInto(dsts, as, bs []*Tensor) {
	if len(as) != len(dsts) || len(bs) != len(dsts) {
		panic(&Error{Op: "MMsInto", Text: fmt.Sprintf("%d results for %d and %d factors", len(dsts), len(as), len(bs))})
	}
	for len(dsts) > 0 {
		k := min(len(dsts), maxCalls)
		beginInPlace("MMsInto", dsts[:k]...)
		for i := range k {
			as[i].alive("MMsInto")
			bs[i].alive("MMsInto")
			add(fn.mmOut, uint64(dsts[i].h), uint64(as[i].h), uint64(bs[i].h))
		}
		finish("MMsInto", tensors(dsts[:k]), tensors(as[:k]), tensors(bs[:k]))
		dsts, as, bs = dsts[k:], as[k:], bs[k:]
	}
}

// BMMInto writes the products of a's and b's matrices into dst.
func BMMInto(dst, a, b *Tensor) *Tensor {
	beginInPlace("BMMInto", dst, a, b)
	add(fn.bmmOut, uint64(dst.h), uint64(a.h), uint64(b.h))
	finish("BMMInto", tensor(dst), tensor(a), tensor(b))
	return dst
}

// AddMMInto writes beta·self + alpha·a·b into dst, for matrices.
func AddMMInto(dst, self, a, b *Tensor, beta, alpha float64) *Tensor {
	return addProduct("AddMMInto", fn.addmmOut, dst, self, a, b, beta, alpha)
}

// AddBMMInto is AddMMInto for batches of matrices.
func AddBMMInto(dst, self, a, b *Tensor, beta, alpha float64) *Tensor {
	return addProduct("AddBMMInto", fn.baddbmmOut, dst, self, a, b, beta, alpha)
}

func addProduct(op string, f uintptr, dst, self, a, b *Tensor, beta, alpha float64) *Tensor {
	beginInPlace(op, dst, self, a, b)
	c := add(f, uint64(dst.h), uint64(self.h), uint64(a.h), uint64(b.h))
	c.x[0], c.x[1] = beta, alpha
	finish(op, tensor(dst), tensor(self), tensor(a), tensor(b))
	return dst
}

// HasOneDNN says whether this libtorch has oneDNN's linear.
func HasOneDNN() bool {
	begin()
	mu.Unlock()
	return fn.onednn != 0 && fn.onednnBinary != 0
}

var (
	postNone, postSwish = cname("none"), cname("swish")
	postMul, postAdd    = cname("mul"), cname("add")
)

// OneDNNLinear is x·wᵀ by oneDNN, which on large products is faster than Linear
// and costs 10 µs more a call.
func OneDNNLinear(x, w *Tensor) *Tensor { return onednn("OneDNNLinear", x, w, postNone) }

// OneDNNSilu is silu of OneDNNLinear.
func OneDNNSilu(x, w *Tensor) *Tensor { return onednn("OneDNNSilu", x, w, postSwish) }

func onednn(op string, x, w *Tensor, post *byte) *Tensor {
	th := beginInPlace(op, x, w)
	h := slot()
	add(fn.onednn, uint64(x.h), uint64(w.h), 0, ptr(post), 0, 0, 0, ptr(h))
	return th.direct(op, h, tensor(x), tensor(w))
}

// OneDNNMul is other·(x·wᵀ) element by element.
func OneDNNMul(x, w, other *Tensor) *Tensor { return onednnBinary("OneDNNMul", x, w, other, postMul) }

// OneDNNAdd is other + x·wᵀ.
func OneDNNAdd(x, w, other *Tensor) *Tensor { return onednnBinary("OneDNNAdd", x, w, other, postAdd) }

func onednnBinary(op string, x, w, other *Tensor, post *byte) *Tensor {
	th := beginInPlace(op, x, w, other)
	h := slot()
	add(fn.onednnBinary, uint64(x.h), uint64(other.h), uint64(w.h), 0, ptr(post), ptr(h))
	return th.direct(op, h, tensor(x), tensor(w), tensor(other))
}

// beginUnrecorded is begin for what records nothing even on a recording thread.
func beginUnrecorded(op string, ts ...*Tensor) *thread {
	th := begin()
	prog.want = 0
	for _, t := range ts {
		t.alive(op)
	}
	return th
}

// beginView is begin for views that must not be recorded.
func beginView(op string, t *Tensor) *thread {
	th := begin()
	t.alive(op)
	if th.mode != 0 {
		mu.Unlock()
		panic(&Error{Op: op, Text: "it records no gradients, and this thread is recording"})
	}
	return th
}

// beginInPlace is begin for what only the CPU has and must not be recorded.
func beginInPlace(op string, ts ...*Tensor) *thread {
	th := begin()
	for _, t := range ts {
		t.alive(op)
		if !t.device.IsCPU() {
			mu.Unlock()
			refuse(op, []arg{tensor(t)}, "it works on the CPU only")
		}
	}
	if th.mode != 0 {
		mu.Unlock()
		panic(&Error{Op: op, Text: "it records no gradients, and this thread is recording"})
	}
	return th
}

// finish runs a program without a result.
func finish(op string, args ...arg) {
	if text, ok := run(); !ok {
		fail(op, args, text)
	}
	mu.Unlock()
}
