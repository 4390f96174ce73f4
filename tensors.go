package gonterp

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/gonterp/gonterp/runtime/checkpoint"
	"github.com/gonterp/gonterp/runtime/torch"
)

// Indices for Tensor.Index and SetAt: All takes a whole axis, None adds one, End
// is the end of a Range.
var (
	All  = torch.All
	None = torch.None
)

// End stands for the end of an axis in Range.
const End = torch.End

// Range takes a to b-1 of an axis; negative numbers count from its end, and End is
// its end.
func Range(a, b int) torch.Slice { return torch.Range(a, b) }

// FromFloats makes a float32 tensor of the given shape.
func FromFloats(v []float32, shape ...int) *Tensor { return torch.FromFloats(v, shape...) }

// FromInts makes an int64 tensor of the given shape.
func FromInts(v []int64, shape ...int) *Tensor { return torch.FromInts(v, shape...) }

// FromBools makes a bool tensor of the given shape.
func FromBools(v []bool, shape ...int) *Tensor { return torch.FromBools(v, shape...) }

// Zeros is a float32 tensor of the given shape with 0 everywhere.
func Zeros(shape ...int) *Tensor { return torch.Zeros(torch.Float32, torch.CPU, shape...) }

// Ones is a float32 tensor of the given shape with 1 everywhere.
func Ones(shape ...int) *Tensor { return torch.Ones(torch.Float32, torch.CPU, shape...) }

// Full is a float32 tensor of the given shape with v everywhere.
func Full(v float64, shape ...int) *Tensor {
	return torch.Full(v, torch.Float32, torch.CPU, shape...)
}

// Arange is 0 to n-1.
func Arange(n int) *Tensor { return torch.Arange(n) }

// Randn has normally distributed numbers, the same for the same seed.
func Randn(seed int, shape ...int) *Tensor { return torch.Randn(uint64(seed), shape...) }

// Cat joins tensors along an axis they have.
func Cat(dim int, ts ...*Tensor) *Tensor { return torch.Cat(dim, ts...) }

// Stack joins tensors of one shape along a new axis.
func Stack(dim int, ts ...*Tensor) *Tensor { return torch.Stack(dim, ts...) }

// Where is a where cond holds and b elsewhere.
func Where(cond, a, b *Tensor) *Tensor { return torch.Where(cond, a, b) }

// Einsum is a sum of products in Einstein's notation, such as "bqd,bkd->bqk".
func Einsum(equation string, ts ...*Tensor) *Tensor { return torch.Einsum(equation, ts...) }

// Equal says whether two tensors have the same shape and the same numbers.
func Equal(a, b *Tensor) bool { return torch.Equal(a, b) }

// SaveTensors writes tensors by name into a .safetensors or .npz file, by its name;
// bfloat16 becomes float32 in .npz, which has none.
func SaveTensors(path string, tensors map[string]*Tensor) error {
	var columns []column
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		if tensors[name] == nil {
			return argumentErrorf("SaveTensors: the tensor %q is nil", name)
		}
		columns = append(columns, columnOf(name, tensors[name]))
	}
	switch ext := filepath.Ext(path); ext {
	case ".safetensors":
		return writeFile(path, func(w io.Writer) error { return writeSafetensors(w, columns, nil) })
	case ".npz":
		return writeFile(path, func(w io.Writer) error { return writeNPZ(w, columns) })
	default:
		return argumentErrorf("saving tensors as %s: the name must end in .safetensors or .npz", path)
	}
}

// ReadTensors reads all tensors of a .safetensors file by name.
func ReadTensors(path string) (map[string]*Tensor, error) {
	if ext := filepath.Ext(path); ext != ".safetensors" {
		return nil, argumentErrorf("reading tensors from %s: .safetensors files are read, not %q", path, ext)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	store, err := checkpoint.OpenBytes(filepath.Base(path), data)
	if err != nil {
		return nil, err
	}
	tensors := map[string]*Tensor{}
	for _, name := range store.Names() {
		entry, _ := store.Entry(name)
		if tensors[name], err = store.Tensor(name, entry.DType); err != nil {
			return nil, err
		}
	}
	return tensors, nil
}
