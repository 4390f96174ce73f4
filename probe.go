package gonterp

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gonterp/gonterp/runtime/torch"
	"gonum.org/v1/gonum/mat"
)

// A Probe is a linear classifier of activations, fitted by ridge regression.
type Probe struct {
	Classes []int   // the labels it knows, ascending
	Weight  *Tensor // [classes features]: direction i speaks for class i
	Bias    *Tensor // [classes]
	L2      float64
	Trained int // examples
}

// TrainProbe fits a probe to activations x [examples features], such as LastTokens
// gives, and a label for each. It is the least-squares fit of +1 for the example's own
// class and −1 for the others, with l2·‖weight‖² added; l2 must be more than 0.
func TrainProbe(x *Tensor, labels []int, l2 float64) *Probe {
	switch {
	case x.Dim() != 2:
		panic(argumentErrorf("TrainProbe: activations of shape %v; give [examples features], such as model.LastTokens(prompts, value)", x.Shape()))
	case x.Size(0) != len(labels):
		panic(argumentErrorf("TrainProbe: %d examples and %d labels", x.Size(0), len(labels)))
	case !(l2 > 0):
		panic(argumentErrorf("TrainProbe: l2 is %g; it must be more than 0, for activations have more features than there are examples", l2))
	}
	classes := slices.Compact(slices.Sorted(slices.Values(labels)))
	if len(classes) < 2 {
		panic(argumentErrorf("TrainProbe: all labels are %d; a probe tells two or more classes apart", classes[0]))
	}
	data := x.Detach().Dense()
	n, features := data.Dims()
	means := center(data)
	target := mat.NewDense(n, len(classes), nil)
	for i, label := range labels {
		for c, class := range classes {
			if label == class {
				target.Set(i, c, 1)
			} else {
				target.Set(i, c, -1)
			}
		}
	}
	bias := center(target)
	weight, err := ridge(data, target, l2)
	if err != nil {
		panic(argumentErrorf("TrainProbe: %v", err))
	}
	p := &Probe{Classes: classes, L2: l2, Trained: n, Weight: torch.FromFloat64s(weight.RawMatrix().Data, len(classes), features).Float()}
	for c := range bias {
		for f, mean := range means {
			bias[c] -= weight.At(c, f) * mean
		}
	}
	p.Bias = torch.FromFloat64s(bias, len(classes)).Float()
	return p
}

// center takes the mean of each column away, and returns it.
func center(m *mat.Dense) []float64 {
	rows, cols := m.Dims()
	means := make([]float64, cols)
	for c := range cols {
		col := m.ColView(c)
		means[c] = mat.Sum(col) / float64(rows)
		for r := range rows {
			m.Set(r, c, m.At(r, c)-means[c])
		}
	}
	return means
}

// ridge is W [outputs features] that makes ‖x Wᵀ − y‖² + l2‖W‖² least. It solves the
// smaller of the two forms: Wᵀ = (xᵀx + l2)⁻¹ xᵀy = xᵀ (x xᵀ + l2)⁻¹ y.
func ridge(x, y *mat.Dense, l2 float64) (*mat.Dense, error) {
	n, features := x.Dims()
	gram := mat.NewSymDense(min(n, features), nil)
	small := n < features
	if small {
		gram.SymOuterK(1, x)
	} else {
		gram.SymOuterK(1, x.T())
	}
	for i := range gram.SymmetricDim() {
		gram.SetSym(i, i, gram.At(i, i)+l2)
	}
	var factor mat.Cholesky
	if !factor.Factorize(gram) {
		return nil, errors.New("the examples hold a NaN or an infinity, or l2 is too small against their size")
	}
	var w, solved mat.Dense
	right := y
	if !small {
		right = new(mat.Dense)
		right.Mul(x.T(), y)
	}
	if err := factor.SolveTo(&solved, right); err != nil {
		return nil, err
	}
	if small {
		w.Mul(solved.T(), x)
	} else {
		w.CloneFrom(solved.T())
	}
	return &w, nil
}

// Scores are the probe's outputs [examples classes] for activations [examples features].
func (p *Probe) Scores(x *Tensor) *Tensor {
	if x.Dim() != 2 || x.Size(1) != p.Weight.Size(1) {
		panic(argumentErrorf("Probe: activations of shape %v; it was trained on [examples %d]", x.Shape(), p.Weight.Size(1)))
	}
	return x.Detach().Float().ToDevice(torch.CPU).Matmul(p.Weight.T()).Add(p.Bias)
}

// Predict is the label of each example.
func (p *Probe) Predict(x *Tensor) []int {
	labels := make([]int, 0, x.Size(0))
	for _, c := range p.Scores(x).Argmax(-1).Ints() {
		labels = append(labels, p.Classes[c])
	}
	return labels
}

// Accuracy is the share of examples whose label it predicts.
func (p *Probe) Accuracy(x *Tensor, labels []int) float64 {
	if x.Size(0) != len(labels) {
		panic(argumentErrorf("Accuracy: %d examples and %d labels", x.Size(0), len(labels)))
	}
	right := 0
	for i, label := range p.Predict(x) {
		if label == labels[i] {
			right++
		}
	}
	return float64(right) / float64(len(labels))
}

// String says what the probe tells apart.
func (p *Probe) String() string {
	return fmt.Sprintf("probe of classes %v over %d features, trained on %d examples, l2 %g", p.Classes, p.Weight.Size(1), p.Trained, p.L2)
}
