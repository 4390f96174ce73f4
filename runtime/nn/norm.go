package nn

import (
	"runtime"
	"unsafe"

	"github.com/gonterp/gonterp/runtime/nn/kern"
	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
)

// RMSNorm is w · x / √(mean(x²) + ε) over the last axis.
type RMSNorm struct {
	Weight *Param
	Eps    float64
}

// RMSNorm makes the module whose weight is name.weight.
func (b *Builder) RMSNorm(name string, size int, eps float64) *RMSNorm {
	return &RMSNorm{b.Param(name+".weight", size), eps}
}

// Forward norms x and shows the native input and output at s.
func (n *RMSNorm) Forward(s point.Scope, x *torch.Tensor) *torch.Tensor {
	return s.Output(n.Apply(s.Input(x)))
}

// Apply is Forward with nobody looking. The statistics are float32 whatever x is,
// and the normed value is rounded to x's dtype before the weight scales it.
func (n *RMSNorm) Apply(x *torch.Tensor) *torch.Tensor {
	w := n.Weight.On(x)
	if loops(x) && kern.Whole(x.Size(-1)) && x.Size(-1) == n.Weight.Shape[0] {
		return n.rows(x.Contiguous(), w)
	}
	if x.DType() == torch.Float32 {
		return x.RMSNorm(w, n.Eps)
	}
	f := x.Float()
	f = f.Mul(f.Square().MeanKeep(-1).Add(n.Eps).Rsqrt())
	return w.Mul(f.To(x.DType()))
}

// rows is a pass over the rows, where libtorch makes five operations of it.
func (n *RMSNorm) rows(x, w *torch.Tensor) *torch.Tensor {
	y := torch.Empty(torch.Float32, torch.CPU, x.Shape()...)
	in, weight, out := floats(x), floats(w), floats(y)
	width := len(weight)
	eachRow(len(in)/width, width, func(row int) {
		kern.Norm(out[row*width:][:width], in[row*width:][:width], weight, n.Eps)
	})
	runtime.KeepAlive(x)
	runtime.KeepAlive(w)
	runtime.KeepAlive(y)
	return y
}

// floats is the memory of a contiguous float32 tensor on the CPU; t is to be kept alive.
func floats(t *torch.Tensor) []float32 {
	return unsafe.Slice((*float32)(t.Data()), t.Numel())
}

// LayerNorm is w · (x − mean(x)) / √(var(x) + ε) + b over the last axis.
type LayerNorm struct {
	Weight, Bias *Param
	Eps          float64
}

// LayerNorm makes the module of name.weight and name.bias.
func (b *Builder) LayerNorm(name string, size int, eps float64) *LayerNorm {
	return &LayerNorm{b.Param(name+".weight", size), b.Param(name+".bias", size), eps}
}

// Forward norms x and shows the native input and output at s.
func (n *LayerNorm) Forward(s point.Scope, x *torch.Tensor) *torch.Tensor {
	x = s.Input(x)
	if x.Device() == torch.Meta { // as in Rows: that kernel is in libtorch's Python part
		return s.Output(torch.Empty(x.DType(), torch.Meta, x.Shape()...))
	}
	return s.Output(x.LayerNorm(n.Weight.On(x), n.Bias.On(x), n.Eps))
}
