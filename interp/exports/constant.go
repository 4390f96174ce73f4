package exports

import (
	constants "go/constant"
	"go/types"
	"reflect"
)

// constant returns a symbol's value as a constant, nil if it is none, and its
// type if it is untyped. Tables hold untyped constants as constant.Value and
// typed ones as plain values.
func constant(v reflect.Value) (constants.Value, types.Type) {
	if r, ok := v.Interface().(untypedRune); ok {
		return r.Value, types.Typ[types.UntypedRune]
	}
	if c, ok := v.Interface().(constants.Value); ok {
		switch c.Kind() {
		case constants.Bool:
			return c, types.Typ[types.UntypedBool]
		case constants.String:
			return c, types.Typ[types.UntypedString]
		case constants.Int:
			return c, types.Typ[types.UntypedInt]
		case constants.Float:
			return c, types.Typ[types.UntypedFloat]
		case constants.Complex:
			return c, types.Typ[types.UntypedComplex]
		}
		return nil, nil
	}
	switch v.Kind() {
	case reflect.Bool:
		return constants.MakeBool(v.Bool()), nil
	case reflect.String:
		return constants.MakeString(v.String()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return constants.MakeInt64(v.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return constants.MakeUint64(v.Uint()), nil
	case reflect.Float32, reflect.Float64:
		return constants.MakeFloat64(v.Float()), nil
	}
	return nil, nil
}
