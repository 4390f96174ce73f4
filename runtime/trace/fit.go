package trace

import (
	"fmt"
	"math"
	"slices"

	"github.com/gonterp/gonterp/runtime/torch"
)

// fit makes v a value of the shape, dtype and device of x. A tensor that already
// is one passes through untouched, so that writing back what was read changes no
// bit.
func fit(path string, x *torch.Tensor, v any) *torch.Tensor {
	t, ok := v.(*torch.Tensor)
	if !ok {
		return fill(path, x, v)
	}
	if t == nil {
		panic(&ValueError{path, "the tensor is nil"})
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
		if !Broadcasts(t.Shape(), x.Shape()) {
			panic(&ShapeError{Path: path, Found: t.Shape(), Want: x.Shape()})
		}
		t = t.Expand(x.Shape()...).Contiguous()
	}
	return t
}

// fill is a tensor like x whose elements are all the number v.
func fill(path string, x *torch.Tensor, v any) *torch.Tensor {
	number, ok := torch.Number(v)
	if !ok {
		panic(&ValueError{path, fmt.Sprintf("a %T is neither a tensor nor a number", v)})
	}
	if !x.DType().IsFloat() && (number != math.Trunc(number) || math.IsInf(number, 0)) {
		panic(&ValueError{path, fmt.Sprintf("it holds whole numbers (%v) and %v is none", x.DType(), v)})
	}
	return torch.Full(number, x.DType(), x.Device(), x.Shape()...)
}

// Broadcasts says whether shape a stretches to shape b without b growing.
func Broadcasts(a, b []int) bool {
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
