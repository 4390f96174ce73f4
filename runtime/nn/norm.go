package nn

import (
	"math"
	"runtime"
	"unsafe"

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
	if x.DType() == torch.Float32 && x.Numel() <= smallNorm && direct(x) {
		return n.small(x.Contiguous(), w)
	}
	if x.DType() == torch.Float32 {
		return x.RMSNorm(w, n.Eps)
	}
	f := x.Float()
	f = f.Mul(f.Square().MeanKeep(-1).Add(n.Eps).Rsqrt())
	return w.Mul(f.To(x.DType()))
}

// smallNorm is up to how many elements a loop in Go beats the five operations that
// libtorch makes of an RMSNorm.
const smallNorm = 1 << 16

func (n *RMSNorm) small(x, w *torch.Tensor) *torch.Tensor {
	y := torch.Empty(torch.Float32, torch.CPU, x.Shape()...)
	weight := floats(w)
	in, out := floats(x), floats(y)
	for ; len(in) > 0; in, out = in[len(weight):], out[len(weight):] {
		row, to := in[:len(weight)], out[:len(weight)]
		scale := float32(1 / math.Sqrt(meanSquare(row)+n.Eps))
		for i, v := range row {
			to[i] = weight[i] * (v * scale)
		}
	}
	runtime.KeepAlive(x)
	runtime.KeepAlive(w)
	return y
}

func meanSquare(row []float32) float64 {
	var a, b, c, d float32
	i := 0
	for ; i+4 <= len(row); i += 4 {
		a += row[i] * row[i]
		b += row[i+1] * row[i+1]
		c += row[i+2] * row[i+2]
		d += row[i+3] * row[i+3]
	}
	for ; i < len(row); i++ {
		a += row[i] * row[i]
	}
	return (float64(a) + float64(b) + float64(c) + float64(d)) / float64(len(row))
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
