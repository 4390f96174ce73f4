package torch

import (
	"slices"
)

var (
	opMatmul, opMM    = newOp("Matmul", "matmul", ""), newOp("MM", "mm", "")
	opBMM, opDot      = newOp("BMM", "bmm", ""), newOp("Dot", "dot", "")
	opOuter           = newOp("Outer", "outer", "")
	opLinear          = newOp("Linear", "linear", "")
	opEmbedding       = newOp("Embedding", "embedding", "")
	opRMSNorm         = newOp("RMSNorm", "rms_norm", "")
	opLayerNorm       = newOp("LayerNorm", "layer_norm", "")
	opAttention       = newOp("ScaledDotProductAttention", "scaled_dot_product_attention", "")
	opViewAsComplex   = newView("ViewAsComplex", "view_as_complex", "", always)
	opViewAsReal      = newView("ViewAsReal", "view_as_real", "", always)
	opComplex         = newOp("Complex", "complex", "")
	opEinsum          = newOp("Einsum", "einsum", "")
	opTo              = newView("To", "to", "dtype", perhaps)
	opToDevice        = newOp("ToDevice", "_to_copy", "")
	opClone, opDetach = newOp("Clone", "clone", ""), newView("Detach", "detach", "", always)
)

// Matmul is the matrix product over the last two axes, with PyTorch's rules for
// vectors and for broadcasting the axes in front.
func (t *Tensor) Matmul(b *Tensor) *Tensor { return opMatmul.call(tensor(t), tensor(b)) }

// BMM is the product of two batches of matrices, [n a b] and [n b c].
func (t *Tensor) BMM(b *Tensor) *Tensor { return opBMM.call(tensor(t), tensor(b)) }

// MM is the product of two matrices, [a b] and [b c].
func (t *Tensor) MM(b *Tensor) *Tensor { return opMM.call(tensor(t), tensor(b)) }

// Dot is the inner product of two vectors of one length.
func (t *Tensor) Dot(b *Tensor) *Tensor { return opDot.call(tensor(t), tensor(b)) }

// Outer is the outer product of two vectors, [a] and [b]: [a b].
func (t *Tensor) Outer(b *Tensor) *Tensor { return opOuter.call(tensor(t), tensor(b)) }

// Linear is t·wᵀ + bias, for a weight [out in]; bias may be nil.
func (t *Tensor) Linear(w, bias *Tensor) *Tensor {
	return opLinear.call(tensor(t), tensor(w), someTensor(bias))
}

// Embedding takes the rows ids of t, the weight [count width].
func (t *Tensor) Embedding(ids *Tensor) *Tensor {
	d := t.axis("Embedding", 0)
	if t.device.IsMeta() {
		return shapeOnly(t.dtype, append(ids.Shape(), t.shape[1:]...))
	}
	return opEmbedding.choose(t, d, ids, tensor(t), tensor(ids), integer(-1), boolean(false), boolean(false))
}

// RMSNorm is w·t/√(mean t² + eps) over the last axis.
func (t *Tensor) RMSNorm(w *Tensor, eps float64) *Tensor {
	return opRMSNorm.call(tensor(t), integers([]int{t.Size(-1)}), someTensor(w), someReal(eps)).sameAs(t)
}

// LayerNorm is w·(t - mean)/√(variance + eps) + b over the last axis.
func (t *Tensor) LayerNorm(w, b *Tensor, eps float64) *Tensor {
	if t.device.IsMeta() {
		return shapeOnly(t.dtype, t.shape).sameAs(t)
	}
	return opLayerNorm.call(tensor(t), integers([]int{t.Size(-1)}), someTensor(w), someTensor(b), real(eps), boolean(false)).sameAs(t)
}

// ScaledDotProductAttention is softmax(scale·t·kᵀ + mask)·v for queries t
// [… seq width]; mask is added to the scores, or keeps where it is true, and may be nil.
func (t *Tensor) ScaledDotProductAttention(k, v, mask *Tensor, causal bool, scale float64) *Tensor {
	if t.device.IsMeta() {
		return shapeOnly(t.dtype, append(t.shape[:len(t.shape)-1:len(t.shape)-1], v.Size(-1)))
	}
	return opAttention.call(tensor(t), tensor(k), tensor(v), someTensor(mask), real(0), boolean(causal), someReal(scale), boolean(false))
}

// ViewAsComplex takes the pairs of the last axis, of length 2, as complex numbers.
func (t *Tensor) ViewAsComplex() *Tensor { return opViewAsComplex.call(tensor(t)) }

// ViewAsReal takes complex numbers as pairs on a new last axis, of length 2.
func (t *Tensor) ViewAsReal() *Tensor { return opViewAsReal.call(tensor(t)) }

// Complex is re + i·im.
func Complex(re, im *Tensor) *Tensor {
	if re.device.IsMeta() {
		return shapeOnly(Complex64, together("Complex", re, im))
	}
	return opComplex.call(tensor(re), tensor(im))
}

// Einsum sums products by Einstein's rule: Einsum("bhqk,bkhd->bqhd", pattern, values).
func Einsum(equation string, ts ...*Tensor) *Tensor {
	return opEinsum.call(arg{kind: argString, text: equation}, tensors(ts), none)
}

// Equal says whether a and b have the same shape and the same elements.
func Equal(a, b *Tensor) bool {
	if !slices.Equal(a.shape, b.shape) {
		return false
	}
	return a.Eq(b).All().Item() != 0
}

// To converts the elements; it is t itself where they have that type.
func (t *Tensor) To(d DType) *Tensor {
	if t != nil && t.dtype == d {
		return t
	}
	return opTo.call(tensor(t), dtypeArg(d), boolean(false), boolean(false), none).sameAs(t)
}

// Float converts to float32.
func (t *Tensor) Float() *Tensor { return t.To(Float32) }

// Double converts to float64.
func (t *Tensor) Double() *Tensor { return t.To(Float64) }

// Long converts to int64; fractions are cut off.
func (t *Tensor) Long() *Tensor { return t.To(Int64) }

// ToDevice is t in the memory of d; it is t itself where it lies there.
func (t *Tensor) ToDevice(d Device) *Tensor {
	if t != nil && t.device == d {
		return t
	}
	d.needs("ToDevice")
	return opToDevice.call(tensor(t), none, none, someDevice(d), none, boolean(false), none).sameAs(t)
}

// Clone is a copy with memory of its own.
func (t *Tensor) Clone() *Tensor { return opClone.call(tensor(t), none).sameAs(t) }

// Detach is the same values, through which no gradient flows.
func (t *Tensor) Detach() *Tensor { return opDetach.call(tensor(t)).sameAs(t) }
