package yaegi

import (
	"fmt"
	"go/constant"
	"go/types"
	"math"
	"strconv"
	"strings"
)

func (g *gen) constant(v constant.Value, t types.Type) string {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		if types.IsInterface(t) {
			return g.constant(v, types.Default(kindType(v)))
		}
		panic(fmt.Sprintf("constant of type %v", t))
	}
	name := g.rep(t)
	switch {
	case b.Info()&types.IsBoolean != 0:
		return v.String() + "__v" // variables: a constant operand of && or || makes the engine leave the function
	case b.Info()&types.IsString != 0:
		return strconv.Quote(constant.StringVal(v))
	case b.Info()&types.IsInteger != 0:
		s := constant.ToInt(v).ExactString()
		if b.Kind() == types.Int || b.Kind() == types.UntypedInt {
			if s[0] == '-' {
				return "(" + s + ")"
			}
			return s
		}
		return name + "(" + s + ")"
	case b.Info()&types.IsFloat != 0:
		f, _ := constant.Float64Val(v)
		if math.IsInf(f, 0) {
			return name + "(" + constant.ToFloat(v).ExactString() + ")"
		}
		if b.Kind() == types.Float32 {
			f32, _ := constant.Float32Val(v)
			f = float64(f32)
		}
		s := strconv.FormatFloat(f, 'g', -1, 64)
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
		return name + "(" + s + ")"
	case b.Info()&types.IsComplex != 0:
		r, _ := constant.Float64Val(constant.Real(v))
		i, _ := constant.Float64Val(constant.Imag(v))
		return fmt.Sprintf("%s(complex(%v, %v))", name, strconv.FormatFloat(r, 'g', -1, 64), strconv.FormatFloat(i, 'g', -1, 64))
	}
	panic("constant")
}

func kindType(v constant.Value) types.Type {
	switch v.Kind() {
	case constant.Bool:
		return types.Typ[types.Bool]
	case constant.String:
		return types.Typ[types.String]
	case constant.Int:
		return types.Typ[types.Int]
	case constant.Float:
		return types.Typ[types.Float64]
	}
	return types.Typ[types.Complex128]
}
