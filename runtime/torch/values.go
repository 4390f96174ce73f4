package torch

import (
	"runtime"
	"unsafe"

	"gonum.org/v1/gonum/mat"
)

// host is t as contiguous elements of that type in the CPU's memory.
func (t *Tensor) host(op string, d DType) *Tensor {
	if t != nil && t.device.IsMeta() {
		refuse(op, []arg{tensor(t)}, "a scan knows shapes and no values")
	}
	return t.ToDevice(CPU).To(d).Contiguous()
}

func elements[E any](op string, t *Tensor, d DType) []E {
	h := t.host(op, d)
	v := make([]E, h.Numel())
	if len(v) > 0 {
		copy(v, unsafe.Slice((*E)(h.Data()), len(v)))
	}
	runtime.KeepAlive(h)
	return v
}

// Floats copies the elements out, row by row, as float32.
func (t *Tensor) Floats() []float32 { return elements[float32]("Floats", t, Float32) }

// Float64s copies the elements out, row by row, as float64.
func (t *Tensor) Float64s() []float64 { return elements[float64]("Float64s", t, Float64) }

// Ints copies the elements out, row by row, as int64; fractions are cut off.
func (t *Tensor) Ints() []int64 { return elements[int64]("Ints", t, Int64) }

// Bools copies the elements out, row by row: whether each is not 0.
func (t *Tensor) Bools() []bool { return elements[bool]("Bools", t, Bool) }

// Item is the value of a tensor of one element.
func (t *Tensor) Item() float64 {
	if t.Numel() != 1 {
		refuse("Item", []arg{tensor(t)}, "it has %d elements, not one; choose one with Index, or use Floats", t.Numel())
	}
	return t.Float64s()[0]
}

// Dense copies a tensor of two axes into a matrix of gonum.
func (t *Tensor) Dense() *mat.Dense {
	if len(t.shape) != 2 {
		refuse("Dense", []arg{tensor(t)}, "a matrix has two axes, this has %d; choose some with Index", len(t.shape))
	}
	if t.Numel() == 0 {
		refuse("Dense", []arg{tensor(t)}, "gonum has no empty matrices")
	}
	return mat.NewDense(t.shape[0], t.shape[1], t.Float64s())
}
