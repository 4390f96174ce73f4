package exports

import (
	constants "go/constant"
	"go/token"
	"math/big"
	"reflect"
)

// A Package is a compiled package whose symbols are made when first asked for.
type Package struct {
	Path, Name string
	Symbols    func() map[string]reflect.Value
	// Source is Go source of the generic declarations, which reflection does not
	// see and the engine interprets; "" if there are none.
	Source string
}

// Add makes packages importable; one of the same path as an earlier table adds to it.
func (im *Importer) Add(packages ...Package) {
	for _, p := range packages {
		im.names[p.Path] = p.Name
		im.lazy[p.Path] = append(im.lazy[p.Path], p.Symbols)
		if p.Source != "" {
			im.sources[p.Path] = p.Source
		}
	}
}

// The functions below stand in generated tables for untyped constants, which
// have no reflect.Value of their own.

// Untyped returns the constant of a Go literal: an integer, a string or a bool.
func Untyped(literal string) reflect.Value {
	switch literal {
	case "true", "false":
		return reflect.ValueOf(constants.MakeBool(literal == "true"))
	}
	kind := token.INT
	if literal[0] == '"' {
		kind = token.STRING
	}
	if literal[0] == '-' {
		return reflect.ValueOf(constants.UnaryOp(token.SUB, constants.MakeFromLiteral(literal[1:], kind, 0), 0))
	}
	return reflect.ValueOf(constants.MakeFromLiteral(literal, kind, 0))
}

// UntypedFloat returns the constant of a ratio of integers, or of a number as
// big.Float writes it.
func UntypedFloat(s string) reflect.Value { return reflect.ValueOf(float(s)) }

// UntypedComplex is UntypedFloat for the two parts.
func UntypedComplex(re, im string) reflect.Value {
	return reflect.ValueOf(constants.BinaryOp(float(re), token.ADD, constants.MakeImag(float(im))))
}

func float(s string) constants.Value {
	if r, ok := new(big.Rat).SetString(s); ok && r.Num().BitLen()+r.Denom().BitLen() < 4000 {
		return constants.ToFloat(constants.Make(r))
	}
	f, _, err := big.ParseFloat(s, 0, 512, big.ToNearestEven)
	if err != nil {
		panic("exports: " + err.Error())
	}
	return constants.ToFloat(constants.Make(f))
}

type untypedRune struct{ constants.Value }

// UntypedRune returns an untyped rune constant.
func UntypedRune(r rune) reflect.Value {
	return reflect.ValueOf(untypedRune{constants.MakeInt64(int64(r))})
}
