package trace

import (
	"fmt"
	"slices"

	"github.com/gonterp/gonterp/runtime/torch"
)

// fit makes v a value of the shape, dtype and device of x. A tensor that already
// is one passes through untouched, so that writing back what was read changes no
// bit.
func fit(path string, x *torch.Tensor, v any) *torch.Tensor {
	var t *torch.Tensor
	switch v := v.(type) {
	case *torch.Tensor:
		if v == nil {
			panic(&ValueError{path, "the tensor is nil"})
		}
		t = v
	case float64:
		return torch.Full(v, x.DType(), x.Device(), x.Shape()...)
	case float32:
		return torch.Full(float64(v), x.DType(), x.Device(), x.Shape()...)
	case int:
		return torch.Full(float64(v), x.DType(), x.Device(), x.Shape()...)
	default:
		panic(&ValueError{path, fmt.Sprintf("a %T is neither a tensor nor a number", v)})
	}
	if t.DType() != x.DType() {
		if t.DType().IsFloat() && !x.DType().IsFloat() {
			panic(&ValueError{path, fmt.Sprintf("it holds whole numbers (%v) and the value is %v. Convert it first, with Long()", x.DType(), t.DType())})
		}
		t = t.To(x.DType())
	}
	if t.Device() != x.Device() {
		t = t.ToDevice(x.Device())
	}
	if !slices.Equal(t.Shape(), x.Shape()) {
		if !broadcasts(t.Shape(), x.Shape()) {
			panic(&ShapeError{Path: path, Found: t.Shape(), Want: x.Shape()})
		}
		t = t.Expand(x.Shape()...).Contiguous()
	}
	return t
}

// broadcasts says whether shape a stretches to shape b without b growing.
func broadcasts(a, b []int) bool {
	if len(a) > len(b) {
		return false
	}
	b = b[len(b)-len(a):]
	for i := range a {
		if a[i] != b[i] && a[i] != 1 {
			return false
		}
	}
	return true
}
