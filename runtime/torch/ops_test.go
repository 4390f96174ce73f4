package torch

import (
	"math"
	"slices"
	"testing"
)

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Each function of one number, against Go's own mathematics.
func TestElementwise(t *testing.T) {
	need(t)
	v := []float64{-2.5, -1, -0.5, 0, 0.25, 0.5, 1.5, 3}
	positive := []float64{0.1, 0.5, 1, 2, 7.5}
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for _, c := range []struct {
		name string
		in   []float64
		op   func(*Tensor) *Tensor
		go_  func(float64) float64
	}{
		{"Neg", v, (*Tensor).Neg, func(x float64) float64 { return -x }},
		{"Abs", v, (*Tensor).Abs, math.Abs},
		{"Exp", v, (*Tensor).Exp, math.Exp},
		{"Log", positive, (*Tensor).Log, math.Log},
		{"Log1p", positive, (*Tensor).Log1p, math.Log1p},
		{"Sqrt", positive, (*Tensor).Sqrt, math.Sqrt},
		{"Rsqrt", positive, (*Tensor).Rsqrt, func(x float64) float64 { return 1 / math.Sqrt(x) }},
		{"Square", v, (*Tensor).Square, func(x float64) float64 { return x * x }},
		{"Sigmoid", v, (*Tensor).Sigmoid, sigmoid},
		{"Tanh", v, (*Tensor).Tanh, math.Tanh},
		{"Relu", v, (*Tensor).Relu, func(x float64) float64 { return max(x, 0) }},
		{"Silu", v, (*Tensor).Silu, func(x float64) float64 { return x * sigmoid(x) }},
		{"Gelu", v, (*Tensor).Gelu, func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }},
		{"Sin", v, (*Tensor).Sin, math.Sin},
		{"Cos", v, (*Tensor).Cos, math.Cos},
		{"Round", v, (*Tensor).Round, math.RoundToEven},
		{"Floor", v, (*Tensor).Floor, math.Floor},
		{"Clamp", v, func(x *Tensor) *Tensor { return x.Clamp(-0.75, 2) }, func(x float64) float64 { return min(max(x, -0.75), 2) }},
		{"Add", v, func(x *Tensor) *Tensor { return x.Add(1.5) }, func(x float64) float64 { return x + 1.5 }},
		{"Sub", v, func(x *Tensor) *Tensor { return x.Sub(1.5) }, func(x float64) float64 { return x - 1.5 }},
		{"Mul", v, func(x *Tensor) *Tensor { return x.Mul(1.5) }, func(x float64) float64 { return x * 1.5 }},
		{"Div", v, func(x *Tensor) *Tensor { return x.Div(4) }, func(x float64) float64 { return x / 4 }},
		{"Pow", v, func(x *Tensor) *Tensor { return x.Pow(3) }, func(x float64) float64 { return x * x * x }},
		{"Minimum", v, func(x *Tensor) *Tensor { return x.Minimum(0.3) }, func(x float64) float64 { return min(x, 0.3) }},
		{"Maximum", v, func(x *Tensor) *Tensor { return x.Maximum(0.3) }, func(x float64) float64 { return max(x, 0.3) }},
		{"Eq", v, func(x *Tensor) *Tensor { return x.Eq(0.5) }, func(x float64) float64 { return truth(x == 0.5) }},
		{"Ne", v, func(x *Tensor) *Tensor { return x.Ne(0.5) }, func(x float64) float64 { return truth(x != 0.5) }},
		{"Lt", v, func(x *Tensor) *Tensor { return x.Lt(0.5) }, func(x float64) float64 { return truth(x < 0.5) }},
		{"Le", v, func(x *Tensor) *Tensor { return x.Le(0.5) }, func(x float64) float64 { return truth(x <= 0.5) }},
		{"Gt", v, func(x *Tensor) *Tensor { return x.Gt(0.5) }, func(x float64) float64 { return truth(x > 0.5) }},
		{"Ge", v, func(x *Tensor) *Tensor { return x.Ge(0.5) }, func(x float64) float64 { return truth(x >= 0.5) }},
		{"Not", v, (*Tensor).Not, func(x float64) float64 { return truth(x == 0) }},
	} {
		in := make([]float32, len(c.in))
		for i, x := range c.in {
			in[i] = float32(x)
		}
		// The same numbers, once as they lie in memory and once with gaps between.
		for _, x := range []*Tensor{FromFloats(in), Stack(1, FromFloats(in), FromFloats(in)).Select(1, 1)} {
			want := map1(x.Float64s(), c.go_)
			is(t, c.name, c.op(x), want)
			restore := Recording(true)
			is(t, c.name+" while recording", c.op(x), want)
			restore()
		}
	}
	odd := FromFloat64s([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0})
	is(t, "IsNaN", odd.IsNaN(), []float64{1, 0, 0, 0})
	is(t, "IsInf", odd.IsInf(), []float64{0, 1, 1, 0})
	is(t, "IsFinite", odd.IsFinite(), []float64{0, 0, 0, 1})
}

func TestTwoTensors(t *testing.T) {
	need(t)
	a, b := matrix(2, 3, 1, 2, 3, 4, 5, 6), floats(10, 20, 30)
	for _, recording := range []bool{false, true} {
		restore := Recording(recording)
		is(t, "Add", a.Add(b), []float64{11, 22, 33, 14, 25, 36}, 2, 3)
		is(t, "Sub", a.Sub(b), []float64{-9, -18, -27, -6, -15, -24}, 2, 3)
		is(t, "Mul", a.Mul(b), []float64{10, 40, 90, 40, 100, 180}, 2, 3)
		is(t, "Div", b.Div(a), []float64{10, 10, 10, 2.5, 4, 5}, 2, 3)
		is(t, "Pow", a.Pow(floats(0, 1, 2)), []float64{1, 2, 9, 1, 5, 36}, 2, 3)
		is(t, "Minimum", a.Minimum(floats(2, 2, 4)), []float64{1, 2, 3, 2, 2, 4}, 2, 3)
		is(t, "Maximum", a.Maximum(floats(2, 2, 4)), []float64{2, 2, 4, 4, 5, 6}, 2, 3)
		is(t, "MaskedFill", a.MaskedFill(a.Gt(4), -1), []float64{1, 2, 3, 4, -1, -1}, 2, 3)
		is(t, "Where", Where(a.Gt(4), a, 0), []float64{0, 0, 0, 0, 5, 6}, 2, 3)
		is(t, "Where", Where(a.Gt(4), 0, a), []float64{1, 2, 3, 4, 0, 0}, 2, 3)
		restore()
	}
	yes, no := FromBools([]bool{true, true, false}), FromBools([]bool{true, false, false})
	is(t, "And", yes.And(no), []float64{1, 0, 0})
	is(t, "Or", yes.Or(no), []float64{1, 1, 0})
}

// A Go number takes part as PyTorch's numbers do.
func TestPromotion(t *testing.T) {
	need(t)
	i, f := ints(1, 2), floats(1, 2)
	for _, c := range []struct {
		name string
		got  *Tensor
		want DType
	}{
		{"int64 + 1", i.Add(1), Int64},
		{"int64 + uint8(1)", i.Add(uint8(1)), Int64},
		{"int64 + 1.5", i.Add(1.5), Float32},
		{"int64 / 2", i.Div(2), Float32},
		{"float32 + 1", f.Add(1), Float32},
		{"float32 * 1.5", f.Mul(1.5), Float32},
		{"float32 * float32(1.5)", f.Mul(float32(1.5)), Float32},
		{"float32 without axes * 1.5", Scalar(1, Float32).Mul(1.5), Float32},
		{"bfloat16 * 1.5", f.To(BFloat16).Mul(1.5), BFloat16},
		{"bool + 1", f.Gt(1).Add(1), Int64},
		{"float32 + float64", f.Add(f.Double()), Float64},
		{"int64 + float32", i.Add(f), Float32},
		{"bfloat16 + float32", f.To(BFloat16).Add(f), Float32},
	} {
		if c.got.DType() != c.want {
			t.Errorf("%s is %s, want %s", c.name, c.got.DType(), c.want)
		}
	}
	is(t, "int64 + int64", i.Add(ints(10, 20)), []float64{11, 22})
	is(t, "int64 - 1", i.Sub(1), []float64{0, 1})
	is(t, "int64 - column", i.Sub(i.Unsqueeze(1)), []float64{0, 1, -1, 0}, 2, 2)
	is(t, "large int64", ints(1<<62).Sub(ints(1<<62-3)), []float64{3})
	is(t, "bool + bool", f.Gt(1).Add(f.Gt(0)), []float64{1, 1})
	if d := i.Add(i.To(Int32)).DType(); d != Int64 {
		t.Errorf("int64 + int32 is %s", d)
	}
	if d := i.To(Int32).Add(Scalar(1, Int64)).DType(); d != Int32 {
		t.Errorf("int32 + an int64 without axes is %s", d)
	}
	is(t, "int64 + 1.5", i.Add(1.5), []float64{2.5, 3.5})
	// A number is not rounded to bfloat16 before it is used.
	is(t, "bfloat16 * 1.001", Full(1024, BFloat16, CPU, 1).Mul(1.003), []float64{1024})
	is(t, "bfloat16 * 1.006", Full(1024, BFloat16, CPU, 1).Mul(1.006), []float64{1032})
}

func TestReductions(t *testing.T) {
	need(t)
	x := matrix(2, 3, 1, 2, 3, 6, 5, 4)
	is(t, "Sum", x.Sum(), []float64{21}, []int{}...)
	is(t, "Sum(0)", x.Sum(0), []float64{7, 7, 7})
	is(t, "Sum(0, -1)", x.Sum(0, -1), []float64{21}, []int{}...)
	is(t, "SumKeep", x.SumKeep(1), []float64{6, 15}, 2, 1)
	is(t, "Mean", x.Mean(1), []float64{2, 5})
	is(t, "MeanKeep", x.MeanKeep(-1), []float64{2, 5}, 2, 1)
	is(t, "Max", x.Max(), []float64{6}, []int{}...)
	is(t, "Min", x.Min(), []float64{1}, []int{}...)
	v, i := x.MaxDim(1)
	is(t, "MaxDim", v, []float64{3, 6})
	is(t, "MaxDim's indices", i, []float64{2, 0})
	v, i = x.MinDim(1)
	is(t, "MinDim", v, []float64{1, 4})
	is(t, "MinDim's indices", i, []float64{0, 2})
	is(t, "AMax", x.AMax(0), []float64{6, 5, 4})
	is(t, "AMin", x.AMin(0), []float64{1, 2, 3})
	is(t, "Argmax", x.Argmax(), []float64{3}, []int{}...)
	is(t, "Argmax(0)", x.Argmax(0), []float64{1, 1, 1})
	is(t, "Argmin(1)", x.Argmin(1), []float64{0, 2})
	is(t, "Norm", x.Norm(), []float64{math.Sqrt(91)}, []int{}...)
	is(t, "Norm(1)", x.Norm(1), []float64{math.Sqrt(14), math.Sqrt(77)})
	is(t, "Var", x.Var(1), []float64{1, 1})
	is(t, "Std", x.Std(), []float64{math.Sqrt(3.5)}, []int{}...)
	is(t, "Any", x.Gt(5).Any(), []float64{1}, []int{}...)
	is(t, "All", x.Gt(5).All(), []float64{0}, []int{}...)
	is(t, "CumSum", x.CumSum(1), []float64{1, 3, 6, 6, 11, 15}, 2, 3)
	e := math.Exp
	is(t, "LogSumExp", x.LogSumExp(1), []float64{math.Log(e(1) + e(2) + e(3)), math.Log(e(4) + e(5) + e(6))})
	s := e(1) + e(2) + e(3)
	p := []float64{e(1) / s, e(2) / s, e(3) / s, e(3) / s, e(2) / s, e(1) / s}
	is(t, "Softmax", x.Softmax(-1), p, 2, 3)
	is(t, "LogSoftmax", x.LogSoftmax(-1), map1(p, math.Log), 2, 3)
	wide := x.To(BFloat16).SoftmaxFloat32(1)
	is(t, "SoftmaxFloat32", wide, p, 2, 3)
	if wide.DType() != Float32 {
		t.Errorf("SoftmaxFloat32 is %s", wide.DType())
	}
}

func TestShapes(t *testing.T) {
	need(t)
	x := Arange(6).Float().Reshape(2, 3)
	is(t, "Reshape", x.Reshape(3, -1), []float64{0, 1, 2, 3, 4, 5}, 3, 2)
	is(t, "View", x.View(6), []float64{0, 1, 2, 3, 4, 5})
	is(t, "Flatten", x.Unsqueeze(0).Flatten(0, 1), []float64{0, 1, 2, 3, 4, 5}, 2, 3)
	is(t, "Flatten", x.Flatten(0, -1), []float64{0, 1, 2, 3, 4, 5})
	is(t, "T", x.T(), []float64{0, 3, 1, 4, 2, 5}, 3, 2)
	is(t, "Transpose", x.Transpose(0, 1), []float64{0, 3, 1, 4, 2, 5}, 3, 2)
	is(t, "Permute", x.Unsqueeze(0).Permute(2, 0, 1), []float64{0, 3, 1, 4, 2, 5}, 3, 1, 2)
	is(t, "Unsqueeze", x.Unsqueeze(-1), []float64{0, 1, 2, 3, 4, 5}, 2, 3, 1)
	is(t, "Squeeze", x.Unsqueeze(0).Unsqueeze(2).Squeeze(), []float64{0, 1, 2, 3, 4, 5}, 2, 3)
	is(t, "Squeeze(0)", x.Unsqueeze(0).Unsqueeze(2).Squeeze(0), []float64{0, 1, 2, 3, 4, 5}, 2, 1, 3)
	is(t, "Squeeze of a longer axis", x.Squeeze(0), []float64{0, 1, 2, 3, 4, 5}, 2, 3)
	is(t, "Expand", floats(1, 2).Unsqueeze(1).Expand(-1, 3), []float64{1, 1, 1, 2, 2, 2}, 2, 3)
	if x.T().IsContiguous() || !x.T().Contiguous().IsContiguous() {
		t.Error("IsContiguous")
	}
	is(t, "Contiguous", x.T().Contiguous(), []float64{0, 3, 1, 4, 2, 5}, 3, 2)
	is(t, "Narrow", x.Narrow(1, 1, 2), []float64{1, 2, 4, 5}, 2, 2)
	is(t, "Narrow from the end", x.Narrow(1, -2, 2), []float64{1, 2, 4, 5}, 2, 2)
	is(t, "Select", x.Select(1, -1), []float64{2, 5})
	parts := x.Split(1, 1, 2)
	is(t, "Split", parts[0], []float64{0, 3}, 2, 1)
	is(t, "Split", parts[1], []float64{1, 2, 4, 5}, 2, 2)
	parts = x.Chunk(2, 1)
	is(t, "Chunk", parts[0], []float64{0, 1, 3, 4}, 2, 2)
	is(t, "Chunk", parts[1], []float64{2, 5}, 2, 1)
	is(t, "Flip", x.Flip(1), []float64{2, 1, 0, 5, 4, 3}, 2, 3)
	is(t, "Roll", x.Roll(1, 1), []float64{2, 0, 1, 5, 3, 4}, 2, 3)
	is(t, "Repeat", floats(1, 2).Repeat(2), []float64{1, 2, 1, 2})
	is(t, "Tril", x.Tril(0), []float64{0, 0, 0, 3, 4, 0}, 2, 3)
	is(t, "Triu", x.Triu(1), []float64{0, 1, 2, 0, 0, 5}, 2, 3)
	is(t, "Diagonal", x.Diagonal(0), []float64{0, 4})
	is(t, "Cat", Cat(0, x, x.Neg()), []float64{0, 1, 2, 3, 4, 5, 0, -1, -2, -3, -4, -5}, 4, 3)
	is(t, "Cat", Cat(-1, x, x.Narrow(1, 0, 1)), []float64{0, 1, 2, 0, 3, 4, 5, 3}, 2, 4)
	is(t, "Stack", Stack(1, floats(1, 2), floats(3, 4)), []float64{1, 3, 2, 4}, 2, 2)
	many, want := make([]*Tensor, 1203), make([]float64, 1203)
	for i := range many {
		many[i], want[i] = floats(float32(i)), float64(i)
	}
	restore := Recording(true)
	is(t, "Cat of many", Cat(0, many...), want)
	restore()
	is(t, "Stack of many", Stack(0, many...), want, 1203, 1)
	if x.T().Stride()[0] != 1 || x.Select(0, 1).StorageOffset() != 3 {
		t.Errorf("Stride %v, StorageOffset %d", x.T().Stride(), x.Select(0, 1).StorageOffset())
	}
}

func TestIndex(t *testing.T) {
	need(t)
	x := Arange(24).Float().Reshape(2, 3, 4)
	is(t, "int", x.Index(1, -1), []float64{20, 21, 22, 23})
	is(t, "all ints", x.Index(1, 2, 3), []float64{23}, []int{}...)
	is(t, "Range", x.Index(0, Range(1, End), Range(-2, End)), []float64{6, 7, 10, 11}, 2, 2)
	is(t, "Range beyond the end", x.Index(0, 0, Range(2, 99)), []float64{2, 3})
	is(t, "empty Range", x.Index(0, 0, Range(3, 1)), nil, 0)
	is(t, "All", x.Index(All, 0, 0), []float64{0, 12})
	is(t, "None", x.Index(0, 0, None, Range(0, 2)), []float64{0, 1}, 1, 2)
	is(t, "tensor", x.Index(0, ints(2, 0), 1), []float64{9, 1})
	is(t, "tensor after All", x.Index(All, 0, ints(3, -4)), []float64{3, 0, 15, 12}, 2, 2)
	is(t, "two tensors", x.Index(0, ints(0, 1), ints(2, 3)), []float64{2, 7})
	is(t, "mask", x.Index(x.Gt(21)), []float64{22, 23})
	is(t, "mask of two axes", x.Index(Arange(6).Reshape(2, 3).Eq(4), ints(1)), []float64{17})
	is(t, "mask of an axis", x.Index(1, FromBools([]bool{true, false, true}), 0), []float64{12, 20})
	if Equal(x.Index(), x.Add(1)) || !Equal(x.Index(), x) {
		t.Error("Index without indices, or Equal")
	}
	y := Zeros(Float32, CPU, 2, 3)
	for _, recording := range []bool{false, true} {
		restore := Recording(recording)
		is(t, "SetAt number", y.SetAt(7, 0, Range(1, 3)), []float64{0, 7, 7, 0, 0, 0}, 2, 3)
		is(t, "SetAt row", y.SetAt(floats(1, 2, 3), 1), []float64{0, 0, 0, 1, 2, 3}, 2, 3)
		is(t, "SetAt broadcast", y.SetAt(floats(1, 2, 3)), []float64{1, 2, 3, 1, 2, 3}, 2, 3)
		is(t, "SetAt tensor", y.SetAt(5, All, ints(2, 0)), []float64{5, 0, 5, 5, 0, 5}, 2, 3)
		is(t, "SetAt ints", y.SetAt(5, All, []int{-1, 0}), []float64{5, 0, 5, 5, 0, 5}, 2, 3)
		is(t, "SetAt int64s", y.SetAt(floats(1, 2), 1, []int64{2, 0}), []float64{0, 0, 0, 2, 0, 1}, 2, 3)
		is(t, "SetAt bools", y.SetAt(5, []bool{false, true}), []float64{0, 0, 0, 5, 5, 5}, 2, 3)
		is(t, "SetAt no index", y.SetAt(5, All, []int{}), make([]float64, 6), 2, 3)
		is(t, "SetAt mask", y.SetAt(5, y.Eq(0)), []float64{5, 5, 5, 5, 5, 5}, 2, 3)
		is(t, "SetAt left the original", y, make([]float64, 6), 2, 3)
		restore()
	}
}

func TestChoose(t *testing.T) {
	need(t)
	x := matrix(2, 3, 3, 1, 2, 4, 6, 5)
	is(t, "IndexSelect", x.IndexSelect(1, ints(2, 2, 0)), []float64{2, 2, 3, 5, 5, 4}, 2, 3)
	at := FromInts([]int64{2, 0}, 2, 1)
	is(t, "Gather", x.Gather(1, at), []float64{2, 4}, 2, 1)
	is(t, "Scatter", x.Scatter(1, at, matrix(2, 1, -1, -2)), []float64{3, 1, -1, -2, 6, 5}, 2, 3)
	is(t, "ScatterValue", x.ScatterValue(1, at, 9), []float64{3, 1, 9, 9, 6, 5}, 2, 3)
	is(t, "ScatterAdd", x.ScatterAdd(1, FromInts([]int64{1, 1, 0, 0}, 2, 2), Ones(Float32, CPU, 2, 2)), []float64{3, 3, 2, 6, 6, 5}, 2, 3)
	v, i := x.Topk(2)
	is(t, "Topk", v, []float64{3, 2, 6, 5}, 2, 2)
	is(t, "Topk's indices", i, []float64{0, 2, 1, 2}, 2, 2)
	v, i = x.TopkDim(1, 0)
	is(t, "TopkDim", v, []float64{4, 6, 5}, 1, 3)
	is(t, "TopkDim's indices", i, []float64{1, 1, 1}, 1, 3)
	v, i = floats(2, 1, 2, 1).Sort(0, true)
	is(t, "Sort", v, []float64{2, 2, 1, 1})
	is(t, "Sort is stable", i, []float64{0, 2, 1, 3})
	is(t, "Argsort", x.Argsort(1, false), []float64{1, 2, 0, 0, 2, 1}, 2, 3)
	is(t, "Nonzero", x.Gt(4).Nonzero(), []float64{1, 1, 1, 2}, 2, 2)
	is(t, "OneHot", ints(1, 0).OneHot(3), []float64{0, 1, 0, 1, 0, 0}, 2, 3)

	w := matrix(2, 3, 0, 1, 3, 1, 0, 0)
	drawn := w.Multinomial(4000, 1)
	if !Equal(drawn, w.Multinomial(4000, 1)) {
		t.Error("Multinomial: the same seed drew something else")
	}
	counts := drawn.OneHot(3).Sum(1).Ints()
	if counts[0] != 0 || counts[1] < 850 || counts[1] > 1150 || counts[3] != 4000 {
		t.Errorf("Multinomial drew %v", counts)
	}
}

func TestAlgebra(t *testing.T) {
	need(t)
	a, b := matrix(2, 3, 1, 2, 3, 4, 5, 6), matrix(3, 2, 1, 0, 0, 1, 1, 1)
	product := []float64{4, 5, 10, 11}
	is(t, "Matmul", a.Matmul(b), product, 2, 2)
	is(t, "MM", a.MM(b), product, 2, 2)
	is(t, "BMM", a.Unsqueeze(0).BMM(b.Unsqueeze(0)), product, 1, 2, 2)
	is(t, "Dot", floats(1, 2).Dot(floats(3, 4)), []float64{11}, []int{}...)
	is(t, "Outer", floats(1, 2).Outer(floats(3, 4)), []float64{3, 4, 6, 8}, 2, 2)
	is(t, "Linear", a.Linear(b.T(), nil), product, 2, 2)
	is(t, "Linear with a bias", a.Linear(b.T(), floats(100, 200)), []float64{104, 205, 110, 211}, 2, 2)
	is(t, "Embedding", b.Embedding(ints(2, 0)), []float64{1, 1, 1, 0}, 2, 2)
	is(t, "Einsum", Einsum("ij,jk->ki", a, b), []float64{4, 10, 5, 11}, 2, 2)
	r := 1 / math.Sqrt(14.0/3+0.5)
	is(t, "RMSNorm", a.Narrow(0, 0, 1).RMSNorm(floats(1, 2, 3), 0.5), []float64{r, 4 * r, 9 * r}, 1, 3)
	is(t, "RMSNorm without a weight", a.Narrow(0, 0, 1).RMSNorm(nil, 0.5), []float64{r, 2 * r, 3 * r}, 1, 3)
	l := 1 / math.Sqrt(2.0/3+0.5)
	is(t, "LayerNorm", a.Narrow(0, 0, 1).LayerNorm(floats(1, 2, 3), floats(5, 5, 5), 0.5), []float64{5 - l, 5, 5 + 3*l}, 1, 3)

	q, k, v := Randn(1, 1, 2, 3, 4), Randn(2, 1, 2, 5, 4), Randn(3, 1, 2, 5, 4)
	mask := Where(Randn(4, 3, 5).Gt(1), -1e9, Zeros(Float32, CPU, 3, 5))
	want := q.Matmul(k.T()).Mul(0.3).Add(mask).Softmax(-1).Matmul(v)
	is(t, "ScaledDotProductAttention", q.ScaledDotProductAttention(k, v, mask, false, 0.3), want.Float64s(), 1, 2, 3, 4)
	causal := Full(math.Inf(-1), Float32, CPU, 5, 5).Triu(1)
	want = k.Matmul(k.T()).Mul(0.3).Add(causal).Softmax(-1).Matmul(v)
	is(t, "causal attention", k.ScaledDotProductAttention(k, v, nil, true, 0.3), want.Float64s(), 1, 2, 5, 4)

	c := Complex(floats(1, 2), floats(3, 4))
	is(t, "ViewAsReal", c.Mul(c).ViewAsReal(), []float64{-8, 6, -12, 16}, 2, 2)
	is(t, "ViewAsComplex", matrix(1, 2, 3, 4).ViewAsComplex().ViewAsReal(), []float64{3, 4}, 1, 2)
}

func TestCreate(t *testing.T) {
	need(t)
	is(t, "Zeros", Zeros(Int32, CPU, 2), []float64{0, 0})
	is(t, "Ones", Ones(BFloat16, CPU, 1, 2), []float64{1, 1}, 1, 2)
	is(t, "Full", Full(2.5, Float64, CPU, 2), []float64{2.5, 2.5})
	is(t, "Arange", Arange(3), []float64{0, 1, 2})
	is(t, "Scalar", Scalar(4, Int64), []float64{4}, []int{}...)
	is(t, "FromFloats of one", FromFloats([]float32{4}, 1), []float64{4}, 1)
	if e := Empty(Float16, CPU, 2, 0); e.Numel() != 0 || e.Nbytes() != 0 || len(e.Floats()) != 0 {
		t.Error("Empty without elements")
	}
	if !Equal(Randn(7, 10), Randn(7, 10)) || Equal(Randn(7, 10), Randn(8, 10)) {
		t.Error("Randn doesn't follow its seed")
	}
	if r := Rand(7, 1000); r.Min().Item() < 0 || r.Max().Item() >= 1 || math.Abs(r.Mean().Item()-0.5) > 0.05 {
		t.Error("Rand is not uniform")
	}
	m := Empty(Float32, Meta, 2, 3).Matmul(Empty(Float32, Meta, 3, 4)).Add(1)
	if m.Device() != Meta || !slices.Equal(m.Shape(), []int{2, 4}) {
		t.Errorf("meta: %s", m)
	}
}

func TestConvert(t *testing.T) {
	need(t)
	x := floats(1.7, -2.3)
	is(t, "Long", x.Long(), []float64{1, -2})
	is(t, "Double", x.Double().Float(), []float64{float64(float32(1.7)), float64(float32(-2.3))})
	is(t, "BFloat16", x.To(BFloat16), []float64{1.703125, -2.296875})
	is(t, "Float8", floats(1.7, 440).To(Float8E4M3FN).Float(), []float64{1.75, 448})
	if x.To(Float32) != x || x.ToDevice(CPU) != x {
		t.Error("a conversion to what it is made a new tensor")
	}
	m := matrix(2, 2, 1, 2, 3, 4).T().Dense()
	if r, c := m.Dims(); r != 2 || c != 2 || m.At(0, 1) != 3 {
		t.Errorf("Dense: %v", m)
	}
	if v := Arange(3).Ints(); v[2] != 2 {
		t.Error("Ints")
	}
	if v := x.Gt(0).Bools(); !v[0] || v[1] {
		t.Error("Bools")
	}
	if x.Index(0).Item() != float64(float32(1.7)) {
		t.Error("Item")
	}
	if c := x.Clone(); c.Data() == x.Data() || !Equal(c, x) {
		t.Error("Clone shares memory")
	}
}
