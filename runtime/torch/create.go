package torch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"unsafe"
)

// Empty is a tensor of any numbers: whatever the memory held.
func Empty(dtype DType, device Device, shape ...int) *Tensor {
	checkShape("Empty", shape)
	device.needs("Empty")
	return allocate("Empty", dtype, device, shape, func(h *uint64) {
		sizes, strides := contiguous(shape)
		add(fn.empty, uint64(len(shape)), sizes, strides, uint64(dtype), uint64(device.kind), device.number(), ptr(h))
	})
}

// allocate runs a program that leaves a new tensor of known facts in h. Where
// memory ran out it collects once and tries again.
func allocate(op string, dtype DType, device Device, shape []int, write func(h *uint64)) *Tensor {
	th, h := begin(), slot()
	write(h)
	text, ok := run()
	if !ok && isOutOfMemory(text) {
		mu.Unlock()
		Collect()
		th, h = begin(), slot()
		write(h)
		text, ok = run()
	}
	if !ok {
		mu.Unlock()
		e := failure(op, nil, text)
		e.Args = []string{fmt.Sprint(shape) + " " + dtype.String()}
		panic(e)
	}
	t := &Tensor{h: uintptr(*h), dtype: dtype, device: device}
	t.setShape(shape)
	th.adopt(t, false)
	finishUser()
	return t
}

func checkShape(op string, shape []int) {
	for i, s := range shape {
		if s < 0 {
			refuse(op, []arg{integers(shape)}, "axis %d has the length %d", i, s)
		}
	}
}

// Full is a tensor whose elements are all v.
func Full(v float64, dtype DType, device Device, shape ...int) *Tensor {
	checkShape("Full", shape)
	device.needs("Full")
	return allocate("Full", dtype, device, shape, func(h *uint64) {
		writeFull(v, dtype, device, shape, h)
	})
}

func writeFull(v float64, dtype DType, device Device, shape []int, h *uint64) {
	ty, dev := slot(), slot()
	*ty, *dev = uint64(dtype), uint64(device.kind)
	c := add(fn.full, list(shape), uint64(len(shape)), ptr(ty), 0, ptr(dev), device.number(), 0, ptr(h))
	c.x[0] = v
}

// Zeros is a tensor of zeros.
func Zeros(dtype DType, device Device, shape ...int) *Tensor { return Full(0, dtype, device, shape...) }

// Ones is a tensor of ones.
func Ones(dtype DType, device Device, shape ...int) *Tensor { return Full(1, dtype, device, shape...) }

// Scalar is a tensor without axes.
func Scalar(v float64, dtype DType) *Tensor { return Full(v, dtype, CPU) }

// Arange is 0, 1, … n-1, as int64.
func Arange(n int) *Tensor {
	v := make([]int64, n)
	for i := range v {
		v[i] = int64(i)
	}
	return FromInts(v, n)
}

// FromFloats copies numbers, row by row, into a float32 tensor of that shape; without
// a shape, it has one axis.
func FromFloats(v []float32, shape ...int) *Tensor { return fromSlice("FromFloats", v, Float32, shape) }

// FromFloat64s copies numbers, row by row, into a float64 tensor of that shape;
// without a shape, it has one axis.
func FromFloat64s(v []float64, shape ...int) *Tensor {
	return fromSlice("FromFloat64s", v, Float64, shape)
}

// FromInts is an int64 tensor, as FromFloat64s.
func FromInts(v []int64, shape ...int) *Tensor { return fromSlice("FromInts", v, Int64, shape) }

// FromBools is a bool tensor, as FromFloat64s.
func FromBools(v []bool, shape ...int) *Tensor { return fromSlice("FromBools", v, Bool, shape) }

func fromSlice[E any](op string, v []E, dtype DType, shape []int) *Tensor {
	if len(shape) == 0 {
		shape = []int{len(v)}
	}
	k := 1
	for _, s := range shape {
		k *= s
	}
	if k != len(v) {
		refuse(op, []arg{integers(shape)}, "%d numbers don't fill that shape, which has %d elements", len(v), k)
	}
	t := Empty(dtype, CPU, shape...)
	if len(v) > 0 {
		copy(unsafe.Slice((*E)(t.Data()), len(v)), v)
	}
	runtime.KeepAlive(t)
	return t
}

// Blob wraps memory without a copy: p must be aligned for dtype and stay valid as
// long as owner, which the tensor and its views keep alive. It belongs to the user
// whatever arena is current.
func Blob(p unsafe.Pointer, dtype DType, shape []int, owner any) *Tensor {
	checkShape("Blob", shape)
	begin()
	sizes, strides := contiguous(shape)
	h := slot()
	add(fn.fromBlob, uint64(uintptr(p)), uint64(len(shape)), sizes, strides, 0, uint64(dtype), kindCPU, CPU.number(), ptr(h))
	if text, ok := run(); !ok {
		fail("Blob", []arg{integers(shape)}, text)
	}
	t := &Tensor{h: uintptr(*h), dtype: dtype, owner: owner}
	if owner == nil {
		t.owner = p
	}
	t.setShape(shape)
	giveUser(t)
	mu.Unlock()
	return t
}

// Rand is uniform on [0, 1), float32; the same seed gives the same numbers, on every
// machine.
func Rand(seed uint64, shape ...int) *Tensor {
	return random(seed, shape, func(r *rand.Rand) float32 { return r.Float32() })
}

// Randn is standard normal, float32; the same seed gives the same numbers, on every
// machine.
func Randn(seed uint64, shape ...int) *Tensor {
	return random(seed, shape, func(r *rand.Rand) float32 { return float32(r.NormFloat64()) })
}

func random(seed uint64, shape []int, draw func(*rand.Rand) float32) *Tensor {
	checkShape("Rand", shape)
	k := 1
	for _, s := range shape {
		k *= s
	}
	r := generator(seed)
	v := make([]float32, k)
	for i := range v {
		v[i] = draw(r)
	}
	return fromSlice("Rand", v, Float32, shape)
}

func generator(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x676f6e74657270)) }

// A number is a Go number as an operand: an integer keeps integer tensors integer.
type number struct {
	v     float64
	whole bool
}

// Number is a Go number of any type; ok is false for what is none.
func Number(x any) (v float64, ok bool) {
	n, ok := numberOf(x)
	return n.v, ok
}

func numberOf(x any) (number, bool) {
	switch v := x.(type) {
	case int:
		return number{float64(v), true}, true
	case float64:
		return number{v, false}, true
	case float32:
		return number{float64(v), false}, true
	case bool:
		return number{}, false
	}
	v := reflect.ValueOf(x)
	switch {
	case v.CanInt():
		return number{float64(v.Int()), true}, true
	case v.CanUint():
		return number{float64(v.Uint()), true}, true
	case v.CanFloat():
		return number{v.Float(), false}, true
	}
	return number{}, false
}

// operand is x as a tensor beside t, with PyTorch's promotion: a number takes the
// type of t unless it is a fraction and t is integer.
func operand(op string, t *Tensor, x any) *Tensor {
	if o, ok := x.(*Tensor); ok {
		if o == nil {
			refuse(op, []arg{tensor(t)}, "the operand is a nil tensor")
		}
		return o
	}
	v, ok := numberOf(x)
	if !ok {
		refuse(op, []arg{tensor(t)}, "an operand is a *Tensor or a Go number, not %T", x)
	}
	return scalarFor(t, v)
}

func scalarFor(t *Tensor, v number) *Tensor {
	d := t.dtype
	switch {
	case d.IsFloat() && d.Size() < 4 && len(t.shape) > 0:
		d = Float64 // it doesn't widen t, having no axes, and is not rounded before its use
	case d.IsFloat() || d.IsComplex():
	case d == Bool && v.whole:
		d = Int64
	case !v.whole || math.Abs(v.v) > 1<<62:
		d = Float32
	}
	return scalar(v.v, d)
}

// scalars are kept: a program makes the same few again and again.
var scalars = map[scalarKey]*Tensor{}

type scalarKey struct {
	bits  uint64
	dtype DType
}

const maxScalars = 512

func scalar(v float64, d DType) *Tensor {
	k := scalarKey{bits(v), d}
	mu.Lock()
	s := scalars[k]
	mu.Unlock()
	if s != nil {
		return s
	}
	begin()
	prog.want = 0
	h := slot()
	writeFull(v, d, CPU, nil, h)
	if text, ok := run(); !ok {
		fail("Scalar", nil, text)
	}
	s = &Tensor{h: uintptr(*h), dtype: d}
	if len(scalars) >= maxScalars {
		for _, old := range scalars {
			giveUser(old)
		}
		clear(scalars)
	}
	scalars[k] = s
	mu.Unlock()
	return s
}
