package torch

import "fmt"

// A DType is the type of a tensor's elements, numbered as libtorch numbers them.
type DType int8

const (
	Uint8         DType = 0
	Int8          DType = 1
	Int16         DType = 2
	Int32         DType = 3
	Int64         DType = 4
	Float16       DType = 5
	Float32       DType = 6
	Float64       DType = 7
	Complex32     DType = 8
	Complex64     DType = 9
	Complex128    DType = 10
	Bool          DType = 11
	BFloat16      DType = 15
	Float8E5M2    DType = 23
	Float8E4M3FN  DType = 24
	Uint16        DType = 27
	Uint32        DType = 28
	Uint64        DType = 29
	Float8E8M0FNU DType = 44
)

type dtypeFacts struct {
	name string
	size int
	kind dtypeKind
}

type dtypeKind int8

const (
	kindBool dtypeKind = iota
	kindInt
	kindFloat
	kindComplex
)

var dtypes = map[DType]dtypeFacts{
	Uint8: {"uint8", 1, kindInt}, Int8: {"int8", 1, kindInt}, Int16: {"int16", 2, kindInt}, Int32: {"int32", 4, kindInt}, Int64: {"int64", 8, kindInt},
	Uint16: {"uint16", 2, kindInt}, Uint32: {"uint32", 4, kindInt}, Uint64: {"uint64", 8, kindInt},
	Float16: {"float16", 2, kindFloat}, BFloat16: {"bfloat16", 2, kindFloat}, Float32: {"float32", 4, kindFloat}, Float64: {"float64", 8, kindFloat},
	Float8E4M3FN: {"float8_e4m3fn", 1, kindFloat}, Float8E5M2: {"float8_e5m2", 1, kindFloat}, Float8E8M0FNU: {"float8_e8m0fnu", 1, kindFloat},
	Complex32: {"complex32", 4, kindComplex}, Complex64: {"complex64", 8, kindComplex}, Complex128: {"complex128", 16, kindComplex},
	Bool: {"bool", 1, kindBool},
}

// String is PyTorch's name: "float32".
func (d DType) String() string {
	if f, ok := dtypes[d]; ok {
		return f.name
	}
	return fmt.Sprintf("dtype(%d)", int(d))
}

// Size is the number of bytes of an element.
func (d DType) Size() int { return dtypes[d].size }

// IsFloat says whether d is a real floating-point type, of any width.
func (d DType) IsFloat() bool { f, ok := dtypes[d]; return ok && f.kind == kindFloat }

// IsComplex says whether elements are complex numbers.
func (d DType) IsComplex() bool { f, ok := dtypes[d]; return ok && f.kind == kindComplex }

// IsInt says whether d is an integer type; Bool is not one.
func (d DType) IsInt() bool { f, ok := dtypes[d]; return ok && f.kind == kindInt }

// ParseDType reads PyTorch's names and their usual short forms: "bfloat16", "bf16".
func ParseDType(s string) (DType, error) {
	switch s {
	case "float", "fp32", "f32":
		return Float32, nil
	case "double", "fp64", "f64":
		return Float64, nil
	case "half", "fp16", "f16":
		return Float16, nil
	case "bf16":
		return BFloat16, nil
	case "int":
		return Int32, nil
	case "long":
		return Int64, nil
	}
	for d, f := range dtypes {
		if f.name == s || "torch."+f.name == s {
			return d, nil
		}
	}
	return 0, fmt.Errorf("dtype %q: not a tensor type; use one of float32, bfloat16, float16, float64, int64, int32, bool, uint8", s)
}
