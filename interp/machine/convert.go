package machine

import (
	"fmt"
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// copyTo copies a value whose type's name alone changes.
func (k *compiler) copyTo(x, from ssa.Value) op {
	d, s := k.slot(x), k.slot(from)
	a, b := d.off, s.off
	switch d.class {
	case classWord:
		return func(f *frame) { *at[uint64](f, a) = *at[uint64](f, b) }
	case classPointer:
		return func(f *frame) { *at[unsafe.Pointer](f, a) = *at[unsafe.Pointer](f, b) }
	}
	return func(f *frame) { d.copyValue(f.ptr(a), f.ptr(b)) }
}

func (k *compiler) convert(x ssa.Value, from ssa.Value) op {
	tk, fk := basicKind(x.Type()), basicKind(from.Type())
	d, a := k.off(x), k.off(from)
	switch {
	case numeric(tk) && numeric(fk):
		return numericConversion(tk, fk, d, a)
	case tk == types.String && numeric(fk):
		return k.runeToString(fk, d, a)
	case tk == types.String && fk == types.String, tk == fk && tk != types.Invalid:
		return k.copyTo(x, from)
	case tk == types.String:
		if elemKind(from.Type()) == types.Uint8 {
			return func(f *frame) { *at[string](f, d) = string(*at[[]byte](f, a)) }
		}
		return func(f *frame) { *at[string](f, d) = string(*at[[]rune](f, a)) }
	case fk == types.String:
		if elemKind(x.Type()) == types.Uint8 {
			return func(f *frame) { *at[[]byte](f, d) = []byte(*at[string](f, a)) }
		}
		return func(f *frame) { *at[[]rune](f, d) = []rune(*at[string](f, a)) }
	case tk == types.UnsafePointer || fk == types.UnsafePointer:
		if tk == types.Uintptr { // cells' values do not move
			return func(f *frame) { *at[uintptr](f, d) = uintptr(*at[unsafe.Pointer](f, a)) }
		}
		if fk == types.Uintptr {
			panic(&unsupported{x.Pos(), "the conversion of a uintptr to unsafe.Pointer", "use unsafe.Add"})
		}
		return k.copyTo(x, from)
	}
	return k.copyTo(x, from)
}

func elemKind(t types.Type) types.BasicKind {
	if s, ok := t.Underlying().(*types.Slice); ok {
		return basicKind(s.Elem())
	}
	return types.Invalid
}

func numeric(k types.BasicKind) bool { return k >= types.Int && k <= types.Complex128 }

// runeToString converts an integer to the string of that code point.
func (k *compiler) runeToString(fk types.BasicKind, d, a uintptr) op {
	return func(f *frame) {
		v := reflect.NewAt(basicTypes[fk], f.ptr(a)).Elem()
		*at[string](f, d) = v.Convert(reflect.TypeFor[string]()).String()
	}
}

func numericConversion(to, from types.BasicKind, d, a uintptr) op {
	switch from {
	case types.Int:
		return convertFrom[int](to, d, a)
	case types.Int8:
		return convertFrom[int8](to, d, a)
	case types.Int16:
		return convertFrom[int16](to, d, a)
	case types.Int32:
		return convertFrom[int32](to, d, a)
	case types.Int64:
		return convertFrom[int64](to, d, a)
	case types.Uint:
		return convertFrom[uint](to, d, a)
	case types.Uint8:
		return convertFrom[uint8](to, d, a)
	case types.Uint16:
		return convertFrom[uint16](to, d, a)
	case types.Uint32:
		return convertFrom[uint32](to, d, a)
	case types.Uint64:
		return convertFrom[uint64](to, d, a)
	case types.Uintptr:
		return convertFrom[uintptr](to, d, a)
	case types.Float32:
		return convertFrom[float32](to, d, a)
	case types.Float64:
		return convertFrom[float64](to, d, a)
	case types.Complex64:
		return convertComplex[complex64](to, d, a)
	}
	return convertComplex[complex128](to, d, a)
}

func convertComplex[F ~complex64 | ~complex128](to types.BasicKind, d, a uintptr) op {
	if to == types.Complex64 {
		return func(f *frame) { *at[complex64](f, d) = complex64(*at[F](f, a)) }
	}
	return func(f *frame) { *at[complex128](f, d) = complex128(*at[F](f, a)) }
}

func convertFrom[F realNumber](to types.BasicKind, d, a uintptr) op {
	switch to {
	case types.Int:
		return conversion[int, F](d, a)
	case types.Int8:
		return conversion[int8, F](d, a)
	case types.Int16:
		return conversion[int16, F](d, a)
	case types.Int32:
		return conversion[int32, F](d, a)
	case types.Int64:
		return conversion[int64, F](d, a)
	case types.Uint:
		return conversion[uint, F](d, a)
	case types.Uint8:
		return conversion[uint8, F](d, a)
	case types.Uint16:
		return conversion[uint16, F](d, a)
	case types.Uint32:
		return conversion[uint32, F](d, a)
	case types.Uint64:
		return conversion[uint64, F](d, a)
	case types.Uintptr:
		return conversion[uintptr, F](d, a)
	case types.Float32:
		return conversion[float32, F](d, a)
	case types.Float64:
		return conversion[float64, F](d, a)
	}
	panic(fmt.Sprintf("machine: no conversion to kind %d", to))
}

func conversion[T, F realNumber](d, a uintptr) op {
	return func(f *frame) { *at[T](f, d) = T(*at[F](f, a)) }
}

func (k *compiler) sliceToArray(x *ssa.SliceToArrayPointer) op {
	d, a := k.off(x), k.off(x.X)
	n := int(x.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len())
	return func(f *frame) {
		s := at[slice](f, a)
		if s.len < n {
			panic(runtimeError(fmt.Sprintf("runtime error: cannot convert slice with length %d to array or pointer to array with length %d", s.len, n)))
		}
		*at[unsafe.Pointer](f, d) = s.data
	}
}
