package torch

import (
	"math"
	"strings"
	"testing"
)

func TestString(t *testing.T) {
	need(t)
	for _, c := range []struct {
		got  *Tensor
		want string
	}{
		{Scalar(0.5, Float32), "tensor(0.5000) [] float32"},
		{floats(1, -2, 3), "tensor([ 1., -2.,  3.]) [3] float32"},
		{matrix(2, 2, 1, 2.25, 3, 4), "tensor([[1.0000, 2.2500],\n        [3.0000, 4.0000]])\n[2 2] float32"},
		{floats(1e-6, 2), "tensor([1.0000e-06, 2.0000e+00]) [2] float32"},
		{FromFloat64s([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 1}), "tensor([ nan,  inf, -inf,   1.]) [4] float64"},
		{ints(1, -20), "tensor([  1, -20]) [2] int64"},
		{FromBools([]bool{true, false}), "tensor([ true, false]) [2] bool"},
		{Zeros(BFloat16, CPU, 0, 3), "tensor([]) [0 3] bfloat16"},
		{Empty(Float32, Meta, 2, 3), "tensor(no values) [2 3] float32 meta"},
		{Complex(floats(1.5), floats(-2)), "tensor([1.5000-2.0000i]) [1] complex64"},
		{Arange(1001), "tensor([   0,    1,    2, ...,  998,  999, 1000]) [1001] int64"},
		{floats(1).WithOrigin(&Origin{Path: "layers.0.layer_output"}), "tensor([1.]) [1] float32 layers.0.layer_output"},
		{Arange(8).Reshape(2, 2, 2), "tensor([[[0, 1],\n         [2, 3]],\n\n        [[4, 5],\n         [6, 7]]])\n[2 2 2] int64"},
		{nil, "tensor(nil)"},
	} {
		if got := c.got.String(); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
	for _, line := range strings.Split(Randn(1, 300, 400).String(), "\n") {
		if len(line) > printWidth {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
	if s := Arange(100).String(); strings.Count(s, "\n") != 5 {
		t.Errorf("rows are not broken: %s", s)
	}
}
