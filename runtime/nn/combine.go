package nn

import (
	"runtime"
	"slices"
	"unsafe"

	"github.com/gonterp/gonterp/runtime/nn/kern"
	"github.com/gonterp/gonterp/runtime/torch"
)

// Combine is Σ_i weights_i · x[place_i] over the slots i of each token, one after the
// other: [tokens width] of x [slots width] and weights [... slots of a token]. It is SumSlots of the weighted rows, which are never made.
func Combine(x *torch.Tensor, place []int64, weights *torch.Tensor) *torch.Tensor {
	each := weights.Size(-1)
	if combines(x) && weights.DType() == torch.Float32 {
		return combine(x.Contiguous(), place, weights.Contiguous(), each)
	}
	return SumSlots(Gather(x, place).Reshape(-1, each, x.Size(1)).Mul(weights.Reshape(-1, each, 1)))
}

// SumSlots is the sum over the slots of each token: x [... slots width] without its
// last axis but one.
func SumSlots(x *torch.Tensor) *torch.Tensor {
	slots, width := x.Size(-2), x.Size(-1)
	if !combines(x) {
		return x.Sum(-2)
	}
	place := make([]int64, x.Numel()/width)
	for i := range place {
		place[i] = int64(i)
	}
	y := combine(x.Contiguous(), place, torch.Ones(torch.Float32, torch.CPU, len(place)), slots)
	shape := x.Shape()
	return y.Reshape(slices.Delete(shape, len(shape)-2, len(shape)-1)...)
}

func combines(x *torch.Tensor) bool {
	return direct(x) && x.DType() == torch.Float32 && kern.Whole(x.Size(-1))
}

// combine sums rows of x, as many for a token as each says, times their weights.
func combine(x *torch.Tensor, place []int64, weights *torch.Tensor, each int) *torch.Tensor {
	width := x.Size(-1)
	y := torch.Empty(torch.Float32, torch.CPU, len(place)/each, width)
	rows := make([]unsafe.Pointer, each)
	scale, out := floats(weights), y.Data()
	for ; len(place) > 0; place, scale = place[each:], scale[each:] {
		for i := range rows {
			rows[i] = unsafe.Add(x.Data(), int(place[i])*width*4)
		}
		kern.Combine(out, rows, scale, width)
		out = unsafe.Add(out, width*4)
	}
	runtime.KeepAlive(x)
	runtime.KeepAlive(weights)
	runtime.KeepAlive(y)
	return y
}
