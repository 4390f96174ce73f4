package families

import (
	"math"

	"github.com/gonterp/gonterp/runtime/nn"
	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
)

// indexer chooses the keys that each query of V3.2's sparse attention looks at
// (DeepSeek-V3.2-Exp, section 2): a small attention of its own ranks them.
type indexer struct {
	layer        int
	heads, width int
	rope, topK   int

	wqB     *nn.Linear
	wk      *nn.Linear
	kNorm   *nn.LayerNorm
	weights *nn.Linear
}

func (b *builder) indexer(prefix string, layer int) *indexer {
	c := b.cfg
	return &indexer{
		layer: layer, heads: c.IndexNHeads, width: c.IndexHeadDim, rope: c.QkRopeHeadDim, topK: c.IndexTopk,
		wqB:     b.Linear(prefix+"wq_b", c.QLoraRank, c.IndexNHeads*c.IndexHeadDim, false),
		wk:      b.Linear(prefix+"wk", c.HiddenSize, c.IndexHeadDim, false),
		kNorm:   b.LayerNorm(prefix+"k_norm", c.IndexHeadDim, innerEps),
		weights: b.Linear(prefix+"weights_proj", c.HiddenSize, c.IndexNHeads, false),
	}
}

// forward is the selection, int32 [batch query min(index_topk, keys)], by
// descending score and, among equal scores, the earlier key first. No gradient
// passes through it. On a plain pass it is nil where every key is selected.
func (ix *indexer) forward(s point.Scope, x, cQ *torch.Tensor, p *nn.Pass) *torch.Tensor {
	x, cQ = s.Input(x).Detach(), cQ.Detach()
	all := p.Plain && p.Keys <= ix.topK
	if all && p.Cache == nil {
		return nil
	}
	k := ix.kNorm.Forward(s.In("k_norm"), ix.wk.Forward(s.In("wk"), x))
	k = ix.turn(k.Unsqueeze(2), p).Squeeze(2)
	if p.Cache != nil {
		k = p.Cache.Extend(ix.layer, 1, k)
	}
	if all {
		return nil
	}
	q := ix.wqB.Forward(s.In("wq_b"), cQ).Reshape(p.Batch, p.Seq, ix.heads, ix.width)
	w := ix.weights.Forward(s.In("weights_proj"), x)
	return s.Output(ix.choose(ix.turn(q, p), k, w, p))
}

// choose is S^I_{t,s} = 1/(√heads √width) Σ_h w_{t,h} ReLU(q_{h,t} · k_s) in float32,
// and the places of each row's index_topk greatest. As with the experts, the meta
// device has no values to choose by.
func (ix *indexer) choose(q, k, w *torch.Tensor, p *nn.Pass) *torch.Tensor {
	topK := min(ix.topK, p.Keys)
	if q.Device().IsMeta() {
		return torch.Empty(torch.Int32, torch.Meta, p.Batch, p.Seq, topK)
	}
	w = w.Float().Mul(math.Pow(float64(ix.heads), -0.5) * math.Pow(float64(ix.width), -0.5)).Unsqueeze(2)
	q, k = q.Float(), k.Float().T().Unsqueeze(1)
	// The products of all heads are [batch query head key]: as many rows at once as
	// stay within a bound.
	const bound = 1 << 26
	step := max(1, bound/(p.Batch*ix.heads*p.Keys))
	var chosen []*torch.Tensor
	for from := 0; from < p.Seq; from += step {
		n := min(step, p.Seq-from)
		relu := q.Narrow(1, from, n).Matmul(k).Relu()
		scores := w.Narrow(1, from, n).Matmul(relu).Squeeze(2)
		if p.Mask != nil {
			scores = scores.Add(p.Mask.Squeeze(1).Narrow(1, from, n).Float())
		}
		_, order := scores.Sort(2, true)
		chosen = append(chosen, order.Narrow(2, 0, topK))
	}
	return torch.Cat(1, chosen...).To(torch.Int32)
}

// turn rotates the first rope dimensions of every head, in halves. Queries and
// keys are left with the same order of dimensions, so their products are those of
// the published layout.
func (ix *indexer) turn(v *torch.Tensor, p *nn.Pass) *torch.Tensor {
	pieces := nn.Halves.Turn(v.Narrow(3, 0, ix.rope), p.Angles)
	if ix.width > ix.rope {
		pieces = append(pieces, v.Narrow(3, ix.rope, ix.width-ix.rope))
	}
	return torch.Cat(3, pieces...)
}

// hide is the mask M^sel: the pass's own where a key is selected, the dtype's
// minimum elsewhere.
func hide(selection *torch.Tensor, p *nn.Pass) *torch.Tensor {
	hidden := nn.Hidden(p.DType)
	keep := torch.Full(hidden, p.DType, p.Device, p.Batch, p.Seq, p.Keys).ScatterValue(2, selection.Long(), 0).Unsqueeze(1)
	if p.Mask == nil {
		return keep
	}
	return keep.Minimum(p.Mask)
}
