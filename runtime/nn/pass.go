package nn

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/gonterp/gonterp/runtime/torch"
)

// Input is what a network is called with.
type Input struct {
	IDs      *torch.Tensor   // [batch seq] int64
	Mask     *torch.Tensor   // [batch seq] int64, 0 where IDs are padding; nil: all real
	Cache    *Cache          // what earlier calls left; nil: none, and nothing is kept
	LastOnly bool            // logits of the last position only: [batch 1 vocab_size]
	Check    func(layer int) // called before each block, nil: not; it may panic to end the call
}

// Positions are where the tokens of a call stand.
type Positions struct {
	Seq         int
	First, Last int     // the first of a call without padding; the greatest of any
	Rows        []int64 // [batch seq] where rows differ, else nil
}

// A Pass is what all layers of one call share.
type Pass struct {
	Batch, Seq int
	Past, Keys int // tokens before this call, and with it
	Angles     *Angles
	Mask       *torch.Tensor // [batch or 1, 1, seq, keys]: 0 where visible, else the dtype's minimum; nil: all visible
	Causal     bool          // Mask is plain causality
	Records    bool          // for gradients
	Plain      bool          // nobody looks and nothing is recorded: what only they would see need not be made
	Cache      *Cache
	Device     torch.Device
	DType      torch.DType
}

// Masks keeps the causal masks of the shapes seen last.
type Masks struct {
	mu     sync.Mutex
	causal map[maskKey]*torch.Tensor
}

type maskKey struct {
	seq, keys int
	dtype     torch.DType
	device    torch.Device
}

// InputError is panicked for an input that no network can be called with.
type InputError struct{ Problem string }

func (e *InputError) Error() string { return e.Problem }

// check refuses what would fail later in words about something else.
func check(ids, mask *torch.Tensor, cache *Cache) {
	switch {
	case ids.Dim() != 2 || ids.Numel() == 0 || !ids.DType().IsInt():
		panic(&InputError{fmt.Sprintf("input_ids are %s %v; they have to be whole numbers [batch seq], at least one", ids.DType(), ids.Shape())})
	case mask != nil && !slices.Equal(mask.Shape(), ids.Shape()):
		panic(&InputError{fmt.Sprintf("attention_mask is %v beside input_ids %v; it has to have the same shape", mask.Shape(), ids.Shape())})
	case cache != nil && cache.length > 0 && cache.batch != ids.Size(0):
		panic(&InputError{fmt.Sprintf("the cache holds %d rows and input_ids have %d", cache.batch, ids.Size(0))})
	}
}

// Begin works out positions and mask of a call. ids and mask are the input's as
// they are after anybody wrote them.
func Begin(ids, mask *torch.Tensor, cache *Cache, dtype torch.DType, rotary *Rotary, masks *Masks) *Pass {
	check(ids, mask, cache)
	p := &Pass{Batch: ids.Size(0), Seq: ids.Size(1), Cache: cache, Device: ids.Device(), DType: dtype, Records: torch.IsRecording()}
	if cache != nil {
		p.Past = cache.Len()
	}
	p.Keys = p.Past + p.Seq
	var real []int64 // [batch keys], nil: no padding anywhere
	if mask != nil && p.Device != torch.Meta {
		real = mask.Ints()
	}
	real = cache.see(real, p.Batch, p.Seq)
	positions := locate(real, p)
	p.Angles = rotary.Angles(positions, p.Device, dtype)
	p.Causal = real == nil
	switch {
	case real != nil:
		p.Mask = padded(real, p)
	case p.Seq > 1:
		p.Mask = masks.of(p)
	}
	return p
}

func locate(real []int64, p *Pass) *Positions {
	if real == nil {
		return &Positions{Seq: p.Seq, First: p.Past, Last: p.Keys - 1}
	}
	at := &Positions{Seq: p.Seq, Rows: make([]int64, 0, p.Batch*p.Seq)}
	for row := range slices.Chunk(real, p.Keys) {
		seen := int64(0)
		for k, r := range row {
			if k >= p.Past {
				at.Rows = append(at.Rows, seen)
				at.Last = max(at.Last, int(seen))
			}
			if r != 0 {
				seen++
			}
		}
	}
	return at
}

// Hidden is the score of a key that a query does not see: the dtype's minimum.
func Hidden(dtype torch.DType) float64 {
	switch dtype {
	case torch.BFloat16:
		return -0x1.FEp127
	case torch.Float16:
		return -65504
	case torch.Float64:
		return -math.MaxFloat64
	}
	return -math.MaxFloat32
}

// visible fills the mask of one row of a batch: key k is seen by query q of the
// call when it is not later and no padding.
func visible(into []float32, p *Pass, real []int64) []float32 {
	hidden := float32(Hidden(p.DType))
	for q := range p.Seq {
		for k := range p.Keys {
			if k > p.Past+q || real[k] == 0 {
				into = append(into, hidden)
			} else {
				into = append(into, 0)
			}
		}
	}
	return into
}

func padded(real []int64, p *Pass) *torch.Tensor {
	values := make([]float32, 0, p.Batch*p.Seq*p.Keys)
	for row := range slices.Chunk(real, p.Keys) {
		values = visible(values, p, row)
	}
	return torch.FromFloats(values, p.Batch, 1, p.Seq, p.Keys).To(p.DType).ToDevice(p.Device)
}

// largeMask is from how many elements on a mask is made anew for every call.
const largeMask = 1 << 20

// of is the causal mask of a pass: row q sees keys up to Past + q.
func (m *Masks) of(p *Pass) *torch.Tensor {
	causal := func() *torch.Tensor {
		hidden := torch.Full(Hidden(p.DType), p.DType, p.Device, p.Seq, p.Keys)
		return hidden.Triu(p.Past+1).Reshape(1, 1, p.Seq, p.Keys)
	}
	if p.Seq*p.Keys >= largeMask {
		return causal()
	}
	key := maskKey{p.Seq, p.Keys, p.DType, p.Device}
	m.mu.Lock()
	defer m.mu.Unlock()
	if t := m.causal[key]; t != nil {
		return t
	}
	if m.causal == nil || len(m.causal) > 16 {
		m.causal = map[maskKey]*torch.Tensor{}
	}
	m.causal[key] = Lasting(causal)
	return m.causal[key]
}

// Frame begins a stretch of a forward. The function it returns ends it: what the
// pass's arena got since then is freed, but for the tensors kept.
func Frame() (end func(keep ...*torch.Tensor)) {
	arena := torch.Swap(nil)
	torch.Swap(arena)
	if arena == nil {
		return func(...*torch.Tensor) {}
	}
	mark := arena.Mark()
	return func(keep ...*torch.Tensor) { arena.Release(mark, keep...) }
}
