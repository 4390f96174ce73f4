package machine

import (
	"go/constant"
	"go/types"
	"math"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// constant gives a value that is known before the function runs a slot of the template.
func (k *compiler) constant(v ssa.Value) {
	if k.slots[v] != nil {
		return
	}
	switch x := v.(type) {
	case *ssa.Const:
		t := k.m.forger.descriptor(x.Type())
		key := constKey{t, "0"}
		if x.Value != nil {
			key.val = x.Value.ExactString()
			if x.Value.Kind() == constant.String {
				key.val = "s" + constant.StringVal(x.Value)
			}
		}
		if s := k.known[key]; s != nil {
			k.slots[v] = s
			return
		}
		s := k.define(v)
		k.known[key] = s
		if x.Value != nil {
			k.consts = append(k.consts, constSlot{s, func(p unsafe.Pointer) { setConst(p, x) }})
		}
	case *ssa.Global:
		p := k.global(x)
		k.consts = append(k.consts, constSlot{k.define(v), func(at unsafe.Pointer) { *(*unsafe.Pointer)(at) = p }})
	case *ssa.Function:
		p := k.funcValue(x)
		k.consts = append(k.consts, constSlot{k.define(v), func(at unsafe.Pointer) { *(*unsafe.Pointer)(at) = p }})
	}
}

func setConst(p unsafe.Pointer, x *ssa.Const) {
	b := x.Type().Underlying().(*types.Basic)
	switch b.Kind() {
	case types.Bool, types.UntypedBool:
		*(*bool)(p) = constant.BoolVal(x.Value)
	case types.String, types.UntypedString:
		*(*string)(p) = constant.StringVal(x.Value)
	case types.Int8, types.Uint8:
		*(*int8)(p) = int8(intConst(x))
	case types.Int16, types.Uint16:
		*(*int16)(p) = int16(intConst(x))
	case types.Int32, types.Uint32, types.UntypedRune:
		*(*int32)(p) = int32(intConst(x))
	case types.Float32:
		f, _ := constant.Float32Val(constant.ToFloat(x.Value))
		*(*float32)(p) = f
	case types.Float64, types.UntypedFloat:
		f, _ := constant.Float64Val(constant.ToFloat(x.Value))
		*(*float64)(p) = f
	case types.Complex64:
		*(*complex64)(p) = complex64(x.Complex128())
	case types.Complex128, types.UntypedComplex:
		*(*complex128)(p) = x.Complex128()
	default:
		*(*int64)(p) = intConst(x)
	}
}

func intConst(x *ssa.Const) int64 {
	v := constant.ToInt(x.Value)
	if i, ok := constant.Int64Val(v); ok {
		return i
	}
	if u, ok := constant.Uint64Val(v); ok {
		return int64(u)
	}
	return math.MinInt64
}
