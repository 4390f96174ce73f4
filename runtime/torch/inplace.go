package torch

// The functions of this file write into tensors made before, or look at memory in
// ways that record nothing. They are for the inner loops of a forward that doesn't
// record, and for caches; nothing that a user holds may be written by them.

// CopyInto writes src over dst, with broadcasting and conversion.
func CopyInto(dst, src *Tensor) {
	begin()
	dst.alive("CopyInto")
	src.alive("CopyInto")
	add(fn.copy, uint64(dst.h), uint64(src.h), 0)
	finish("CopyInto", tensor(dst), tensor(src))
}

// Zero writes zeros over dst.
func Zero(dst *Tensor) {
	begin()
	dst.alive("Zero")
	add(fn.zero, uint64(dst.h))
	finish("Zero", tensor(dst))
}

// finish runs a program without a result.
func finish(op string, args ...arg) {
	if text, ok := run(); !ok {
		fail(op, args, text)
	}
	mu.Unlock()
}

// Strided is a view of t's storage: offset and strides count elements. It reads
// memory as it lies and checks nothing against t's shape.
func Strided(t *Tensor, offset int, shape, stride []int) *Tensor {
	th := begin()
	t.alive("Strided")
	h := slot()
	add(fn.reinterpret, uint64(t.h), uint64(len(shape)), list(shape), list(stride), uint64(offset), ptr(h))
	r := th.made("Strided", h, t.dtype, t.device, shape)
	return r
}

// MMInto writes a·b into dst.
func MMInto(dst, a, b *Tensor) *Tensor {
	begin()
	dst.alive("MMInto")
	a.alive("MMInto")
	b.alive("MMInto")
	add(fn.mmOut, uint64(dst.h), uint64(a.h), uint64(b.h))
	finish("MMInto", tensor(dst), tensor(a), tensor(b))
	return dst
}

// BMMInto writes the products of a's and b's matrices into dst.
func BMMInto(dst, a, b *Tensor) *Tensor {
	begin()
	dst.alive("BMMInto")
	a.alive("BMMInto")
	b.alive("BMMInto")
	add(fn.bmmOut, uint64(dst.h), uint64(a.h), uint64(b.h))
	finish("BMMInto", tensor(dst), tensor(a), tensor(b))
	return dst
}

// AddMMInto and AddBMMInto write beta·self + alpha·a·b into dst.
func AddMMInto(dst, self, a, b *Tensor, beta, alpha float64) *Tensor {
	return addProduct("AddMMInto", fn.addmmOut, dst, self, a, b, beta, alpha)
}

func AddBMMInto(dst, self, a, b *Tensor, beta, alpha float64) *Tensor {
	return addProduct("AddBMMInto", fn.baddbmmOut, dst, self, a, b, beta, alpha)
}

func addProduct(op string, f uintptr, dst, self, a, b *Tensor, beta, alpha float64) *Tensor {
	begin()
	for _, t := range [...]*Tensor{dst, self, a, b} {
		t.alive(op)
	}
	c := add(f, uint64(dst.h), uint64(self.h), uint64(a.h), uint64(b.h))
	c.x[0], c.x[1] = beta, alpha
	finish(op, tensor(dst), tensor(self), tensor(a), tensor(b))
	return dst
}
