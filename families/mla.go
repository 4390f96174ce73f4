package families

import (
	"math"

	"github.com/gonterp/gonterp/runtime/checkpoint"
	"github.com/gonterp/gonterp/runtime/nn"
	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
)

// innerEps is the ε of the norms inside attention and indexer, whatever rms_norm_eps says.
const innerEps = 1e-6

// scaling is qk_head_dim^-½ times YaRN's factor.
func scaling(c *checkpoint.Config) float64 {
	return math.Pow(float64(c.QkHeadDim()), -0.5) * frequencies(c).ScoreFactor()
}

// latentAttention is multi-head latent attention (DeepSeek-V2, section 2.1): keys
// and values of all heads come from one short latent per token, beside one rotary
// key that all heads share.
type latentAttention struct {
	layer             int
	heads             int
	nope, rope, value int // widths of a head: unrotated, rotated, value
	latent            int // kv_lora_rank
	scaling           float64
	pairing           nn.Pairing

	q   *nn.Linear // straight from the stream; nil where queries are compressed
	qA  *nn.Linear
	qN  *nn.RMSNorm
	qB  *nn.Linear
	kvA *nn.Linear
	kvN *nn.RMSNorm
	kvB *nn.Linear
	o   *nn.Linear
}

func (b *builder) latentAttention(prefix string, layer int, pairing nn.Pairing) latentAttention {
	c := b.cfg
	a := latentAttention{
		layer: layer, heads: c.NumAttentionHeads, nope: c.QkNopeHeadDim, rope: c.QkRopeHeadDim, value: c.VHeadDim,
		latent: c.KVLoraRank, scaling: scaling(c), pairing: pairing,
	}
	queries := a.heads * c.QkHeadDim()
	if c.QLoraRank == 0 {
		a.q = b.Linear(prefix+"q_proj", c.HiddenSize, queries, false)
	} else {
		a.qA = b.Linear(prefix+"q_a_proj", c.HiddenSize, c.QLoraRank, c.AttentionBias)
		a.qN = b.RMSNorm(prefix+"q_a_layernorm", c.QLoraRank, innerEps)
		a.qB = b.Linear(prefix+"q_b_proj", c.QLoraRank, queries, false)
	}
	a.kvA = b.Linear(prefix+"kv_a_proj_with_mqa", c.HiddenSize, a.latent+a.rope, c.AttentionBias)
	a.kvN = b.RMSNorm(prefix+"kv_a_layernorm", a.latent, innerEps)
	a.kvB = b.Linear(prefix+"kv_b_proj", a.latent, a.heads*(a.nope+a.value), false)
	a.o = b.Linear(prefix+"o_proj", a.heads*a.value, c.HiddenSize, c.AttentionBias)
	return a
}

// queries are q = [q^C; q^R] of every head, the second part rotated:
// [batch heads seq qk_head_dim]. ĉ^Q, the normed latent they come from, is nil
// where queries are not compressed.
func (a *latentAttention) queries(s point.Scope, x *torch.Tensor, p *nn.Pass) (q, cQ *torch.Tensor) {
	if a.q != nil {
		q = a.q.Forward(s.In("q_proj"), x)
	} else {
		cQ = a.qN.Forward(s.In("q_a_layernorm"), a.qA.Forward(s.In("q_a_proj"), x))
		q = a.qB.Forward(s.In("q_b_proj"), cQ)
	}
	q = q.Reshape(p.Batch, p.Seq, a.heads, a.nope+a.rope)
	return a.pairing.Queries(q, a.rope, p.Angles), cQ
}

// latents are [ĉ^KV; k^R] of every token so far: the normed latent and the rotated
// key, [batch keys latent+rope].
func (a *latentAttention) latents(s point.Scope, x *torch.Tensor, p *nn.Pass) *torch.Tensor {
	c := a.kvA.Forward(s.In("kv_a_proj_with_mqa"), x)
	cKV := a.kvN.Forward(s.In("kv_a_layernorm"), c.Narrow(2, 0, a.latent))
	joint := a.pairing.Latents(cKV, c, p.Angles)
	if p.Cache != nil {
		joint = p.Cache.Extend(a.layer, 0, joint)
	}
	return joint
}

// expand makes every head's keys [batch heads keys qk_head_dim] and values
// [batch heads keys head_dim] of the latents.
func (a *latentAttention) expand(s point.Scope, latents *torch.Tensor) (k, v *torch.Tensor) {
	batch, keys := latents.Size(0), latents.Size(1)
	kv := a.kvB.Forward(s.In("kv_b_proj"), latents.Narrow(2, 0, a.latent).Contiguous())
	return nn.Expand(kv.Reshape(batch, keys, a.heads, a.nope+a.value), latents, a.nope, a.latent)
}

// over is the attention of queries to latents under the mask M, by the way that
// suits the shape of the pass: Δ = Z W_O [batch seq hidden_size].
func (a *latentAttention) over(s point.Scope, q, latents, mask *torch.Tensor, p *nn.Pass) *torch.Tensor {
	if p.Absorbs() {
		return a.absorbed(q, latents, mask, p)
	}
	k, v := a.expand(s, latents)
	s.Together(
		point.Argument{Name: point.AttentionQueries, Value: &q},
		point.Argument{Name: point.AttentionKeys, Value: &k},
		point.Argument{Name: point.AttentionValues, Value: &v},
	)
	var z *torch.Tensor
	if p.Fused() {
		z = a.fused(s, q, k, v, mask, p)
	} else {
		z = a.explicit(s, q, k, v, mask)
	}
	z = s.At(point.AttentionHeadOutputs, z)
	z = s.At(point.AttentionPremix, z)
	o := s.In("o_proj")
	return s.At(point.AttentionOutput, a.o.Apply(o.Input(z.Flatten(2, 3))))
}

// explicit is A = softmax(scaling · Q Kᵀ + M), Z = A V.
func (a *latentAttention) explicit(s point.Scope, q, k, v, mask *torch.Tensor) *torch.Tensor {
	scores := s.At(point.AttentionScores, nn.Scores(q, k, mask, a.scaling))
	return nn.Mix(s.At(point.AttentionProbabilities, nn.Probabilities(scores)), v)
}

// fused is Z by a kernel that makes neither scores nor pattern. They are made beside
// it for who reads them, and Z is made of them where somebody writes them.
func (a *latentAttention) fused(s point.Scope, q, k, v, mask *torch.Tensor, p *nn.Pass) *torch.Tensor {
	scores := func() *torch.Tensor { return nn.Scores(q, k, mask, a.scaling) }
	if written := s.Offer(point.AttentionScores, scores); written != nil {
		return nn.Mix(s.At(point.AttentionProbabilities, nn.Probabilities(written)), v)
	}
	if written := s.Offer(point.AttentionProbabilities, func() *torch.Tensor { return nn.Probabilities(scores()) }); written != nil {
		return nn.Mix(written, v)
	}
	return p.Attention(q, k, v, mask, a.scaling)
}

// absorbed is over on the latents: (q^C W_UK) · ĉ^KV in place of q^C · (ĉ^KV W_UK)ᵀ,
// and W_UV after the mixing instead of before. Keys and values are never made.
func (a *latentAttention) absorbed(q, latents, mask *torch.Tensor, p *nn.Pass) *torch.Tensor {
	w := a.kvB.Weight.On(q).Reshape(a.heads, a.nope+a.value, a.latent)
	uk, uv := w.Narrow(1, 0, a.nope), w.Narrow(1, a.nope, a.value).T()

	qL := fromHeads(toHeads(q.Narrow(3, 0, a.nope)).BMM(uk), p)
	q = torch.Cat(3, qL, q.Narrow(3, a.nope, a.rope)).Reshape(p.Batch, a.heads*p.Seq, a.latent+a.rope)
	scores := q.BMM(latents.T()).Mul(a.scaling).Reshape(p.Batch, a.heads, p.Seq, p.Keys)
	if mask != nil {
		scores = scores.Add(mask)
	}
	pattern := nn.Probabilities(scores).Reshape(p.Batch, a.heads*p.Seq, p.Keys)
	mixed := pattern.BMM(latents.Narrow(2, 0, a.latent)).Reshape(p.Batch, a.heads, p.Seq, a.latent)
	z := fromHeads(toHeads(mixed).BMM(uv), p)
	return a.o.Apply(z.Transpose(1, 2).Reshape(p.Batch, p.Seq, a.heads*a.value))
}

// toHeads makes [batch heads seq ·] one matrix per head, fromHeads takes that back.
func toHeads(x *torch.Tensor) *torch.Tensor {
	batch, heads, seq, width := x.Size(0), x.Size(1), x.Size(2), x.Size(3)
	if batch > 1 {
		x = x.Transpose(0, 1)
	}
	return x.Reshape(heads, batch*seq, width)
}

func fromHeads(x *torch.Tensor, p *nn.Pass) *torch.Tensor {
	if p.Batch == 1 {
		return x.Unsqueeze(0)
	}
	return x.Reshape(x.Size(0), p.Batch, p.Seq, x.Size(2)).Transpose(0, 1)
}
