package nn

import (
	"runtime"

	"github.com/gonterp/gonterp/runtime/torch"
)

// Rows takes the rows ids of t [rows width]: the shape of ids, then the width.
//
// libtorch keeps the meta kernel of this operation in its Python part, so that
// shape is made here.
func Rows(t, ids *torch.Tensor) *torch.Tensor {
	if t.Device() == torch.Meta {
		return torch.Empty(t.DType(), torch.Meta, append(ids.Shape(), t.Size(1))...)
	}
	return t.Embedding(ids)
}

// Gather takes the rows at those places of t [rows width]: [places width].
func Gather(t *torch.Tensor, places []int64) *torch.Tensor {
	width := t.Size(1)
	switch {
	case t.Device() == torch.Meta:
		return torch.Empty(t.DType(), torch.Meta, len(places), width)
	case !loops(t):
		return t.IndexSelect(0, torch.FromInts(places, len(places)).ToDevice(t.Device()))
	}
	t = t.Contiguous()
	y := torch.Empty(torch.Float32, torch.CPU, len(places), width)
	from, to := floats(t), floats(y)
	eachRow(len(places), width, func(row int) {
		copy(to[row*width:][:width], from[int(places[row])*width:][:width])
	})
	runtime.KeepAlive(t)
	runtime.KeepAlive(y)
	return y
}
