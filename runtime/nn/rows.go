package nn

import "github.com/gonterp/gonterp/runtime/torch"

// Rows takes the rows ids of t [rows width]: the shape of ids, then the width.
//
// libtorch keeps the meta kernel of this operation in its Python part, so that
// shape is made here.
func Rows(t, ids *torch.Tensor) *torch.Tensor {
	if t.Device() == torch.Meta {
		return torch.Empty(t.DType(), torch.Meta, append(ids.Shape(), t.Size(1))...)
	}
	if ids.Dim() == 1 {
		return t.IndexSelect(0, ids)
	}
	return t.Embedding(ids)
}
