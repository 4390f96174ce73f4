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
		weights: &nn.Linear{Weight: b.ParamOf(weighing(b.DType), prefix+"weights_proj.weight", c.IndexNHeads, c.HiddenSize)},
	}
}

// weighing is the dtype in which heads are weighed: of the lower ones, float16 alone
// is kept out of it, as by transformers.
func weighing(dtype torch.DType) torch.DType {
	if dtype == torch.Float16 {
		return torch.Float32
	}
	return dtype
}

// forward is the selection, int32 [batch query min(index_topk, keys)], by
// descending score and, among equal scores, the earlier key first. No gradient
// passes through it. It is nil where every key is selected, and then not worked out
// unless somebody looks. s is the attention's scope.
func (ix *indexer) forward(s point.Scope, x, cQ *torch.Tensor, p *nn.Pass) *torch.Tensor {
	in := s.In("indexer")
	all := p.Keys <= ix.topK
	looked := s.Wants(point.IndexScores) || s.Wants(point.IndexSelection) || in.WantsAny()
	if all && !looked && p.Cache == nil {
		return nil
	}
	x, cQ = in.Input(x).Detach(), cQ.Detach()
	k := ix.kNorm.Forward(in.In("k_norm"), ix.wk.Forward(in.In("wk"), x))
	k = ix.turn(k.Unsqueeze(2), p).Squeeze(2)
	if p.Cache != nil {
		k = p.Cache.Extend(ix.layer, 1, k)
	}
	if all && !looked {
		return nil
	}
	q := ix.turn(ix.wqB.Forward(in.In("wq_b"), cQ).Reshape(p.Batch, p.Seq, ix.heads, ix.width), p)
	w := ix.weights.Forward(in.In("weights_proj"), x.To(weighing(x.DType())))
	if !looked {
		return ix.eachStep(q, k, w, p, ix.top)
	}
	scores := s.At(point.IndexScores, ix.eachStep(q, k, w, p, func(scores *torch.Tensor) *torch.Tensor { return scores }))
	selection := ix.top(scores)
	chosen := s.At(point.IndexSelection, selection)
	if all && chosen == selection {
		return nil
	}
	return chosen
}

// top is the places of each row's index_topk greatest scores [batch query key].
func (ix *indexer) top(scores *torch.Tensor) *torch.Tensor {
	n := min(ix.topK, scores.Size(2))
	// As with the experts, the meta device has no values to choose by.
	if scores.Device().IsMeta() {
		return torch.Empty(torch.Int32, torch.Meta, scores.Size(0), scores.Size(1), n)
	}
	_, order := scores.Sort(2, true)
	return order.Narrow(2, 0, n).To(torch.Int32)
}

// eachStep is f of the scores S^I_{t,s} = 1/(√heads √width) Σ_h w_{t,h} ReLU(q_{h,t} · k_s),
// masked, in float32. The products of all heads are [batch query head key], so
// queries are taken in steps that keep them within a bound.
func (ix *indexer) eachStep(q, k, w *torch.Tensor, p *nn.Pass, f func(scores *torch.Tensor) *torch.Tensor) *torch.Tensor {
	if q.Device().IsMeta() {
		return f(torch.Empty(torch.Float32, torch.Meta, p.Batch, p.Seq, p.Keys))
	}
	w = w.Float().Mul(math.Pow(float64(ix.heads), -0.5) * math.Pow(float64(ix.width), -0.5)).Unsqueeze(2)
	q, k = q.Float(), k.Float().T().Unsqueeze(1)
	const bound = 1 << 26
	step := max(1, bound/(p.Batch*ix.heads*p.Keys))
	var parts []*torch.Tensor
	for from := 0; from < p.Seq; from += step {
		n := min(step, p.Seq-from)
		relu := q.Narrow(1, from, n).Matmul(k).Relu()
		scores := w.Narrow(1, from, n).Matmul(relu).Squeeze(2)
		if p.Mask != nil {
			scores = scores.Add(p.Mask.Squeeze(1).Narrow(1, from, n).Float())
		}
		parts = append(parts, f(scores))
	}
	return torch.Cat(1, parts...)
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
