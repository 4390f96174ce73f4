package torch

import (
	"slices"
	"testing"
)

// TestMetaShapes: an op on the meta device has the shape and dtype that it has on
// the CPU.
func TestMetaShapes(t *testing.T) {
	need(t)
	// x is [2 3 4], m [4 4], w [4], ids [2 3].
	for name, f := range map[string]func(x, m, w, ids *Tensor) *Tensor{
		"Neg":         func(x, m, w, ids *Tensor) *Tensor { return x.Neg() },
		"Abs":         func(x, m, w, ids *Tensor) *Tensor { return x.Abs() },
		"Exp":         func(x, m, w, ids *Tensor) *Tensor { return x.Exp() },
		"Relu":        func(x, m, w, ids *Tensor) *Tensor { return x.Relu() },
		"Silu":        func(x, m, w, ids *Tensor) *Tensor { return x.Silu() },
		"Gelu":        func(x, m, w, ids *Tensor) *Tensor { return x.Gelu() },
		"Sigmoid":     func(x, m, w, ids *Tensor) *Tensor { return x.Sigmoid() },
		"Tanh":        func(x, m, w, ids *Tensor) *Tensor { return x.Tanh() },
		"Softmax":     func(x, m, w, ids *Tensor) *Tensor { return x.Softmax(-1) },
		"SoftmaxF32":  func(x, m, w, ids *Tensor) *Tensor { return x.SoftmaxFloat32(-1) },
		"LogSoftmax":  func(x, m, w, ids *Tensor) *Tensor { return x.LogSoftmax(-1) },
		"Sum":         func(x, m, w, ids *Tensor) *Tensor { return x.Sum(1) },
		"SumAll":      func(x, m, w, ids *Tensor) *Tensor { return x.Sum() },
		"Mean":        func(x, m, w, ids *Tensor) *Tensor { return x.Mean(1) },
		"MeanAll":     func(x, m, w, ids *Tensor) *Tensor { return x.Mean() },
		"Max":         func(x, m, w, ids *Tensor) *Tensor { return x.Max() },
		"AMax":        func(x, m, w, ids *Tensor) *Tensor { return x.AMax(1) },
		"Argmax":      func(x, m, w, ids *Tensor) *Tensor { return x.Argmax(-1) },
		"MaxDim":      func(x, m, w, ids *Tensor) *Tensor { a, _ := x.MaxDim(1); return a },
		"Topk":        func(x, m, w, ids *Tensor) *Tensor { a, _ := x.Topk(2); return a },
		"Sort":        func(x, m, w, ids *Tensor) *Tensor { a, _ := x.Sort(-1, true); return a },
		"Norm":        func(x, m, w, ids *Tensor) *Tensor { return x.Norm(1) },
		"Std":         func(x, m, w, ids *Tensor) *Tensor { return x.Std(1) },
		"Var":         func(x, m, w, ids *Tensor) *Tensor { return x.Var(1) },
		"CumSum":      func(x, m, w, ids *Tensor) *Tensor { return x.CumSum(1) },
		"LogSumExp":   func(x, m, w, ids *Tensor) *Tensor { return x.LogSumExp(1) },
		"Matmul":      func(x, m, w, ids *Tensor) *Tensor { return x.Matmul(x.T()) },
		"Linear":      func(x, m, w, ids *Tensor) *Tensor { return x.Linear(m, nil) },
		"Embedding":   func(x, m, w, ids *Tensor) *Tensor { return m.Embedding(ids) },
		"LN":          func(x, m, w, ids *Tensor) *Tensor { return x.LayerNorm(w, w, 1e-6) },
		"IndexInt":    func(x, m, w, ids *Tensor) *Tensor { return x.Index(0, All, 1) },
		"SetAt":       func(x, m, w, ids *Tensor) *Tensor { return x.SetAt(0, 0) },
		"SetAtT":      func(x, m, w, ids *Tensor) *Tensor { return x.SetAt(x.Index(0), 0) },
		"IndexSelect": func(x, m, w, ids *Tensor) *Tensor { return x.IndexSelect(2, ids.Select(0, 0)) },
		"Gather":      func(x, m, w, ids *Tensor) *Tensor { return x.Gather(2, ids.Unsqueeze(2)) },
		"MaskedFill":  func(x, m, w, ids *Tensor) *Tensor { return x.MaskedFill(x.Gt(0), 0) },
		"Eq":          func(x, m, w, ids *Tensor) *Tensor { return x.Eq(3) },
		"Where":       func(x, m, w, ids *Tensor) *Tensor { return Where(x.Gt(0), x, x) },
		"Cat":         func(x, m, w, ids *Tensor) *Tensor { return Cat(0, x, x) },
		"Stack":       func(x, m, w, ids *Tensor) *Tensor { return Stack(0, x, x) },
		"Reshape":     func(x, m, w, ids *Tensor) *Tensor { return x.Reshape(6, 4) },
		"Expand":      func(x, m, w, ids *Tensor) *Tensor { return x.Unsqueeze(0).Expand(5, 2, 3, 4) },
		"Add":         func(x, m, w, ids *Tensor) *Tensor { return x.Add(1) },
		"Mul":         func(x, m, w, ids *Tensor) *Tensor { return x.Mul(x) },
		"Div":         func(x, m, w, ids *Tensor) *Tensor { return x.Div(2) },
		"Pow":         func(x, m, w, ids *Tensor) *Tensor { return x.Pow(2) },
		"Sqrt":        func(x, m, w, ids *Tensor) *Tensor { return x.Sqrt() },
		"Clamp":       func(x, m, w, ids *Tensor) *Tensor { return x.Clamp(0, 1) },
		"To":          func(x, m, w, ids *Tensor) *Tensor { return x.To(BFloat16) },
		"Tril":        func(x, m, w, ids *Tensor) *Tensor { return x.Tril(0) },
		"Einsum":      func(x, m, w, ids *Tensor) *Tensor { return Einsum("abc,abd->acd", x, x) },
		"SDPA":        func(x, m, w, ids *Tensor) *Tensor { return x.ScaledDotProductAttention(x, x, nil, true, 1) },
		"Scatter":     func(x, m, w, ids *Tensor) *Tensor { return x.ScatterValue(2, ids.Unsqueeze(2), 0) },
		"Round":       func(x, m, w, ids *Tensor) *Tensor { return x.Round() },
		"Log":         func(x, m, w, ids *Tensor) *Tensor { return x.Log() },
		"Flip":        func(x, m, w, ids *Tensor) *Tensor { return x.Flip(0) },
		"IsNaN":       func(x, m, w, ids *Tensor) *Tensor { return x.IsNaN() },
		"OneHot":      func(x, m, w, ids *Tensor) *Tensor { return ids.OneHot(5) },
		"Any":         func(x, m, w, ids *Tensor) *Tensor { return x.Gt(0).Any() },
		"Rotate":      func(x, m, w, ids *Tensor) *Tensor { return Complex(x, x) },
	} {
		on := func(d Device) *Tensor {
			at := func(t *Tensor) *Tensor {
				if d.IsMeta() {
					return Empty(t.DType(), Meta, t.Shape()...)
				}
				return t
			}
			return f(at(Rand(1, 2, 3, 4)), at(Rand(2, 4, 4)), at(Rand(3, 4)), at(FromInts([]int64{0, 1, 2, 3, 0, 1}, 2, 3)))
		}
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("%s: %v", name, r)
				}
			}()
			meta, cpu := on(Meta), on(CPU)
			if !slices.Equal(meta.Shape(), cpu.Shape()) || meta.DType() != cpu.DType() || !meta.Device().IsMeta() {
				t.Errorf("%s is %s on the meta device and %s on the CPU", name, meta.brief(), cpu.brief())
			}
		}()
	}
}
