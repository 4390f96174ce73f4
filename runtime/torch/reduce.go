package torch

var (
	opSum, opMean  = newOp("Sum", "sum", "dim_IntList"), newOp("Mean", "mean", "dim")
	opMax, opMin   = newOp("Max", "max", ""), newOp("Min", "min", "")
	opMaxDim       = newOps(2, "MaxDim", "max", "dim")
	opMinDim       = newOps(2, "MinDim", "min", "dim")
	opAMax, opAMin = newOp("AMax", "amax", ""), newOp("AMin", "amin", "")
	opArgmax       = newOp("Argmax", "argmax", "")
	opArgmin       = newOp("Argmin", "argmin", "")
	opNorm         = newOp("Norm", "linalg_norm", "")
	opStd, opVar   = newOp("Std", "std", "dim"), newOp("Var", "var", "dim")
	opAny, opAll   = newOp("Any", "any", ""), newOp("All", "all", "")
	opCumSum       = newOp("CumSum", "cumsum", "")
	opLogSumExp    = newOp("LogSumExp", "logsumexp", "")
	opSoftmax      = newOp("Softmax", "softmax", "int")
	opLogSoftmax   = newOp("LogSoftmax", "log_softmax", "int")
)

// Sum adds up the given axes, or all of them where none is given.
func (t *Tensor) Sum(dims ...int) *Tensor { return t.reduce(opSum, dims, false, none) }

// Mean is the mean over the given axes, or over all.
func (t *Tensor) Mean(dims ...int) *Tensor { return t.reduce(opMean, dims, false, none) }

// SumKeep is Sum that leaves the axes with the length 1.
func (t *Tensor) SumKeep(dims ...int) *Tensor { return t.reduce(opSum, dims, true, none) }

// MeanKeep is Mean that leaves the axes with the length 1.
func (t *Tensor) MeanKeep(dims ...int) *Tensor { return t.reduce(opMean, dims, true, none) }

// Norm is the Euclidean length over the given axes, or over all.
func (t *Tensor) Norm(dims ...int) *Tensor {
	if len(dims) == 0 && len(t.shape) > 2 {
		t = t.Reshape(-1)
	}
	ds := t.axes("Norm", dims)
	return opNorm.call(tensor(t), none, someIntegers(ds), boolean(false), none).withoutAll(t, ds)
}

// Std is the standard deviation over the given axes, or over all; it divides by one
// less than the count.
func (t *Tensor) Std(dims ...int) *Tensor { return t.spread(opStd, dims) }

// Var is the variance, as Std.
func (t *Tensor) Var(dims ...int) *Tensor { return t.spread(opVar, dims) }

func (t *Tensor) spread(o *op, dims []int) *Tensor {
	ds := t.axes(o.word, dims)
	if t.device.IsMeta() {
		return shapeOnly(t.dtype, t.reduced(ds)).withoutAll(t, ds)
	}
	return o.call(tensor(t), someIntegers(ds), boolean(true), boolean(false)).withoutAll(t, ds)
}

func (t *Tensor) reduce(o *op, dims []int, keep bool, rest arg) *Tensor {
	ds := t.axes(o.word, dims)
	r := o.call(tensor(t), someIntegers(ds), boolean(keep), rest)
	if keep {
		return r.unlabelled(t, ds)
	}
	return r.withoutAll(t, ds)
}

// axes checks axis numbers; none means all.
func (t *Tensor) axes(op string, dims []int) []int {
	ds := make([]int, 0, 8)
	if len(dims) == 0 {
		for d := range t.shape {
			ds = append(ds, d)
		}
		return ds
	}
	for _, d := range dims {
		ds = append(ds, t.axis(op, d))
	}
	return ds
}

// Max is the largest of all elements.
func (t *Tensor) Max() *Tensor { return t.furthest(opMax) }

// Min is the smallest of all elements.
func (t *Tensor) Min() *Tensor { return t.furthest(opMin) }

func (t *Tensor) furthest(o *op) *Tensor {
	t.needsElements(o.word)
	if t.device.IsMeta() {
		return shapeOnly(t.dtype, nil)
	}
	return o.call(tensor(t))
}

// MaxDim is the largest along axis d, and where along it that was.
func (t *Tensor) MaxDim(d int) (values, indices *Tensor) { return t.extreme(opMaxDim, d) }

// MinDim is the smallest along axis d, and where along it that was.
func (t *Tensor) MinDim(d int) (values, indices *Tensor) { return t.extreme(opMinDim, d) }

func (t *Tensor) extreme(o *op, d int) (values, indices *Tensor) {
	d = t.axis(o.word, d)
	values, indices = o.call2(tensor(t), integer(d), boolean(false))
	return values.without(t, d), indices.without(t, d)
}

// AMax is the largest along axis d; where several are equal the gradient is shared
// among them.
func (t *Tensor) AMax(d int) *Tensor {
	d = t.axis("AMax", d)
	return opAMax.call(tensor(t), integers([]int{d}), boolean(false)).without(t, d)
}

// AMin is the smallest along axis d; where several are equal the gradient is shared
// among them.
func (t *Tensor) AMin(d int) *Tensor {
	d = t.axis("AMin", d)
	return opAMin.call(tensor(t), integers([]int{d}), boolean(false)).without(t, d)
}

// Argmax is the index of the largest along an axis, or, where none is given, among
// all elements row by row.
func (t *Tensor) Argmax(d ...int) *Tensor { return t.argExtreme(opArgmax, d) }

// Argmin is the index of the smallest, as Argmax.
func (t *Tensor) Argmin(d ...int) *Tensor { return t.argExtreme(opArgmin, d) }

func (t *Tensor) argExtreme(o *op, d []int) *Tensor {
	t.needsElements(o.word)
	switch len(d) {
	case 0:
		return o.call(tensor(t), none, boolean(false))
	case 1:
		k := t.axis(o.word, d[0])
		return o.call(tensor(t), someInt(k), boolean(false)).without(t, k)
	}
	refuse(o.word, []arg{tensor(t)}, "it takes one axis or none, not %d", len(d))
	return nil
}

func (t *Tensor) needsElements(op string) {
	if t.Numel() == 0 {
		refuse(op, []arg{tensor(t)}, "it has no elements")
	}
}

// Any says whether some element is true, as a tensor of one.
func (t *Tensor) Any() *Tensor { return opAny.call(tensor(t)) }

// All says whether every element is true, as a tensor of one.
func (t *Tensor) All() *Tensor { return opAll.call(tensor(t)) }

// CumSum adds up along axis d.
func (t *Tensor) CumSum(d int) *Tensor {
	return opCumSum.call(tensor(t), integer(t.axis("CumSum", d)), none).sameAs(t)
}

// LogSumExp is log Σ exp along axis d.
func (t *Tensor) LogSumExp(d int) *Tensor {
	d = t.axis("LogSumExp", d)
	if t.device.IsMeta() {
		return shapeOnly(t.dtype, t.reduced([]int{d})).without(t, d)
	}
	return opLogSumExp.call(tensor(t), integers([]int{d}), boolean(false)).without(t, d)
}

// Softmax is exp(t) divided by its sum along axis d.
func (t *Tensor) Softmax(d int) *Tensor {
	return opSoftmax.call(tensor(t), integer(t.axis("Softmax", d)), none).sameAs(t)
}

// LogSoftmax is the logarithm of Softmax.
func (t *Tensor) LogSoftmax(d int) *Tensor {
	return opLogSoftmax.call(tensor(t), integer(t.axis("LogSoftmax", d)), none).sameAs(t)
}

// SoftmaxFloat32 is Softmax computed and returned in float32, whatever t is.
func (t *Tensor) SoftmaxFloat32(d int) *Tensor {
	return opSoftmax.call(tensor(t), integer(t.axis("Softmax", d)), someDType(Float32)).sameAs(t)
}
