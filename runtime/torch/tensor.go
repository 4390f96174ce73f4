package torch

import (
	"runtime"
	"slices"
	"unsafe"
)

// A Tensor is an array of numbers of any shape. It never changes: every method
// that computes returns a new tensor. It is always used by pointer.
type Tensor struct {
	h      uintptr // an owned handle; 0 once its arena let it go
	dtype  DType
	device Device
	shape  []int // lies in few where it fits
	few    [5]int
	origin *Origin
	owner  any   // keeps wrapped memory alive
	bytes  int64 // counted for the collector
}

// Shape is the length of each axis.
func (t *Tensor) Shape() []int { return slices.Clone(t.shape) }

// Dim is the number of axes.
func (t *Tensor) Dim() int { return len(t.shape) }

// Size is the length of axis d; negative d counts from the last.
func (t *Tensor) Size(d int) int { return t.shape[t.axis("Size", d)] }

// Numel is the number of elements.
func (t *Tensor) Numel() int {
	k := 1
	for _, s := range t.shape {
		k *= s
	}
	return k
}

// DType is the type of the elements.
func (t *Tensor) DType() DType { return t.dtype }

// Device is where the memory lies.
func (t *Tensor) Device() Device { return t.device }

// Nbytes is the size of the elements in bytes.
func (t *Tensor) Nbytes() int { return t.Numel() * t.dtype.Size() }

// IsContiguous says whether the elements lie in row-major order without gaps.
func (t *Tensor) IsContiguous() bool {
	return t.fact("IsContiguous", fn.contiguous)&1 != 0
}

// Stride is how many elements apart neighbours along each axis lie.
func (t *Tensor) Stride() []int {
	p := t.fact("Stride", fn.strides)
	s := make([]int, len(t.shape))
	for i, v := range unsafe.Slice((*int64)(at(uintptr(p))), len(s)) {
		s[i] = int(v)
	}
	runtime.KeepAlive(t)
	return s
}

// StorageOffset is where the first element lies in its storage, in elements.
func (t *Tensor) StorageOffset() int { return int(t.fact("StorageOffset", fn.storageOffset)) }

// Data is the address of the first element, in the memory of its device. It is
// valid while t is reachable and its arena hasn't let it go.
func (t *Tensor) Data() unsafe.Pointer { return at(uintptr(t.fact("Data", fn.data))) }

// RequiresGrad says whether gradients can flow to t.
func (t *Tensor) RequiresGrad() bool {
	begin()
	t.alive("RequiresGrad")
	r := plainCall(fn.requiresGrad, t.impl())
	mu.Unlock()
	return r&0xff != 0
}

// fact asks libtorch for one word about t.
func (t *Tensor) fact(op string, f uintptr) uint64 {
	begin()
	t.alive(op)
	r := slot()
	*r = 0
	add(f, uint64(t.h), ptr(r))
	if text, ok := run(); !ok {
		fail(op, []arg{tensor(t)}, text)
	}
	v := *r
	mu.Unlock()
	return v
}

// impl is the C++ object behind the handle, for the few functions without a C
// name: a handle points to a reference, whose first word is that object.
func (t *Tensor) impl() uint64 { return *(*uint64)(at(t.h)) }

// alive is called with the lock held, and gives it back when it panics.
func (t *Tensor) alive(op string) {
	if t == nil {
		mu.Unlock()
		panic(&Error{Op: op, Text: "the tensor is nil"})
	}
	if t.h == 0 {
		mu.Unlock()
		panic(&Error{Op: op, Args: []string{t.brief()}, Text: "this tensor was freed when its forward pass went on",
			Hint: "keep a copy with Own while the pass has it"})
	}
}

// axis checks an axis number.
func (t *Tensor) axis(op string, d int) int { return axisOf(op, t, d, len(t.shape)) }

func axisOf(op string, t *Tensor, d, k int) int {
	if d < -k || d >= k {
		refuse(op, []arg{tensor(t)}, "there is no axis %d: it has %d, numbered %d to %d", d, k, -k, k-1)
	}
	if d < 0 {
		d += k
	}
	return d
}
