package nn

import "github.com/gonterp/gonterp/runtime/torch"

// Scores are scaling · Q Kᵀ plus the mask (nil: none): [batch heads query key].
func Scores(q, k, mask *torch.Tensor, scaling float64) *torch.Tensor {
	if direct(q) && q.DType() == torch.Float32 {
		return scoresDirect(q, k, mask, scaling)
	}
	scores := q.Matmul(k.T()).Mul(scaling)
	if mask != nil {
		scores = scores.Add(mask)
	}
	return scores
}

// scoresDirect is one product that scales and adds the mask as it goes.
func scoresDirect(q, k, mask *torch.Tensor, scaling float64) *torch.Tensor {
	batch, heads, queries, width := q.Size(0), q.Size(1), q.Size(2), q.Size(3)
	keys := k.Size(2)
	scores := torch.Empty(torch.Float32, torch.CPU, batch*heads, queries, keys)
	self, beta := scores, 0.0
	if mask != nil {
		beta = 1
		if mask.Size(0) == 1 { // nothing to copy
			self = mask.Squeeze(0).Expand(batch*heads, queries, keys)
		} else {
			self = mask.Expand(batch, heads, queries, keys).Reshape(-1, queries, keys)
		}
	}
	torch.AddBMMInto(scores, self, q.Reshape(-1, queries, width), k.Reshape(-1, keys, width).T(), beta, scaling)
	return scores.Reshape(batch, heads, queries, keys)
}

// Probabilities are the softmax of the scores over the keys, in float32, rounded
// to the scores' dtype.
func Probabilities(scores *torch.Tensor) *torch.Tensor {
	p := scores.SoftmaxFloat32(-1)
	if scores.DType() != torch.Float32 {
		p = p.To(scores.DType())
	}
	return p
}

// Mix is each head's mixture of the values: [batch seq heads head_dim].
func Mix(probabilities, v *torch.Tensor) *torch.Tensor {
	return probabilities.Matmul(v).Transpose(1, 2).Contiguous()
}

// From longPrompt scores of a head on a plain pass is computed without making the
// pattern; below it the explicit way is as fast. A watched pass is computed so from
// LongTrace on, where the patterns of all heads would fill the memory: only those
// that somebody reads are made, beside it.
const (
	longPrompt = 256 * 256
	LongTrace  = 1024 * 1024
)

// Fused says whether the attention of a pass does without its pattern. A pass that
// records never does.
func (p *Pass) Fused() bool {
	least := LongTrace
	if p.Plain {
		least = longPrompt
	}
	return !p.Records && p.Device != torch.Meta && p.Seq > 1 && p.Seq*p.Keys >= least
}

// Absorbs says whether queries attend to the latents themselves: one new token
// beside cached ones, of which nobody asks for keys and values.
func (p *Pass) Absorbs() bool { return p.Plain && p.Past > 0 && p.Seq == 1 }

// Attention is Mix(Probabilities(Scores(q, k, mask)), v) without the pattern.
func (p *Pass) Attention(q, k, v, mask *torch.Tensor, scaling float64) *torch.Tensor {
	width, wider := v.Size(3), k.Size(3)-v.Size(3)
	if wider > 0 { // the fused kernel wants one width
		pad := torch.Zeros(v.DType(), v.Device(), 1, 1, 1, wider).Expand(v.Size(0), v.Size(1), v.Size(2), wider)
		v = torch.Cat(3, v, pad)
	}
	causal := mask == p.Mask && p.Causal && p.Past == 0
	if causal {
		mask = nil
	} else if mask != nil {
		mask = mask.Expand(p.Batch, 1, p.Seq, p.Keys)
	}
	z := q.ScaledDotProductAttention(k, v, mask, causal, scaling).Transpose(1, 2)
	if wider > 0 {
		z = z.Narrow(3, 0, width)
	}
	return z.Contiguous()
}
