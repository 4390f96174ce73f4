package machine

import (
	"fmt"
	"go/token"
	"go/types"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

type signed interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64
}

type unsigned interface {
	~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

type integer interface{ signed | unsigned }

type number interface {
	integer | ~float32 | ~float64 | ~complex64 | ~complex128
}

type realNumber interface{ integer | ~float32 | ~float64 }

type ordered interface{ realNumber | ~string }

func basicKind(t types.Type) types.BasicKind {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return types.Invalid
	}
	switch b.Kind() {
	case types.UntypedBool:
		return types.Bool
	case types.UntypedInt:
		return types.Int
	case types.UntypedRune:
		return types.Int32
	case types.UntypedFloat:
		return types.Float64
	case types.UntypedComplex:
		return types.Complex128
	case types.UntypedString:
		return types.String
	}
	return b.Kind()
}

func (k *compiler) binop(x *ssa.BinOp) op {
	d, a, b := k.off(x), k.off(x.X), k.off(x.Y)
	switch x.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		c := k.comparison(x)
		return func(f *frame) { *at[bool](f, d) = c(f) }
	case token.SHL, token.SHR:
		return k.shift(x)
	}
	switch kind := basicKind(x.X.Type()); kind {
	case types.Int:
		return intOp[int](x.Op, d, a, b)
	case types.Int8:
		return intOp[int8](x.Op, d, a, b)
	case types.Int16:
		return intOp[int16](x.Op, d, a, b)
	case types.Int32:
		return intOp[int32](x.Op, d, a, b)
	case types.Int64:
		return intOp[int64](x.Op, d, a, b)
	case types.Uint:
		return intOp[uint](x.Op, d, a, b)
	case types.Uint8:
		return intOp[uint8](x.Op, d, a, b)
	case types.Uint16:
		return intOp[uint16](x.Op, d, a, b)
	case types.Uint32:
		return intOp[uint32](x.Op, d, a, b)
	case types.Uint64:
		return intOp[uint64](x.Op, d, a, b)
	case types.Uintptr:
		return intOp[uintptr](x.Op, d, a, b)
	case types.Float32:
		return arithOp[float32](x.Op, d, a, b)
	case types.Float64:
		return arithOp[float64](x.Op, d, a, b)
	case types.Complex64:
		return arithOp[complex64](x.Op, d, a, b)
	case types.Complex128:
		return arithOp[complex128](x.Op, d, a, b)
	case types.String:
		return func(f *frame) { *at[string](f, d) = *at[string](f, a) + *at[string](f, b) }
	}
	panic(fmt.Sprintf("machine: no %s of %s", x.Op, x.X.Type()))
}

func intOp[T integer](o token.Token, d, a, b uintptr) op {
	switch o {
	case token.REM:
		return func(f *frame) { *at[T](f, d) = *at[T](f, a) % *at[T](f, b) }
	case token.AND:
		return func(f *frame) { *at[T](f, d) = *at[T](f, a) & *at[T](f, b) }
	case token.OR:
		return func(f *frame) { *at[T](f, d) = *at[T](f, a) | *at[T](f, b) }
	case token.XOR:
		return func(f *frame) { *at[T](f, d) = *at[T](f, a) ^ *at[T](f, b) }
	case token.AND_NOT:
		return func(f *frame) { *at[T](f, d) = *at[T](f, a) &^ *at[T](f, b) }
	}
	return arithOp[T](o, d, a, b)
}

func arithOp[T number](o token.Token, d, a, b uintptr) op {
	switch o {
	case token.ADD:
		return func(f *frame) { *at[T](f, d) = *at[T](f, a) + *at[T](f, b) }
	case token.SUB:
		return func(f *frame) { *at[T](f, d) = *at[T](f, a) - *at[T](f, b) }
	case token.MUL:
		return func(f *frame) { *at[T](f, d) = *at[T](f, a) * *at[T](f, b) }
	case token.QUO:
		return func(f *frame) { *at[T](f, d) = *at[T](f, a) / *at[T](f, b) }
	}
	panic("machine: no arithmetic " + o.String())
}

// shift reads its count as an unsigned number; a negative one is an error.
func (k *compiler) shift(x *ssa.BinOp) op {
	d, a, b := k.off(x), k.off(x.X), k.off(x.Y)
	count := k.shiftCount(x.Y.Type(), b)
	left := x.Op == token.SHL
	switch basicKind(x.X.Type()) {
	case types.Int:
		return shiftOp[int](left, d, a, count)
	case types.Int8:
		return shiftOp[int8](left, d, a, count)
	case types.Int16:
		return shiftOp[int16](left, d, a, count)
	case types.Int32:
		return shiftOp[int32](left, d, a, count)
	case types.Int64:
		return shiftOp[int64](left, d, a, count)
	case types.Uint:
		return shiftOp[uint](left, d, a, count)
	case types.Uint8:
		return shiftOp[uint8](left, d, a, count)
	case types.Uint16:
		return shiftOp[uint16](left, d, a, count)
	case types.Uint32:
		return shiftOp[uint32](left, d, a, count)
	case types.Uint64:
		return shiftOp[uint64](left, d, a, count)
	}
	return shiftOp[uintptr](left, d, a, count)
}

func shiftOp[T integer](left bool, d, a uintptr, count func(*frame) uint64) op {
	if left {
		return func(f *frame) { *at[T](f, d) = *at[T](f, a) << count(f) }
	}
	return func(f *frame) { *at[T](f, d) = *at[T](f, a) >> count(f) }
}

func (k *compiler) shiftCount(t types.Type, b uintptr) func(*frame) uint64 {
	switch basicKind(t) {
	case types.Int, types.Int64:
		return signedCount[int64](b)
	case types.Int8:
		return signedCount[int8](b)
	case types.Int16:
		return signedCount[int16](b)
	case types.Int32:
		return signedCount[int32](b)
	case types.Uint8:
		return func(f *frame) uint64 { return uint64(*at[uint8](f, b)) }
	case types.Uint16:
		return func(f *frame) uint64 { return uint64(*at[uint16](f, b)) }
	case types.Uint32:
		return func(f *frame) uint64 { return uint64(*at[uint32](f, b)) }
	}
	return func(f *frame) uint64 { return *at[uint64](f, b) }
}

func signedCount[T signed](b uintptr) func(*frame) uint64 {
	return func(f *frame) uint64 {
		n := *at[T](f, b)
		if n < 0 {
			_ = 1 << n // Go's own error
		}
		return uint64(n)
	}
}

// fusable comparisons are made part of the branch that follows them.
func fusable(x *ssa.BinOp) bool {
	switch x.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		switch basicKind(x.X.Type()) {
		case types.Int, types.Int64, types.Float64, types.Int32, types.Uint8:
			return true
		}
	}
	return false
}

// branch is a comparison and the jump that depends on it.
func (k *compiler) branch(x *ssa.BinOp, t, e *edge) term {
	a, b := k.off(x.X), k.off(x.Y)
	switch basicKind(x.X.Type()) {
	case types.Int32:
		return branchOn[int32](x.Op, a, b, t, e)
	case types.Uint8:
		return branchOn[uint8](x.Op, a, b, t, e)
	case types.Float64:
		return branchOn[float64](x.Op, a, b, t, e)
	}
	return branchOn[int64](x.Op, a, b, t, e)
}

func branchOn[T realNumber](o token.Token, a, b uintptr, t, e *edge) term {
	if len(t.moves)+len(e.moves) == 0 && !t.back && !e.back {
		yes, no := t.to, e.to
		switch o {
		case token.EQL:
			return func(f *frame) *block {
				if *at[T](f, a) == *at[T](f, b) {
					return yes
				}
				return no
			}
		case token.NEQ:
			return func(f *frame) *block {
				if *at[T](f, a) != *at[T](f, b) {
					return yes
				}
				return no
			}
		case token.LSS:
			return func(f *frame) *block {
				if *at[T](f, a) < *at[T](f, b) {
					return yes
				}
				return no
			}
		case token.LEQ:
			return func(f *frame) *block {
				if *at[T](f, a) <= *at[T](f, b) {
					return yes
				}
				return no
			}
		case token.GTR:
			return func(f *frame) *block {
				if *at[T](f, a) > *at[T](f, b) {
					return yes
				}
				return no
			}
		}
		return func(f *frame) *block {
			if *at[T](f, a) >= *at[T](f, b) {
				return yes
			}
			return no
		}
	}
	c := compare[T](o, a, b)
	return func(f *frame) *block {
		if c(f) {
			return t.take(f)
		}
		return e.take(f)
	}
}

func compare[T ordered](o token.Token, a, b uintptr) func(*frame) bool {
	switch o {
	case token.EQL:
		return func(f *frame) bool { return *at[T](f, a) == *at[T](f, b) }
	case token.NEQ:
		return func(f *frame) bool { return *at[T](f, a) != *at[T](f, b) }
	case token.LSS:
		return func(f *frame) bool { return *at[T](f, a) < *at[T](f, b) }
	case token.LEQ:
		return func(f *frame) bool { return *at[T](f, a) <= *at[T](f, b) }
	case token.GTR:
		return func(f *frame) bool { return *at[T](f, a) > *at[T](f, b) }
	}
	return func(f *frame) bool { return *at[T](f, a) >= *at[T](f, b) }
}

func (k *compiler) comparison(x *ssa.BinOp) func(*frame) bool {
	a, b := k.off(x.X), k.off(x.Y)
	switch basicKind(x.X.Type()) {
	case types.Int:
		return compare[int](x.Op, a, b)
	case types.Int8:
		return compare[int8](x.Op, a, b)
	case types.Int16:
		return compare[int16](x.Op, a, b)
	case types.Int32:
		return compare[int32](x.Op, a, b)
	case types.Int64:
		return compare[int64](x.Op, a, b)
	case types.Uint:
		return compare[uint](x.Op, a, b)
	case types.Uint8:
		return compare[uint8](x.Op, a, b)
	case types.Uint16:
		return compare[uint16](x.Op, a, b)
	case types.Uint32:
		return compare[uint32](x.Op, a, b)
	case types.Uint64:
		return compare[uint64](x.Op, a, b)
	case types.Uintptr:
		return compare[uintptr](x.Op, a, b)
	case types.Float32:
		return compare[float32](x.Op, a, b)
	case types.Float64:
		return compare[float64](x.Op, a, b)
	case types.String:
		return compare[string](x.Op, a, b)
	}
	eq := k.equality(x.X, x.Y)
	if x.Op == token.NEQ {
		return func(f *frame) bool { return !eq(f) }
	}
	return eq
}

// equality is == of values that have no order.
func (k *compiler) equality(x, y ssa.Value) func(*frame) bool {
	a, b := k.slot(x), k.slot(y)
	xi, yi := types.IsInterface(x.Type()), types.IsInterface(y.Type())
	if xi || yi {
		l, r := k.toAny(x), k.toAny(y)
		return func(f *frame) bool { return l(f) == r(f) }
	}
	p, q := a.off, b.off
	switch a.class {
	case classNone:
		return func(*frame) bool { return true }
	case classPointer:
		if a.typ.equal == nil || b.class == classPointer {
			return func(f *frame) bool { return *at[unsafe.Pointer](f, p) == *at[unsafe.Pointer](f, q) }
		}
	case classSlice: // with nil
		return func(f *frame) bool { return *at[unsafe.Pointer](f, p) == *at[unsafe.Pointer](f, q) }
	case classByte:
		if basicKind(x.Type()) == types.Bool {
			return func(f *frame) bool { return *at[bool](f, p) == *at[bool](f, q) }
		}
	}
	eq := a.typ.equal
	return func(f *frame) bool { return eq(f.ptr(p), f.ptr(q)) }
}

func (k *compiler) unop(x *ssa.UnOp) op {
	switch x.Op {
	case token.MUL:
		return k.load(x)
	case token.ARROW:
		return k.receive(x)
	}
	d, a := k.off(x), k.off(x.X)
	if x.Op == token.NOT {
		return func(f *frame) { *at[bool](f, d) = !*at[bool](f, a) }
	}
	switch basicKind(x.X.Type()) {
	case types.Int:
		return unaryInt[int](x.Op, d, a)
	case types.Int8:
		return unaryInt[int8](x.Op, d, a)
	case types.Int16:
		return unaryInt[int16](x.Op, d, a)
	case types.Int32:
		return unaryInt[int32](x.Op, d, a)
	case types.Int64:
		return unaryInt[int64](x.Op, d, a)
	case types.Uint:
		return unaryInt[uint](x.Op, d, a)
	case types.Uint8:
		return unaryInt[uint8](x.Op, d, a)
	case types.Uint16:
		return unaryInt[uint16](x.Op, d, a)
	case types.Uint32:
		return unaryInt[uint32](x.Op, d, a)
	case types.Uint64:
		return unaryInt[uint64](x.Op, d, a)
	case types.Uintptr:
		return unaryInt[uintptr](x.Op, d, a)
	case types.Float32:
		return negate[float32](d, a)
	case types.Float64:
		return negate[float64](d, a)
	case types.Complex64:
		return negate[complex64](d, a)
	case types.Complex128:
		return negate[complex128](d, a)
	}
	panic(fmt.Sprintf("machine: no %s of %s", x.Op, x.X.Type()))
}

func unaryInt[T integer](o token.Token, d, a uintptr) op {
	if o == token.XOR {
		return func(f *frame) { *at[T](f, d) = ^*at[T](f, a) }
	}
	return negate[T](d, a)
}

func negate[T number](d, a uintptr) op {
	return func(f *frame) { *at[T](f, d) = -*at[T](f, a) }
}
