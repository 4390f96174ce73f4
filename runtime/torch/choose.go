package torch

import "sort"

var (
	opIndexSelect = newOp("IndexSelect", "index_select", "")
	opGather      = newOp("Gather", "gather", "")
	opScatter     = newOp("Scatter", "scatter", "src")
	opScatterAdd  = newOp("ScatterAdd", "scatter_add", "")
	opTopk        = newOps(2, "Topk", "topk", "")
	opSort        = newOps(2, "Sort", "sort", "stable")
	opNonzero     = newOp("Nonzero", "nonzero", "")
	opOneHot      = newOp("OneHot", "one_hot", "")
)

// IndexSelect takes the indices idx, an int64 tensor of one axis, of axis d.
func (t *Tensor) IndexSelect(d int, idx *Tensor) *Tensor {
	d = t.axis("IndexSelect", d)
	if t.device.IsMeta() {
		shape := t.Shape()
		shape[d] = idx.Numel()
		return shapeOnly(t.dtype, shape)
	}
	r := opIndexSelect.choose(t, d, idx, tensor(t), integer(d), tensor(idx))
	if t.origin == nil {
		return r
	}
	rest := make([]*Tensor, d+1)
	rest[d] = idx
	return r.indexed(t, rest)
}

// choose runs an op that takes the indices idx on axis d of t.
func (o *op) choose(t *Tensor, d int, idx *Tensor, args ...arg) *Tensor {
	if idx != nil && idx.device.IsCUDA() {
		t.checkIndices(o.word, d, idx, false)
	}
	ts, err := o.try(args)
	if err != nil {
		if idx.dtype.IsInt() {
			t.checkIndices(o.word, d, idx, false)
		}
		panic(err)
	}
	return ts[0]
}

// Gather takes, at each place of idx, the element of t whose index on axis d is
// there: r[i][j] = t[idx[i][j]][j] for d = 0.
func (t *Tensor) Gather(d int, idx *Tensor) *Tensor {
	d = t.axis("Gather", d)
	return opGather.choose(t, d, idx, tensor(t), integer(d), tensor(idx), boolean(false))
}

// Scatter is a copy of t with src written to the places that Gather reads with idx.
func (t *Tensor) Scatter(d int, idx, src *Tensor) *Tensor {
	d = t.axis("Scatter", d)
	return opScatter.choose(t, d, idx, tensor(t), integer(d), tensor(idx), tensor(src.corner(idx))).sameAs(t)
}

// ScatterValue is a copy of t with v written to the places that Gather reads with idx.
func (t *Tensor) ScatterValue(d int, idx *Tensor, v float64) *Tensor {
	return t.Scatter(d, idx, Full(v, t.dtype, t.device, idx.shape...))
}

// ScatterAdd is a copy of t with src added to the places that Gather reads with idx;
// what falls on one place adds up.
func (t *Tensor) ScatterAdd(d int, idx, src *Tensor) *Tensor {
	d = t.axis("ScatterAdd", d)
	return opScatterAdd.choose(t, d, idx, tensor(t), integer(d), tensor(idx), tensor(src.corner(idx))).sameAs(t)
}

// corner is the part of t that idx reads: gradients need the two equally large.
func (t *Tensor) corner(idx *Tensor) *Tensor {
	if t == nil || len(t.shape) != len(idx.shape) {
		return t
	}
	for d, k := range idx.shape {
		if k < t.shape[d] {
			t = t.Narrow(d, 0, k)
		}
	}
	return t
}

// Topk is the k largest elements along the last axis, largest first, and their
// indices.
func (t *Tensor) Topk(k int) (values, indices *Tensor) { return t.TopkDim(k, -1) }

// TopkDim is Topk along axis d.
func (t *Tensor) TopkDim(k, d int) (values, indices *Tensor) {
	d = t.axis("Topk", d)
	if k < 0 || k > t.shape[d] {
		refuse("Topk", []arg{tensor(t)}, "it can't have the %d largest of axis %d%s, which has %d", k, d, t.axisName(d), t.shape[d])
	}
	values, indices = opTopk.call2(tensor(t), integer(k), integer(d), boolean(true), boolean(true))
	return values.unlabelled(t, []int{d}), indices.unlabelled(t, []int{d})
}

// Sort sorts along axis d; equal elements keep their order. indices are where along
// it each came from.
func (t *Tensor) Sort(d int, descending bool) (values, indices *Tensor) {
	d = t.axis("Sort", d)
	values, indices = opSort.call2(tensor(t), arg{kind: argSome, word: 1}, integer(d), boolean(descending))
	return values.unlabelled(t, []int{d}), indices.unlabelled(t, []int{d})
}

// Argsort is the indices that Sort gives.
func (t *Tensor) Argsort(d int, descending bool) *Tensor {
	_, i := t.Sort(d, descending)
	return i
}

// Nonzero is the indices of the elements that are not 0: [count axes] int64.
func (t *Tensor) Nonzero() *Tensor { return opNonzero.call(tensor(t)) }

// OneHot turns int64 class numbers below n into rows of zeros with a one.
func (t *Tensor) OneHot(n int) *Tensor { return opOneHot.call(tensor(t), integer(n)) }

// Multinomial draws n indices, with replacement, from each row of weights on the
// last axis; the same seed draws the same.
func (t *Tensor) Multinomial(n int, seed uint64) *Tensor {
	if len(t.shape) == 0 || t.shape[len(t.shape)-1] == 0 {
		refuse("Multinomial", []arg{tensor(t)}, "there is nothing to draw from")
	}
	w := t.Float64s()
	k := t.shape[len(t.shape)-1]
	r := generator(seed)
	var drawn []int64
	for row := 0; row < len(w); row += k {
		sums := make([]float64, k)
		sum := 0.0
		for i, v := range w[row : row+k] {
			if !(v >= 0) {
				refuse("Multinomial", []arg{tensor(t)}, "weight %d of row %d is %v", i, row/k, v)
			}
			sum += v
			sums[i] = sum
		}
		if !(sum > 0) || sum*0 != 0 {
			refuse("Multinomial", []arg{tensor(t)}, "the weights of row %d add up to %v", row/k, sum)
		}
		for range n {
			x := r.Float64() * sum
			i := sort.Search(k, func(i int) bool { return sums[i] > x })
			drawn = append(drawn, int64(min(i, k-1)))
		}
	}
	shape := append(append([]int(nil), t.shape[:len(t.shape)-1]...), n)
	return FromInts(drawn, shape...)
}
