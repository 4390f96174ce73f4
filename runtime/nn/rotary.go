package nn

import (
	"fmt"
	"math"
	"sync"

	"github.com/gonterp/gonterp/runtime/torch"
)

// A Pairing says which dimensions of a head rotate together, and where the
// rotated ones are put.
type Pairing uint8

const (
	// Adjacent pairs (2i, 2i+1) stay where they are: V2.
	Adjacent Pairing = iota
	// Deinterleaved takes adjacent pairs and puts the first members of all pairs
	// before the second ones: V3, V3.2.
	Deinterleaved
	// Halves pairs i with i + size/2 and leaves them there: rope_interleave false.
	Halves
)

// Frequencies are what a config says about rotary embedding.
type Frequencies struct {
	Type             string // "default", "linear", "dynamic" or "yarn"
	Size             int    // rotated dimensions of a head
	Theta            float64
	Factor           float64
	BetaFast         float64
	BetaSlow         float64
	MScale           float64
	MScaleAllDim     float64
	AttentionFactor  float64 // 0: from MScale and MScaleAllDim
	OriginalLength   float64 // original_max_position_embeddings
	KeepUntruncated  bool    // truncate: false
	MaximumPositions int     // max_position_embeddings, from where on "dynamic" stretches
}

// YaRNScale is Peng et al. 2023's attention temperature, 0.1 · m · ln(factor) + 1.
func YaRNScale(factor, m float64) float64 {
	if factor <= 1 {
		return 1
	}
	return 0.1*m*math.Log(factor) + 1
}

// ScoreFactor is what YaRN multiplies the attention's scaling by.
func (f *Frequencies) ScoreFactor() float64 {
	if f.Type == "default" || f.MScaleAllDim == 0 {
		return 1
	}
	m := YaRNScale(f.Factor, f.MScaleAllDim)
	return m * m
}

// inverse is the angle of each pair per position, in the float32 steps in which
// checkpoints were trained, and the factor on cosine and sine.
func (f *Frequencies) inverse() ([]float32, float64, error) {
	inv := make([]float32, f.Size/2)
	for i := range inv {
		inv[i] = 1 / f.period(i)
	}
	switch f.Type {
	case "default", "dynamic":
		return inv, 1, nil
	case "linear":
		for i := range inv {
			inv[i] /= float32(f.Factor)
		}
		return inv, 1, nil
	case "yarn":
	default:
		return nil, 0, fmt.Errorf("rope type %q is not known; known are default, linear, dynamic and yarn", f.Type)
	}
	low, high := f.corrected(f.BetaFast), f.corrected(f.BetaSlow)
	if !f.KeepUntruncated {
		low, high = math.Floor(low), math.Ceil(high)
	}
	low, high = max(low, 0), min(high, float64(f.Size-1))
	if low == high {
		high += 0.001
	}
	for i := range inv {
		ramp := float32(min(max((float64(i)-low)/(high-low), 0), 1))
		inv[i] = ramp/(float32(f.Factor)*f.period(i)) + (1-ramp)/f.period(i)
	}
	return inv, f.amplitude(), nil
}

func (f *Frequencies) period(i int) float32 {
	return float32(math.Pow(f.Theta, float64(float32(2*i)/float32(f.Size))))
}

// corrected is the dimension that turns the given number of times over the
// original context (YaRN, equation 18).
func (f *Frequencies) corrected(turns float64) float64 {
	return float64(f.Size) * math.Log(f.OriginalLength/(turns*2*math.Pi)) / (2 * math.Log(f.Theta))
}

func (f *Frequencies) amplitude() float64 {
	switch {
	case f.AttentionFactor != 0:
		return f.AttentionFactor
	case f.MScale != 0 && f.MScaleAllDim != 0:
		return YaRNScale(f.Factor, f.MScale) / YaRNScale(f.Factor, f.MScaleAllDim)
	}
	return YaRNScale(f.Factor, 1)
}

// A Rotary turns pairs of dimensions by an angle that grows with the position.
type Rotary struct {
	half      int
	inverse   []float32
	amplitude float64
	dynamic   *Frequencies // nil: the same at every length

	mu    sync.Mutex
	table *torch.Tensor // complex [positions, size/2]
}

// NewRotary works out the angles' frequencies.
func NewRotary(f *Frequencies) (*Rotary, error) {
	if f.Size%2 != 0 {
		return nil, fmt.Errorf("qk_rope_head_dim is %d; rotary embedding turns pairs, so it must be even", f.Size)
	}
	inverse, amplitude, err := f.inverse()
	if err != nil {
		return nil, err
	}
	r := &Rotary{half: f.Size / 2, inverse: inverse, amplitude: amplitude}
	if f.Type == "dynamic" {
		r.dynamic = f
	}
	return r, nil
}

// reaching is the rotary of a call whose last position is n-1: dynamic NTK scaling
// grows the base with what a call goes beyond max_position_embeddings.
func (r *Rotary) reaching(n int) *Rotary {
	if r.dynamic == nil || n <= r.dynamic.MaximumPositions {
		return r
	}
	f, size := *r.dynamic, float64(r.dynamic.Size)
	over := f.Factor*float64(n)/float64(f.MaximumPositions) - (f.Factor - 1)
	f.Type, f.Theta = "default", f.Theta*math.Pow(over, size/(size-2))
	inverse, amplitude, err := f.inverse()
	if err != nil {
		panic(err)
	}
	return &Rotary{half: r.half, inverse: inverse, amplitude: amplitude}
}

// upTo is the table of at least n positions on the device.
func (r *Rotary) upTo(n int, device torch.Device) *torch.Tensor {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.table != nil && r.table.Size(0) >= n && r.table.Device() == device {
		return r.table
	}
	if r.table != nil {
		n = max(n, 2*r.table.Size(0))
	}
	n = max(n, 256)
	values := make([]float32, 0, n*r.half*2)
	for p := range n {
		for _, f := range r.inverse {
			sin, cos := math.Sincos(float64(float32(p) * f))
			values = append(values, float32(float64(float32(cos))*r.amplitude), float32(float64(float32(sin))*r.amplitude))
		}
	}
	r.table = Lasting(func() *torch.Tensor {
		return torch.FromFloats(values, n, r.half, 2).ViewAsComplex().ToDevice(device)
	})
	return r.table
}

// Angles are the rotations of a call's positions, [batch or 1, seq, 1, size/2].
type Angles struct {
	turns    *torch.Tensor // complex
	cos, sin *torch.Tensor // rounded to the compute dtype where that is not float32, else nil
	pairs    []float32     // the memory of turns, on the CPU
	seq      int
}

// row is the cosines and sines, in turn, of a token.
func (a *Angles) row(batch, seq int) []float32 {
	size := a.turns.Size(3) * 2
	at := (batch%a.turns.Size(0)*a.seq + seq) * size
	return a.pairs[at : at+size]
}

// Angles are the rotations of the positions, for values of the dtype.
func (r *Rotary) Angles(at *Positions, device torch.Device, dtype torch.DType) *Angles {
	a := &Angles{turns: r.turns(at, device), seq: at.Seq}
	if device == torch.CPU {
		a.pairs = floats(a.turns.ViewAsReal())
	}
	if dtype != torch.Float32 {
		parts := a.turns.ViewAsReal()
		a.cos, a.sin = parts.Select(4, 0).To(dtype), parts.Select(4, 1).To(dtype)
	}
	return a
}

func (r *Rotary) turns(at *Positions, device torch.Device) *torch.Tensor {
	if device == torch.Meta {
		return torch.Empty(torch.Complex64, device, 1, at.Seq, 1, r.half)
	}
	table := r.reaching(at.Last+1).upTo(at.Last+1, device)
	if at.Rows == nil {
		return table.Narrow(0, at.First, at.Seq).Reshape(1, at.Seq, 1, r.half)
	}
	return Gather(table, at.Rows).Reshape(-1, at.Seq, 1, r.half)
}

// Turn rotates x [batch seq heads size] and returns the pieces that, side by side
// on the last axis, are the result. In float32, and in every dtype for adjacent
// pairs, the pairs are multiplied as complex numbers; else products and sums are
// rounded to x's dtype, as these models were published.
func (p Pairing) Turn(x *torch.Tensor, a *Angles) []*torch.Tensor {
	dtype, shape := x.DType(), x.Shape()
	half := shape[3] / 2
	if p == Halves {
		x = x.Reshape(shape[0], shape[1], shape[2], 2, half).T()
	} else {
		x = x.Reshape(shape[0], shape[1], shape[2], half, 2)
	}
	if dtype != torch.Float32 && p != Adjacent {
		first, second := x.Select(4, 0), x.Select(4, 1)
		return []*torch.Tensor{
			first.Mul(a.cos).Sub(second.Mul(a.sin)),
			second.Mul(a.cos).Add(first.Mul(a.sin)),
		}
	}
	pairs := x.Float().Contiguous()
	if uintptr(pairs.Data())%8 != 0 { // a view that begins at an odd number holds no complex ones
		pairs = pairs.Clone()
	}
	turned := pairs.ViewAsComplex().Mul(a.turns).ViewAsReal().To(dtype)
	if p == Adjacent {
		return []*torch.Tensor{turned.Flatten(3, 4)}
	}
	return []*torch.Tensor{turned.Select(4, 0), turned.Select(4, 1)}
}
