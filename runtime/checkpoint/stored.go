package checkpoint

import "github.com/gonterp/gonterp/runtime/torch"

// A storedType is a dtype as safetensors spells it.
type storedType struct {
	word  string
	bits  int
	dtype torch.DType // noDType where libtorch has none of that kind
}

// noDType stands for dtypes that can be stored and not computed with.
const noDType torch.DType = -1

var storedTypes = map[string]storedType{
	"BOOL": {bits: 8, dtype: torch.Bool},
	"U8":   {bits: 8, dtype: torch.Uint8}, "U16": {bits: 16, dtype: torch.Uint16}, "U32": {bits: 32, dtype: torch.Uint32}, "U64": {bits: 64, dtype: torch.Uint64},
	"I8": {bits: 8, dtype: torch.Int8}, "I16": {bits: 16, dtype: torch.Int16}, "I32": {bits: 32, dtype: torch.Int32}, "I64": {bits: 64, dtype: torch.Int64},
	"F16": {bits: 16, dtype: torch.Float16}, "BF16": {bits: 16, dtype: torch.BFloat16}, "F32": {bits: 32, dtype: torch.Float32}, "F64": {bits: 64, dtype: torch.Float64},
	"C64":     {bits: 64, dtype: torch.Complex64},
	"F8_E4M3": {bits: 8, dtype: torch.Float8E4M3FN}, "F8_E5M2": {bits: 8, dtype: torch.Float8E5M2}, "F8_E8M0": {bits: 8, dtype: torch.Float8E8M0FNU},
	"F8_E4M3FNUZ": {bits: 8, dtype: noDType}, "F8_E5M2FNUZ": {bits: 8, dtype: noDType},
	"F4": {bits: 4, dtype: noDType}, "F6_E2M3": {bits: 6, dtype: noDType}, "F6_E3M2": {bits: 6, dtype: noDType},
}
