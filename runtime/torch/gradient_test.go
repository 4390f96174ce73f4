package torch

import (
	"reflect"
	"testing"
)

// recorded has an entry for each method that gradients must flow through.
var recorded = map[string]func(x *Tensor) *Tensor{
	"Add":            func(x *Tensor) *Tensor { return x.Add(1.5).Add(x.T()) },
	"Sub":            func(x *Tensor) *Tensor { return x.Sub(1.5).Sub(x.T().Mul(3)) },
	"Mul":            func(x *Tensor) *Tensor { return x.Mul(1.5).Mul(x.T()) },
	"Div":            func(x *Tensor) *Tensor { return x.Div(3).Div(x.T().Square().Add(1)) },
	"Pow":            func(x *Tensor) *Tensor { return x.Pow(3) },
	"Minimum":        func(x *Tensor) *Tensor { return x.Minimum(x.T().Mul(0.9)) },
	"Maximum":        func(x *Tensor) *Tensor { return x.Maximum(0.1) },
	"Neg":            (*Tensor).Neg,
	"Abs":            (*Tensor).Abs,
	"Exp":            (*Tensor).Exp,
	"Log":            func(x *Tensor) *Tensor { return x.Square().Add(0.5).Log() },
	"Log1p":          func(x *Tensor) *Tensor { return x.Square().Log1p() },
	"Sqrt":           func(x *Tensor) *Tensor { return x.Square().Add(0.5).Sqrt() },
	"Rsqrt":          func(x *Tensor) *Tensor { return x.Square().Add(0.5).Rsqrt() },
	"Square":         (*Tensor).Square,
	"Sigmoid":        (*Tensor).Sigmoid,
	"Tanh":           (*Tensor).Tanh,
	"Relu":           (*Tensor).Relu,
	"Silu":           (*Tensor).Silu,
	"Gelu":           (*Tensor).Gelu,
	"Sin":            (*Tensor).Sin,
	"Cos":            (*Tensor).Cos,
	"Clamp":          func(x *Tensor) *Tensor { return x.Clamp(-0.5, 0.5) },
	"MaskedFill":     func(x *Tensor) *Tensor { return x.MaskedFill(x.Detach().Gt(0), 2) },
	"Sum":            func(x *Tensor) *Tensor { return x.Sum(0) },
	"Mean":           func(x *Tensor) *Tensor { return x.Mean(1) },
	"SumKeep":        func(x *Tensor) *Tensor { return x.SumKeep(0) },
	"MeanKeep":       func(x *Tensor) *Tensor { return x.MeanKeep(1) },
	"Norm":           func(x *Tensor) *Tensor { return x.Norm(1) },
	"Std":            func(x *Tensor) *Tensor { return x.Std(1) },
	"Var":            func(x *Tensor) *Tensor { return x.Var(1) },
	"Max":            (*Tensor).Max,
	"Min":            (*Tensor).Min,
	"MaxDim":         func(x *Tensor) *Tensor { v, _ := x.MaxDim(1); return v },
	"MinDim":         func(x *Tensor) *Tensor { v, _ := x.MinDim(1); return v },
	"AMax":           func(x *Tensor) *Tensor { return x.AMax(0) },
	"AMin":           func(x *Tensor) *Tensor { return x.AMin(0) },
	"CumSum":         func(x *Tensor) *Tensor { return x.CumSum(1) },
	"LogSumExp":      func(x *Tensor) *Tensor { return x.LogSumExp(1) },
	"Softmax":        func(x *Tensor) *Tensor { return x.Softmax(-1) },
	"LogSoftmax":     func(x *Tensor) *Tensor { return x.LogSoftmax(-1) },
	"SoftmaxFloat32": nil, // of float64 its float32 is too coarse for differences: see below
	"Reshape":        func(x *Tensor) *Tensor { return x.T().Reshape(8, 2) },
	"View":           func(x *Tensor) *Tensor { return x.View(2, 8) },
	"Flatten":        func(x *Tensor) *Tensor { return x.Flatten(0, 1) },
	"Transpose":      func(x *Tensor) *Tensor { return x.Transpose(0, 1) },
	"T":              (*Tensor).T,
	"Permute":        func(x *Tensor) *Tensor { return x.Permute(1, 0) },
	"Unsqueeze":      func(x *Tensor) *Tensor { return x.Unsqueeze(1) },
	"Squeeze":        func(x *Tensor) *Tensor { return x.Unsqueeze(1).Squeeze(1) },
	"Expand":         func(x *Tensor) *Tensor { return x.Expand(3, 4, 4) },
	"Contiguous":     func(x *Tensor) *Tensor { return x.T().Contiguous() },
	"Narrow":         func(x *Tensor) *Tensor { return x.Narrow(1, 1, 2) },
	"Select":         func(x *Tensor) *Tensor { return x.Select(1, 1) },
	"Split":          func(x *Tensor) *Tensor { return x.Split(1, 1, 3)[1] },
	"Chunk":          func(x *Tensor) *Tensor { return x.Chunk(2, 1)[1] },
	"Flip":           func(x *Tensor) *Tensor { return x.Flip(1) },
	"Roll":           func(x *Tensor) *Tensor { return x.Roll(1, 1) },
	"Repeat":         func(x *Tensor) *Tensor { return x.Repeat(2, 1) },
	"Tril":           func(x *Tensor) *Tensor { return x.Tril(0) },
	"Triu":           func(x *Tensor) *Tensor { return x.Triu(0) },
	"Diagonal":       func(x *Tensor) *Tensor { return x.Diagonal(1) },
	"Index":          func(x *Tensor) *Tensor { return x.Index(Range(1, 3), ints(0, 3, 3)) },
	"SetAt":          func(x *Tensor) *Tensor { return x.SetAt(x.Index(0).Mul(2), 1).SetAt(x.Index(2, 0), All, ints(1, 2)) },
	"IndexSelect":    func(x *Tensor) *Tensor { return x.IndexSelect(0, ints(3, 3, 1)) },
	"Gather":         func(x *Tensor) *Tensor { return x.Gather(1, FromInts([]int64{0, 0, 3, 2}, 2, 2)) },
	"Scatter":        func(x *Tensor) *Tensor { return x.Scatter(1, FromInts([]int64{0, 2}, 2, 1), x.Narrow(1, 3, 1)) },
	"ScatterValue":   func(x *Tensor) *Tensor { return x.ScatterValue(1, FromInts([]int64{0, 2}, 2, 1), 5) },
	"ScatterAdd":     func(x *Tensor) *Tensor { return x.ScatterAdd(1, FromInts([]int64{0, 2}, 2, 1), x.Narrow(1, 3, 1)) },
	"Topk":           func(x *Tensor) *Tensor { v, _ := x.Topk(2); return v },
	"TopkDim":        func(x *Tensor) *Tensor { v, _ := x.TopkDim(2, 0); return v },
	"Sort":           func(x *Tensor) *Tensor { v, _ := x.Sort(1, true); return v },
	"Matmul":         func(x *Tensor) *Tensor { return x.Matmul(x.T()) },
	"BMM":            func(x *Tensor) *Tensor { return x.Unsqueeze(0).BMM(x.Unsqueeze(0)) },
	"MM":             func(x *Tensor) *Tensor { return x.MM(x) },
	"Dot":            func(x *Tensor) *Tensor { return x.Select(0, 0).Dot(x.Select(0, 1)) },
	"Outer":          func(x *Tensor) *Tensor { return x.Select(0, 0).Outer(x.Select(0, 1)) },
	"Linear":         func(x *Tensor) *Tensor { return x.Linear(x.Narrow(0, 0, 3), x.Select(1, 0).Narrow(0, 0, 3)) },
	"Embedding":      func(x *Tensor) *Tensor { return x.Embedding(ints(3, 0, 3)) },
	"RMSNorm":        func(x *Tensor) *Tensor { return x.RMSNorm(x.Select(0, 1), 0.1) },
	"LayerNorm":      func(x *Tensor) *Tensor { return x.LayerNorm(x.Select(0, 1), x.Select(0, 2), 0.1) },
	"ScaledDotProductAttention": func(x *Tensor) *Tensor {
		q := x.Reshape(1, 1, 4, 4)
		return q.ScaledDotProductAttention(q.T(), q, nil, true, 0.4)
	},
	"ViewAsComplex": func(x *Tensor) *Tensor {
		c := x.Reshape(2, 4, 2).ViewAsComplex()
		return c.Mul(c).ViewAsReal()
	},
	"ViewAsReal": func(x *Tensor) *Tensor { return Complex(x, x.T()).ViewAsReal() },
	"To":         func(x *Tensor) *Tensor { return x.To(Float64).Mul(x) },
	"ToDevice":   func(x *Tensor) *Tensor { return x.ToDevice(CPU).Mul(x) },
	"Double":     (*Tensor).Double,
	"Float":      nil, // as SoftmaxFloat32
	"Clone":      (*Tensor).Clone,
	"Own":        (*Tensor).Own,
	"WithOrigin": func(x *Tensor) *Tensor { return x.WithOrigin(&Origin{}).Mul(2) },
}

// unrecorded are the methods without a gradient, and why.
var unrecorded = map[string]string{
	"Eq": "compares", "Ne": "compares", "Lt": "compares", "Le": "compares", "Gt": "compares", "Ge": "compares",
	"And": "compares", "Or": "compares", "Not": "compares", "IsNaN": "compares", "IsInf": "compares", "IsFinite": "compares", "Any": "compares", "All": "compares",
	"Argmax": "chooses", "Argmin": "chooses", "Argsort": "chooses", "Nonzero": "chooses", "OneHot": "chooses", "Multinomial": "chooses",
	"Round": "is flat", "Floor": "is flat", "Long": "is flat", "Detach": "stops gradients", "RequireGrad": "starts gradients",
	"Shape": "tells", "Dim": "tells", "Size": "tells", "Numel": "tells", "DType": "tells", "Device": "tells", "Nbytes": "tells", "IsContiguous": "tells",
	"Stride": "tells", "StorageOffset": "tells", "Data": "tells", "RequiresGrad": "tells", "Item": "tells", "Floats": "tells", "Float64s": "tells",
	"Ints": "tells", "Bools": "tells", "Dense": "tells", "String": "tells", "MIMEBundle": "tells", "Origin": "tells",
}

// Every method of a tensor is known here, so that a new one can't drop gradients
// unnoticed.
func TestEveryMethodRecordsOrSaysWhyNot(t *testing.T) {
	m := reflect.TypeFor[*Tensor]()
	for i := range m.NumMethod() {
		name := m.Method(i).Name
		_, yes := recorded[name]
		_, no := unrecorded[name]
		if yes == no {
			t.Errorf("%s must be either in recorded or in unrecorded", name)
		}
	}
}

// Functions of the package, in the same way.
var recordedFunctions = map[string]func(x *Tensor) *Tensor{
	"Cat":     func(x *Tensor) *Tensor { return Cat(0, x, x.Mul(2)) },
	"Stack":   func(x *Tensor) *Tensor { return Stack(1, x, x.T()) },
	"Where":   func(x *Tensor) *Tensor { return Where(x.Detach().Gt(0), x, x.T().Mul(3)) },
	"Einsum":  func(x *Tensor) *Tensor { return Einsum("ij,kj,k->i", x, x, x.Select(0, 1)) },
	"Complex": func(x *Tensor) *Tensor { return Complex(x, x.Mul(2)).ViewAsReal() },
}

// The gradient that backward gives is the slope that small steps show.
func TestGradients(t *testing.T) {
	need(t)
	for name, f := range recorded {
		if f != nil {
			t.Run(name, func(t *testing.T) { need(t); checkGradient(t, f) })
		}
	}
	for name, f := range recordedFunctions {
		t.Run(name, func(t *testing.T) { need(t); checkGradient(t, f) })
	}
}

func checkGradient(t *testing.T, f func(*Tensor) *Tensor) {
	t.Helper()
	x := Randn(3, 4, 4).Double()
	loss := func(x *Tensor) *Tensor {
		y := f(x)
		return y.Mul(Randn(5, y.Shape()...).Double()).Sum()
	}
	restore := Recording(true)
	leaf := x.RequireGrad()
	g := Gradients(loss(leaf), []*Tensor{leaf}, false)[0]
	restore()
	if g == nil {
		t.Fatal("no gradient flows")
	}
	const step = 1e-6
	v, got := x.Float64s(), g.Float64s()
	for i := range v {
		at := func(d float64) float64 {
			w := append([]float64(nil), v...)
			w[i] += d
			return loss(FromFloat64s(w, 4, 4)).Item()
		}
		want := (at(step) - at(-step)) / (2 * step)
		if !near(got[i], want, 1e-6) {
			t.Fatalf("d/dx[%d] is %v, small steps say %v", i, got[i], want)
		}
	}
}

// Gradients flow through conversions too.
func TestGradientsThroughConversion(t *testing.T) {
	need(t)
	defer Recording(true)()
	x := floats(0.5, -1, 2).To(BFloat16).RequireGrad()
	p := x.SoftmaxFloat32(0)
	g := Gradients(p.Index(0), []*Tensor{x, p}, false)
	if g[0] == nil || g[0].DType() != BFloat16 {
		t.Fatalf("the gradient is %v", g[0])
	}
	v := p.Float64s()
	want := []float64{v[0] * (1 - v[0]), -v[0] * v[1], -v[0] * v[2]}
	for i, d := range g[0].Float64s() {
		if !near(d, want[i], 5e-3) {
			t.Errorf("d/dx[%d] is %v, want %v", i, d, want[i])
		}
	}
	is(t, "d/dp", g[1], []float64{1, 0, 0})
}

func TestGradientsOfInnerValues(t *testing.T) {
	need(t)
	restore := Recording(true)
	a := floats(1, 2, 3).RequireGrad()
	b := a.Mul(a)
	loss := b.Mul(a).Sum()
	other := floats(1, 2).RequireGrad()
	constant := floats(1)
	for range 2 { // gradients don't pile up
		g := Gradients(loss, []*Tensor{b, a, other, constant, b}, true)
		is(t, "d/db", g[0], []float64{1, 2, 3})
		is(t, "d/da", g[1], []float64{3, 12, 27})
		is(t, "d/db again", g[4], []float64{1, 2, 3})
		if g[2] != nil || g[3] != nil {
			t.Error("a gradient where nothing flows")
		}
	}
	restore()
	if g := Gradients(a.Sum(), []*Tensor{a}, false); g[0] != nil {
		t.Error("a gradient without recording")
	}
	if a.Sum().RequiresGrad() || !loss.RequiresGrad() || a.Detach().RequiresGrad() {
		t.Error("RequiresGrad")
	}
	panics(t, "two numbers", func() { Gradients(b, []*Tensor{a}, false) }, "[3] float32", "one number", "Sum")
	panics(t, "integers", func() { ints(1).RequireGrad() }, "floating-point")
}

// What records nothing is refused while recording, except for caches.
func TestInPlaceWhileRecording(t *testing.T) {
	need(t)
	defer Recording(true)()
	a := matrix(1, 1, 2).RequireGrad()
	panics(t, "MMInto", func() { MMInto(a, a, a) }, "records no gradients")
	panics(t, "Strided", func() { Strided(a, 0, []int{1}, []int{1}) }, "records no gradients")
	buffer := Zeros(Float32, CPU, 1, 1)
	CopyInto(buffer, a)
	if buffer.RequiresGrad() || buffer.Item() != 2 {
		t.Error("CopyInto took part in the record")
	}
}
