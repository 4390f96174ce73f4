package torch

import "testing"

func TestInto(t *testing.T) {
	need(t)
	a, b := matrix(2, 3, 1, 2, 3, 4, 5, 6), matrix(3, 2, 1, 0, 0, 1, 1, 1)
	product := []float64{4, 5, 10, 11}
	dst := Empty(Float32, CPU, 2, 2)
	is(t, "MMInto", MMInto(dst, a, b), product, 2, 2)
	Zero(dst)
	is(t, "Zero", dst, make([]float64, 4), 2, 2)
	CopyInto(dst, floats(1, 2))
	is(t, "CopyInto", dst, []float64{1, 2, 1, 2}, 2, 2)
	is(t, "AddMMInto", AddMMInto(dst, floats(100, 200), a, b, 2, 10), []float64{240, 450, 300, 510}, 2, 2)
	three := Empty(Float32, CPU, 1, 2, 2)
	is(t, "BMMInto", BMMInto(three, a.Unsqueeze(0), b.Unsqueeze(0)), product, 1, 2, 2)
	is(t, "AddBMMInto", AddBMMInto(three, Ones(Float32, CPU, 1, 2, 2), a.Unsqueeze(0), b.Unsqueeze(0), 1, 1), []float64{5, 6, 11, 12}, 1, 2, 2)

	x := Randn(1, 6, 4)
	w, v := Randn(2, 3, 4), Randn(3, 5, 4)
	into := Zeros(Float32, CPU, 6, 3)
	rows, outs := Rows(x, []int{0, 1, 4, 6}), Rows(into, []int{0, 1, 4, 6})
	MMsInto(outs, rows, []*Tensor{w.T(), w.T(), w.T()})
	is(t, "MMsInto into Rows", into, x.Linear(w, nil).Float64s(), 6, 3)
	many := make([]int, 1001)
	for i := range many {
		many[i] = i
	}
	if r := Rows(Arange(1000).Reshape(1000, 1), many); len(r) != 1000 || r[999].Item() != 999 {
		t.Error("Rows of many")
	}
	is(t, "Strided", Strided(x, 1, []int{2, 2}, []int{4, 2}), x.Index(Range(0, 2), ints(1, 3)).Float64s(), 2, 2)

	if !HasOneDNN() {
		t.Skip("this libtorch has no oneDNN")
	}
	big := Randn(4, 6, 4)
	linear := big.Linear(v, nil)
	is(t, "OneDNNLinear", OneDNNLinear(big, v), linear.Float64s(), 6, 5)
	is(t, "OneDNNSilu", OneDNNSilu(big, v), linear.Silu().Float64s(), 6, 5)
	other := Randn(5, 6, 5)
	is(t, "OneDNNMul", OneDNNMul(big, v, other), linear.Mul(other).Float64s(), 6, 5)
	is(t, "OneDNNAdd", OneDNNAdd(big, v, other), linear.Add(other).Float64s(), 6, 5)
	panics(t, "a device without memory", func() { MMInto(Empty(Float32, Meta, 2, 2), a, b) }, "CPU only")
	panics(t, "shapes", func() { MMInto(dst, a, a) }, "MMInto")
}
