package checkpoint

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"sync"
	"unsafe"

	"github.com/gonterp/gonterp/runtime/torch"
)

// fp8Block is the side of the squares of an FP8 weight that share a scale.
const fp8Block = 128

// scaleSuffix is what a weight's name goes on with in the name of its scales.
const scaleSuffix = "_scale_inv"

func isFP8(d torch.DType) bool { return d == torch.Float8E4M3FN || d == torch.Float8E5M2 }

// dequantise is the weight behind FP8 blocks: every element times the scale of
// its block in float32, as DeepSeek-V3's report, section 3.3, has it. Blocks are
// whole squares from the upper left corner; those at the right and lower edge
// are what is left.
func (s *files) dequantise(p place, dtype torch.DType) (*torch.Tensor, error) {
	fault := func(format string, a ...any) error {
		return &FileError{File: p.in.file, Tensor: p.name, Problem: fmt.Sprintf(format, a...)}
	}
	if p.dtype.dtype != torch.Float8E4M3FN {
		return nil, fault("FP8 weights are expected as F8_E4M3, found %s", p.dtype.word)
	}
	if len(p.shape) != 2 {
		return nil, fault("FP8 weights are expected with 2 axes, found shape %v", p.shape)
	}
	rows, cols := p.shape[0], p.shape[1]
	down, across := ceil(rows, s.block[0]), ceil(cols, s.block[1])
	q, ok := s.tensors[p.name+scaleSuffix]
	if !ok {
		return nil, fault("stored as F8_E4M3 without its scales: no tensor %s", p.name+scaleSuffix)
	}
	if len(q.shape) != 2 || q.shape[0] != down || q.shape[1] != across {
		return nil, &FileError{File: q.in.file, Tensor: q.name, Problem: fmt.Sprintf("expected shape %v, one scale per %dx%d block of %v, found %v",
			[]int{down, across}, s.block[0], s.block[1], p.shape, q.shape)}
	}
	scales, err := q.floats()
	if err != nil {
		return nil, err
	}
	b := blocks{p.bytes(), rows, cols, s.block, scales}
	if dtype == torch.BFloat16 {
		return multiply(b, dtype, bfloat16), nil
	}
	return multiply(b, torch.Float32, func(v float32) float32 { return v }).To(dtype), nil
}

// blocks are FP8 bytes by rows, with the scales of their blocks by rows.
type blocks struct {
	data       []byte
	rows, cols int
	side       [2]int
	scales     []float32
}

// multiply is the tensor of all elements, each as store writes its value. A block
// has 256 possible values, so they are worked out once for each block.
func multiply[E float32 | uint16](b blocks, dtype torch.DType, store func(float32) E) *torch.Tensor {
	t := torch.Empty(dtype, torch.CPU, b.rows, b.cols)
	if len(b.data) == 0 {
		return t
	}
	out := unsafe.Slice((*E)(t.Data()), len(b.data))
	across := ceil(b.cols, b.side[1])
	var wait sync.WaitGroup
	for _, span := range spans(ceil(b.rows, b.side[0]), min(runtime.GOMAXPROCS(0), torch.Threads())) {
		wait.Go(func() {
			var values [256]E
			for i := span[0] * across; i < span[1]*across; i++ {
				for x, v := range e4m3 {
					values[x] = store(v * b.scales[i])
				}
				top, left := i/across*b.side[0], i%across*b.side[1]
				for r := top; r < min(top+b.side[0], b.rows); r++ {
					from, to := r*b.cols+left, r*b.cols+min(left+b.side[1], b.cols)
					src, dst := b.data[from:to], out[from:to]
					for i := range dst {
						dst[i] = values[src[i]]
					}
				}
			}
		})
	}
	wait.Wait()
	runtime.KeepAlive(t)
	return t
}

// bfloat16 rounds to the nearest, ties to even, as libtorch does.
func bfloat16(v float32) uint16 {
	if v != v {
		return 0x7fc0
	}
	n := math.Float32bits(v)
	return uint16((n + 0x7fff + n>>16&1) >> 16)
}

// spans cuts n rows into at most parts runs of rows.
func spans(n, parts int) [][2]int {
	parts = max(1, min(parts, n))
	out := make([][2]int, parts)
	for i := range out {
		out[i] = [2]int{n * i / parts, n * (i + 1) / parts}
	}
	return out
}

func ceil(n, by int) int { return (n + by - 1) / by }

// floats reads a small tensor of scales in whatever float it is stored as.
func (p place) floats() ([]float32, error) {
	data := p.bytes()
	size := p.dtype.bits / 8
	out := make([]float32, len(data)/max(size, 1))
	for i := range out {
		at := data[i*size:]
		switch p.dtype.dtype {
		case torch.Float32:
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(at))
		case torch.BFloat16:
			out[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(at)) << 16)
		case torch.Float8E8M0FNU:
			out[i] = e8m0(at[0])
		default:
			return nil, &FileError{File: p.in.file, Tensor: p.name, Problem: fmt.Sprintf("scales are expected as F32, BF16 or F8_E8M0, found %s", p.dtype.word)}
		}
	}
	return out, nil
}

// e8m0 is the power of two that an exponent byte stands for (OCP Microscaling
// Formats 1.0, section 5.4.1); 255 is no number.
func e8m0(b byte) float32 {
	if b == 255 {
		return float32(math.NaN())
	}
	return float32(math.Ldexp(1, int(b)-127))
}

// e4m3 is the value of every byte as float8_e4m3fn: sign, 4 exponent bits of
// bias 7, 3 fraction bits, no infinities, all bits set is no number.
var e4m3 = func() (values [256]float32) {
	for i := range values {
		exponent, fraction := i>>3&15, float64(i&7)
		v := math.Ldexp(8+fraction, exponent-10)
		if exponent == 0 {
			v = math.Ldexp(fraction, -9)
		}
		if i&127 == 127 {
			v = math.NaN()
		}
		if i >= 128 {
			v = -v
		}
		values[i] = float32(v)
	}
	return values
}()
