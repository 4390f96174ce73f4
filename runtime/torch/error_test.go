package torch

import (
	"strings"
	"testing"
)

// An error says what was asked, of what, and what is wrong, in the user's words.
func TestErrors(t *testing.T) {
	need(t)
	x, y := Zeros(Float32, CPU, 2, 3), Zeros(Float32, CPU, 4, 5)
	pattern := Zeros(Float32, CPU, 1, 8, 5, 5).WithOrigin(&Origin{Axes: []string{"batch", "num_heads", "query", "key"}})
	for _, c := range []struct {
		name  string
		op    func()
		words []string
	}{
		{"shapes of a product", func() { x.Matmul(y) }, []string{"Matmul([2 3] float32, [4 5] float32)", "cannot be multiplied", "Transpose"}},
		{"shapes of a sum", func() { x.Add(y) }, []string{"Add([2 3] float32, [4 5] float32)", "must match", "dimension 1"}},
		{"shapes of a sum of integers", func() { x.Long().Add(y.Long()) }, []string{"Add([2 3] int64, [4 5] int64)", "don't fit"}},
		{"dtypes of a product", func() { x.Matmul(x.T().Double()) }, []string{"Matmul", "float64", "To(dtype)"}},
		{"Reshape", func() { x.Reshape(4, 2) }, []string{"Reshape([2 3] float32, [4 2])", "invalid for input of size 6", "as many elements"}},
		{"index", func() { pattern.Index(0, 8) }, []string{"Index", "[1 8 5 5] float32", "index 8", "axis 1", "num_heads", "size is 8"}},
		{"negative index", func() { x.Index(-3) }, []string{"index -3", "axis 0", "size is 2"}},
		{"too many indices", func() { x.Index(0, 0, 0) }, []string{"3 indices", "2 axes"}},
		{"index tensor", func() { x.Index(All, ints(0, 3)) }, []string{"index 3", "axis 1", "size is 3"}},
		{"index of a slice", func() { x.Index(All, []int{0, 3}) }, []string{"index 3", "axis 1", "size is 3"}},
		{"mask of a slice", func() { x.Index([]bool{true, true, true}) }, []string{"mask", "axis 0", "3", "2"}},
		{"index by a float", func() { x.Index(1.0) }, []string{"float64", "Range"}},
		{"index by a string", func() { x.Index("a") }, []string{`"a"`}},
		{"index by floats", func() { x.Index(floats(1)) }, []string{"int64 or bool", "float32"}},
		{"index by nil", func() { x.Index((*Tensor)(nil)) }, []string{"nil"}},
		{"mask", func() { x.Index(FromBools([]bool{true, true, true})) }, []string{"mask", "axis 0", "3", "2"}},
		{"SetAt", func() { x.SetAt(1, 5) }, []string{"SetAt", "index 5", "axis 0"}},
		{"a fraction by SetAt", func() { ints(1, 2).SetAt(2.5, 0) }, []string{"SetAt", "whole numbers", "Long()"}},
		{"fractions by SetAt", func() { ints(1, 2).SetAt(floats(2), 0) }, []string{"SetAt", "whole numbers", "Long()"}},
		{"SetAt of another shape", func() { x.SetAt(floats(1, 2), 0) }, []string{"SetAt", "[2]"}},
		{"Select", func() { x.Select(1, 3) }, []string{"Select", "index 3", "axis 1"}},
		{"Narrow", func() { x.Narrow(1, 2, 2) }, []string{"2 to 3", "axis 1"}},
		{"axis", func() { x.Sum(2) }, []string{"Sum", "no axis 2", "-2 to 1"}},
		{"Size", func() { x.Size(2) }, []string{"Size", "no axis 2"}},
		{"Gather", func() { x.Gather(1, FromInts([]int64{7}, 1, 1)) }, []string{"Gather", "index 7", "axis 1", "size is 3"}},
		{"negative Gather", func() { x.Gather(1, FromInts([]int64{-1}, 1, 1)) }, []string{"index -1", "negative"}},
		{"IndexSelect", func() { x.IndexSelect(0, ints(2)) }, []string{"IndexSelect", "index 2", "axis 0"}},
		{"Embedding", func() { x.Embedding(ints(0, 9)) }, []string{"Embedding", "index 9", "size is 2"}},
		{"Topk", func() { x.Topk(4) }, []string{"4 largest", "axis 1"}},
		{"Split", func() { x.Split(1, 1, 1) }, []string{"add up to 2", "3"}},
		{"Item", func() { x.Item() }, []string{"6 elements", "Index"}},
		{"Dense", func() { pattern.Dense() }, []string{"two axes", "4"}},
		{"Max of nothing", func() { Zeros(Float32, CPU, 0).Max() }, []string{"no elements"}},
		{"operand", func() { x.Add("1") }, []string{"*Tensor or a Go number", "string"}},
		{"nil operand", func() { x.Add((*Tensor)(nil)) }, []string{"nil"}},
		{"nil argument", func() { x.Matmul(nil) }, []string{"Matmul", "nil"}},
		{"values of a scan", func() { Empty(Float32, Meta, 2).Floats() }, []string{"Floats", "shapes and no values"}},
		{"FromFloats", func() { FromFloats([]float32{1, 2, 3}, 2, 2) }, []string{"3 numbers", "4 elements"}},
		{"negative shape", func() { Zeros(Float32, CPU, 2, -1) }, []string{"axis 1", "-1"}},
		{"too large", func() { Empty(Float32, CPU, 1<<40, 1<<10) }, []string{"Empty", "[1099511627776 1024] float32"}},
		{"MaskedFill", func() { x.MaskedFill(x.Eq(0), floats(1, 2)) }, []string{"Where"}},
		{"Multinomial", func() { floats(-1, 2).Multinomial(1, 0) }, []string{"weight 0", "-1"}},
		{"Cat of nothing", func() { Cat(0) }, []string{"at least one"}},
		{"Cat of other shapes", func() { Cat(0, x, y) }, []string{"Cat({[2 3] float32, [4 5] float32}, 0)"}},
		{"Einsum", func() { Einsum("ij,jk->ik", x, y) }, []string{"Einsum"}},
		{"CUDA without it", func() { x.ToDevice(CUDA(0)) }, []string{"ToDevice", "cuda"}},
	} {
		if c.name == "CUDA without it" && OpenCUDA() == nil {
			continue
		}
		panics(t, c.name, c.op, c.words...)
		// The lock is free again, and the next op works.
		if v := floats(1).Add(1).Item(); v != 2 {
			t.Fatalf("after %s: 1 + 1 is %v", c.name, v)
		}
	}
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"Expected a == b to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)": "Expected a == b to be true, but got false. (Could this error message be improved? If so, please report an enhancement request to PyTorch.)",
		"too large\nException raised from f at x.cpp:1 (most recent call first):\nframe #0":                                                            "too large",
		"two  spaces\nand a line.": "two spaces and a line",
		"":                         "libtorch refused it; this version wrote its reason to standard error",
	} {
		if got := plain(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("Expected x to be true, but got false. Exception raised from f")
	f.Fuzz(func(t *testing.T, s string) {
		if p := plain(s); p == "" || strings.Contains(p, "\n") {
			t.Errorf("%q became %q", s, p)
		}
	})
}
