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

// Add, Sub, Mul, Div, Pow, Minimum and Maximum work element by element, with
// PyTorch's broadcasting. x is a *Tensor or any Go number.
func (t *Tensor) Add(x any) *Tensor { return t.addScaled("Add", operand("Add", t, x), 1) }
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

func (t *Tensor) Mul(x any) *Tensor {
	o := operand("Mul", t, x)
	if th := t.goDirect(o); th != nil {
		h := slot()
		add(fn.mul, uint64(t.h), uint64(o.h), ptr(h))
		return th.direct("Mul", h, tensor(t), tensor(o)).joined(t, o)
	}
	return opMul.call(tensor(t), tensor(o)).joined(t, o)
}

func (t *Tensor) Div(x any) *Tensor     { return t.binary(opDiv, x) }
func (t *Tensor) Pow(x any) *Tensor     { return t.binary(opPow, x) }
func (t *Tensor) Minimum(x any) *Tensor { return t.binary(opMinimum, x) }
func (t *Tensor) Maximum(x any) *Tensor { return t.binary(opMaximum, x) }

// Eq, Ne, Lt, Le, Gt and Ge compare element by element and give bools.
func (t *Tensor) Eq(x any) *Tensor { return t.binary(opEq, x) }
func (t *Tensor) Ne(x any) *Tensor { return t.binary(opNe, x) }
func (t *Tensor) Lt(x any) *Tensor { return t.binary(opLt, x) }
func (t *Tensor) Le(x any) *Tensor { return t.binary(opLe, x) }
func (t *Tensor) Gt(x any) *Tensor { return t.binary(opGt, x) }
func (t *Tensor) Ge(x any) *Tensor { return t.binary(opGe, x) }

// And, Or and Not are logical: a number that isn't 0 is true.
func (t *Tensor) And(x *Tensor) *Tensor { return t.binary(opAnd, x) }
func (t *Tensor) Or(x *Tensor) *Tensor  { return t.binary(opOr, x) }
func (t *Tensor) Not() *Tensor          { return t.unary(opNot) }

func (t *Tensor) Neg() *Tensor     { return t.unary(opNeg) }
func (t *Tensor) Abs() *Tensor     { return t.elementwise(opAbs, t.dtype) }
func (t *Tensor) Exp() *Tensor     { return t.unary(opExp) }
func (t *Tensor) Log() *Tensor     { return t.unary(opLog) }
func (t *Tensor) Log1p() *Tensor   { return t.unary(opLog1p) }
func (t *Tensor) Sqrt() *Tensor    { return t.unary(opSqrt) }
func (t *Tensor) Rsqrt() *Tensor   { return t.unary(opRsqrt) }
func (t *Tensor) Square() *Tensor  { return t.unary(opSquare) }
func (t *Tensor) Sigmoid() *Tensor { return t.unary(opSigmoid) }
func (t *Tensor) Tanh() *Tensor    { return t.unary(opTanh) }
func (t *Tensor) Relu() *Tensor    { return t.elementwise(opRelu, t.dtype) }

// Silu is x·sigmoid(x), the gate of a DeepSeek MLP. Gelu is the exact one, by erf.
func (t *Tensor) Silu() *Tensor { return t.unary(opSilu) }
func (t *Tensor) Gelu() *Tensor {
	return opGelu.call(tensor(t), arg{kind: argString, text: "none"}).sameAs(t)
}
func (t *Tensor) Sin() *Tensor      { return t.unary(opSin) }
func (t *Tensor) Cos() *Tensor      { return t.unary(opCos) }
func (t *Tensor) Round() *Tensor    { return t.unary(opRound) }
func (t *Tensor) Floor() *Tensor    { return t.unary(opFloor) }
func (t *Tensor) IsNaN() *Tensor    { return t.elementwise(opIsNaN, Bool) }
func (t *Tensor) IsInf() *Tensor    { return t.elementwise(opIsInf, Bool) }
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
