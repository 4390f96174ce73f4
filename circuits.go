package gonterp

import (
	"fmt"
	"strings"

	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
)

// The circuits of a head of latent attention. Queries, keys and values come from short
// latents: ĉ^Q, the normed output of q_a_layernorm (or attention_norm_output where
// queries are not compressed), and ĉ^KV, that of kv_a_layernorm. What a head does with
// them is two matrices, into which the projections up and down are absorbed
// (DeepSeek-V2, section 2.1).

// OV is what a head writes to the stream for each latent it attends to, [kv_lora_rank
// hidden_size]: W_UVᵀ W_Oᵀ of the head. A head adds pattern · ĉ^KV · OV.
func (a *SelfAttn) OV(head int) *Tensor {
	h := a.head("OV", head)
	_, value := h.kvUp()
	return h.named(value.T().Matmul(h.out().T()), "OV", "kv_lora_rank", "hidden_size")
}

// QK is how a head scores a latent key for a latent query, [q_lora_rank kv_lora_rank]
// or [hidden_size kv_lora_rank]: W_UQᵀ W_UK of the head, for the part without rotary
// embedding. A score is Scaling × (ĉ^Q · QK · ĉ^KVᵀ + the rotary part).
func (a *SelfAttn) QK(head int) *Tensor {
	h := a.head("QK", head)
	key, _ := h.kvUp()
	query, rank := h.queryUp()
	return h.named(query.Narrow(0, 0, h.m.config.QkNopeHeadDim).T().Matmul(key), "QK", rank, "kv_lora_rank")
}

// RotaryQK are the two projections that a head's rotary part is made of, before the
// rotation: of ĉ^Q, [q_lora_rank qk_rope_head_dim], and of attention_norm_output,
// [hidden_size qk_rope_head_dim], the latter shared by all heads.
func (a *SelfAttn) RotaryQK(head int) (query, key *Tensor) {
	h := a.head("RotaryQK", head)
	c := h.m.config
	q, rank := h.queryUp()
	k := h.weight("kv_a_proj_with_mqa").Narrow(0, c.KVLoraRank, c.QkRopeHeadDim)
	return h.named(q.Narrow(0, c.QkNopeHeadDim, c.QkRopeHeadDim).T(), "rotary query", rank, "qk_rope_head_dim"),
		h.named(k.T(), "rotary key", "hidden_size", "qk_rope_head_dim")
}

// aHead is one head of a block, for its weights.
type aHead struct {
	m     *core
	path  string // of the attention
	index int
}

func (a *SelfAttn) head(who string, index int) aHead {
	c := a.AttentionOutput.core
	n := c.config.NumAttentionHeads
	if index < 0 || index >= n {
		panic(argumentErrorf("%s(%d): the block has heads 0 to %d", who, index, n-1))
	}
	return aHead{c, a.path(), index}
}

// path is the module's, "layers.3.self_attn".
func (a *SelfAttn) path() string {
	return strings.TrimSuffix(a.AttentionOutput.path, "."+point.AttentionOutput.String())
}

// weight is a projection of the attention, [out in] in float32.
func (h aHead) weight(name string) *Tensor {
	return h.m.param(h.path + "." + name + ".weight").Float().ToDevice(torch.CPU)
}

// kvUp are W_UK [qk_nope_head_dim kv_lora_rank] and W_UV [head_dim kv_lora_rank].
func (h aHead) kvUp() (key, value *Tensor) {
	c := h.m.config
	width := c.QkNopeHeadDim + c.VHeadDim
	w := h.weight("kv_b_proj").Narrow(0, h.index*width, width)
	return w.Narrow(0, 0, c.QkNopeHeadDim), w.Narrow(0, c.QkNopeHeadDim, c.VHeadDim)
}

// queryUp is W_UQ [qk_head_dim rank] and the name of its rank.
func (h aHead) queryUp() (w *Tensor, rank string) {
	name, rank := "q_b_proj", "q_lora_rank"
	if h.m.config.QLoraRank == 0 {
		name, rank = "q_proj", "hidden_size"
	}
	width := h.m.config.QkHeadDim()
	return h.weight(name).Narrow(0, h.index*width, width), rank
}

// out is the head's part of W_O, [hidden_size head_dim].
func (h aHead) out() *Tensor {
	width := h.m.config.VHeadDim
	return h.weight("o_proj").Narrow(1, h.index*width, width)
}

func (h aHead) named(t *Tensor, what string, axes ...string) *Tensor {
	return t.WithOrigin(&torch.Origin{Model: h.m.name, Path: fmt.Sprintf("%s.%s of head %d", h.path, what, h.index), Axes: axes, Labels: make([][]string, len(axes))})
}
