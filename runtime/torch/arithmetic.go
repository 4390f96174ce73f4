package torch

var (
	opMul, opDiv     = newOp("Mul", "mul", "Tensor"), newOp("Div", "div", "Tensor")
	opPow            = newOp("Pow", "pow", "Tensor_Tensor")
	opMinimum        = newOp("Minimum", "minimum", "")
	opMaximum        = newOp("Maximum", "maximum", "")
	opEq, opNe       = newOp("Eq", "eq", "Tensor"), newOp("Ne", "ne", "Tensor")
	opLt, opLe       = newOp("Lt", "lt", "Tensor"), newOp("Le", "le", "Tensor")
	opGt, opGe       = newOp("Gt", "gt", "Tensor"), newOp("Ge", "ge", "Tensor")
	opAnd, opOr      = newOp("And", "logical_and", ""), newOp("Or", "logical_or", "")
	opNot            = newOp("Not", "logical_not", "")
	opNeg, opAbs     = newOp("Neg", "neg", ""), newOp("Abs", "abs", "")
	opExp, opLog     = newOp("Exp", "exp", ""), newOp("Log", "log", "")
	opLog1p          = newOp("Log1p", "log1p", "")
	opSqrt, opRsqrt  = newOp("Sqrt", "sqrt", ""), newOp("Rsqrt", "rsqrt", "")
	opSquare         = newOp("Square", "square", "")
	opSigmoid        = newOp("Sigmoid", "sigmoid", "")
	opTanh, opRelu   = newOp("Tanh", "tanh", ""), newOp("Relu", "relu", "")
	opSilu           = newOp("Silu", "silu", "")
	opGelu           = newOp("Gelu", "gelu", "")
	opSin, opCos     = newOp("Sin", "sin", ""), newOp("Cos", "cos", "")
	opRound, opFloor = newOp("Round", "round", ""), newOp("Floor", "floor", "")
	opIsNaN, opIsInf = newOp("IsNaN", "isnan", ""), newOp("IsInf", "isinf", "")
	opIsFinite       = newOp("IsFinite", "isfinite", "")
	opClamp          = newOp("Clamp", "clamp", "Tensor")
	opMaskedFill     = newOp("MaskedFill", "masked_fill", "Tensor")
	opWhere          = newOp("Where", "where", "self")
)

// Add is t + x, element by element, with PyTorch's broadcasting. x is a *Tensor or
// any Go number.
func (t *Tensor) Add(x any) *Tensor { return t.addScaled("Add", operand("Add", t, x), 1) }

// Sub is t − x, as Add.
func (t *Tensor) Sub(x any) *Tensor { return t.addScaled("Sub", operand("Sub", t, x), -1) }

// addScaled is t + scale·o: scale is a Scalar, which the dispatcher refuses, so
// these go by functions of their own. aten_subtract_Tensor records gradients.
func (t *Tensor) addScaled(op string, o *Tensor, scale float64) *Tensor {
	if t != nil && whole(t.dtype) && whole(o.dtype) {
		if scale < 0 {
			o = o.To(promoted(t, o)).Neg()
		}
		return t.addWhole(op, o)
	}
	f, x := fn.add, scale
	th := t.goDirect(o)
	if th == nil {
		f, x = fn.sub, -scale
		th = begin()
	}
	t.alive(op)
	o.alive(op)
	h := slot()
	c := add(f, uint64(t.h), uint64(o.h), ptr(h))
	c.x[0] = x
	return th.direct(op, h, tensor(t), tensor(o)).joined(t, o)
}

// addWhole adds integers. The functions that add take their factor as a double,
// which libtorch refuses for integers, so the two are stacked and summed.
func (t *Tensor) addWhole(op string, o *Tensor) *Tensor {
	shape, ok := broadcast(t.shape, o.shape)
	if !ok {
		refuse(op, []arg{tensor(t), tensor(o)}, "these shapes don't fit together: axes must be equally long, or 1")
	}
	d := promoted(t, o)
	both := Stack(0, t.To(d).Expand(shape...), o.To(d).Expand(shape...))
	return opSum.call(tensor(both), someIntegers([]int{0}), boolean(false), someDType(d)).joined(t, o)
}

func whole(d DType) bool { return d.IsInt() || d == Bool }

// promoted is the type of an operation of two integer tensors. One without axes
// doesn't widen the other.
func promoted(a, b *Tensor) DType {
	x, y := a.dtype, b.dtype
	if len(a.shape) > 0 && len(b.shape) == 0 && x != Bool {
		return x
	}
	if len(b.shape) > 0 && len(a.shape) == 0 && y != Bool {
		return y
	}
	switch {
	case x == Bool:
		return y
	case y == Bool || x == y:
		return x
	case x.Size() == y.Size():
		return Int16 // uint8 with int8
	case x.Size() > y.Size():
		return x
	}
	return y
}

// broadcast is the shape of an operation of two shapes.
func broadcast(a, b []int) ([]int, bool) {
	if len(a) < len(b) {
		a, b = b, a
	}
	shape := append([]int(nil), a...)
	shift := len(a) - len(b)
	for i, s := range b {
		switch at := &shape[shift+i]; {
		case *at == 1:
			*at = s
		case s != 1 && s != *at:
			return nil, false
		}
	}
	return shape, true
}

// Mul is t · x, element by element, as Add.
func (t *Tensor) Mul(x any) *Tensor {
	o := operand("Mul", t, x)
	if th := t.goDirect(o); th != nil {
		h := slot()
		add(fn.mul, uint64(t.h), uint64(o.h), ptr(h))
		return th.direct("Mul", h, tensor(t), tensor(o)).joined(t, o)
	}
	return opMul.call(tensor(t), tensor(o)).joined(t, o)
}

// Div is t / x, as Add; whole numbers give fractions.
func (t *Tensor) Div(x any) *Tensor { return t.binary(opDiv, x) }

// Pow is t to the power x, as Add.
func (t *Tensor) Pow(x any) *Tensor { return t.binary(opPow, x) }

// Minimum is the smaller of t and x, as Add.
func (t *Tensor) Minimum(x any) *Tensor { return t.binary(opMinimum, x) }

// Maximum is the larger of t and x, as Add.
func (t *Tensor) Maximum(x any) *Tensor { return t.binary(opMaximum, x) }

// Eq is where t and x are equal, as bools; x broadcasts, as in Add.
func (t *Tensor) Eq(x any) *Tensor { return t.binary(opEq, x) }

// Ne is where t and x differ.
func (t *Tensor) Ne(x any) *Tensor { return t.binary(opNe, x) }

// Lt is where t is less than x.
func (t *Tensor) Lt(x any) *Tensor { return t.binary(opLt, x) }

// Le is where t is at most x.
func (t *Tensor) Le(x any) *Tensor { return t.binary(opLe, x) }

// Gt is where t is more than x.
func (t *Tensor) Gt(x any) *Tensor { return t.binary(opGt, x) }

// Ge is where t is at least x.
func (t *Tensor) Ge(x any) *Tensor { return t.binary(opGe, x) }

// And is where neither t nor x is 0, as bools.
func (t *Tensor) And(x *Tensor) *Tensor { return t.binary(opAnd, x) }

// Or is where t or x is not 0.
func (t *Tensor) Or(x *Tensor) *Tensor { return t.binary(opOr, x) }

// Not is where t is 0.
func (t *Tensor) Not() *Tensor { return t.unary(opNot) }

// Neg is −t.
func (t *Tensor) Neg() *Tensor { return t.unary(opNeg) }

// Abs is the size of each element.
func (t *Tensor) Abs() *Tensor { return t.elementwise(opAbs, t.dtype) }

// Exp is e to the power t.
func (t *Tensor) Exp() *Tensor { return t.unary(opExp) }

// Log is the natural logarithm.
func (t *Tensor) Log() *Tensor { return t.unary(opLog) }

// Log1p is log(1 + t).
func (t *Tensor) Log1p() *Tensor { return t.unary(opLog1p) }

// Sqrt is the square root.
func (t *Tensor) Sqrt() *Tensor { return t.unary(opSqrt) }

// Rsqrt is 1/√t.
func (t *Tensor) Rsqrt() *Tensor { return t.unary(opRsqrt) }

// Square is t².
func (t *Tensor) Square() *Tensor { return t.unary(opSquare) }

// Sigmoid is 1/(1 + exp(−t)).
func (t *Tensor) Sigmoid() *Tensor { return t.unary(opSigmoid) }

// Tanh is the hyperbolic tangent.
func (t *Tensor) Tanh() *Tensor { return t.unary(opTanh) }

// Relu is t where it is positive, and 0.
func (t *Tensor) Relu() *Tensor { return t.elementwise(opRelu, t.dtype) }

// Silu is t·sigmoid(t), the gate of a DeepSeek MLP.
func (t *Tensor) Silu() *Tensor { return t.unary(opSilu) }

// Gelu is t·Φ(t), Φ being the normal distribution function: the exact form, by erf.
func (t *Tensor) Gelu() *Tensor {
	return opGelu.call(tensor(t), arg{kind: argString, text: "none"}).sameAs(t)
}

// Sin is the sine of radians.
func (t *Tensor) Sin() *Tensor { return t.unary(opSin) }

// Cos is the cosine of radians.
func (t *Tensor) Cos() *Tensor { return t.unary(opCos) }

// Round rounds to the nearest whole number, halves to the even one.
func (t *Tensor) Round() *Tensor { return t.unary(opRound) }

// Floor rounds down.
func (t *Tensor) Floor() *Tensor { return t.unary(opFloor) }

// IsNaN is where t is not a number.
func (t *Tensor) IsNaN() *Tensor { return t.elementwise(opIsNaN, Bool) }

// IsInf is where t is infinite.
func (t *Tensor) IsInf() *Tensor { return t.elementwise(opIsInf, Bool) }

// IsFinite is where t is neither infinite nor NaN.
func (t *Tensor) IsFinite() *Tensor { return t.elementwise(opIsFinite, Bool) }

// Clamp moves elements below lo to lo and above hi to hi.
func (t *Tensor) Clamp(lo, hi float64) *Tensor {
	if t.device.IsMeta() {
		return shapeOnly(t.dtype, t.shape).sameAs(t)
	}
	return opClamp.call(tensor(t), someTensor(scalarFor(t, wholeIf(lo))), someTensor(scalarFor(t, wholeIf(hi)))).sameAs(t)
}

func wholeIf(v float64) number { return number{v, v == float64(int64(v))} }

// MaskedFill has v where mask is true, and t elsewhere.
func (t *Tensor) MaskedFill(mask *Tensor, v any) *Tensor {
	o := operand("MaskedFill", t, v)
	if len(o.shape) != 0 {
		refuse("MaskedFill", []arg{tensor(t), tensor(mask), tensor(o)}, "the value is a number or a tensor without axes; use Where(mask, value, t)")
	}
	return opMaskedFill.call(tensor(t), tensor(mask), tensor(o)).sameAs(t)
}

// Where takes a where cond is true and b elsewhere; a and b are tensors or numbers,
// not both numbers.
func Where(cond *Tensor, a, b any) *Tensor {
	x, isTensor := a.(*Tensor)
	if !isTensor {
		y, ok := b.(*Tensor)
		if !ok {
			refuse("Where", []arg{tensor(cond)}, "one of the two choices must be a *Tensor")
		}
		if cond.device.IsMeta() {
			return shapeOnly(y.dtype, together("Where", cond, y))
		}
		return opWhere.call(tensor(cond), tensor(operand("Where", y, a)), tensor(y)).sameAs(y)
	}
	if y, ok := b.(*Tensor); cond.device.IsMeta() {
		if !ok {
			y = x
		}
		return shapeOnly(x.dtype, together("Where", cond, x, y))
	}
	y := operand("Where", x, b)
	return opWhere.call(tensor(cond), tensor(x), tensor(y)).joined(x, y)
}

func (t *Tensor) unary(o *op) *Tensor { return o.call(tensor(t)).sameAs(t) }

// elementwise is unary for the ops without a form on the meta device.
func (t *Tensor) elementwise(o *op, dtype DType) *Tensor {
	if t.device.IsMeta() {
		return shapeOnly(dtype, t.shape).sameAs(t)
	}
	return t.unary(o)
}

func (t *Tensor) binary(o *op, x any) *Tensor {
	y := operand(o.word, t, x)
	return o.call(tensor(t), tensor(y)).joined(t, y)
}

// goDirect takes the lock and returns the thread when an op on t and o may go
// round the dispatcher: on the CPU, and not recording.
func (t *Tensor) goDirect(o *Tensor) *thread {
	if t == nil || !t.device.IsCPU() || !o.device.IsCPU() {
		return nil
	}
	th := begin()
	if th.mode != 0 || t.h == 0 || o.h == 0 {
		mu.Unlock()
		return nil
	}
	return th
}
