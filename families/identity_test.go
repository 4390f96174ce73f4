package families

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gonterp/gonterp/runtime/nn"
	"github.com/gonterp/gonterp/runtime/torch"
)

// identities checks, block by block, what the documentation says about the values
// of one forward.
type identities struct {
	*testing.T
	r *reference
	w *watcher
}

func (c identities) at(layer int, path string) *torch.Tensor {
	c.Helper()
	full := fmt.Sprintf("layers.%d.%s", layer, path)
	x := c.w.values[full]
	if x == nil {
		c.Fatalf("no %s", full)
	}
	return x.Detach().Double()
}

func (c identities) same(what string, got, want *torch.Tensor) {
	c.Helper()
	if !slices.Equal(got.Shape(), want.Shape()) {
		c.Errorf("%s: shapes %v and %v", what, got.Shape(), want.Shape())
		return
	}
	g, x := got.Double().Float64s(), want.Double().Float64s()
	tolerance := 1e-5
	if c.r.net.DType() == torch.BFloat16 {
		tolerance = 0.03
	}
	if d := distance(g, x); d > tolerance || math.IsNaN(d) {
		c.Errorf("%s: differs by %.3g", what, d)
	}
}

func TestIdentities(t *testing.T) {
	for _, name := range referenceCases {
		t.Run(name, func(t *testing.T) {
			r := openReference(t, name)
			w := watch()
			forward(r.net, r.run(t, "plain").input(), w)
			c := identities{t, r, w}
			for i := range r.cfg.NumHiddenLayers {
				c.residual(i)
				c.attention(i)
				c.rotary(i)
				if r.cfg.Sparse(i) {
					c.routing(i)
				}
			}
		})
	}
}

func (c identities) residual(i int) {
	in, attn, mlp := c.at(i, "layer_input"), c.at(i, "self_attn.attention_output"), c.at(i, "mlp.mlp_output")
	c.same(fmt.Sprint("the stream of block ", i), in.Add(attn).Add(mlp), c.at(i, "layer_output"))
	c.same(fmt.Sprint("the middle of block ", i), in.Add(attn), c.at(i, "layer_mid"))
	if !c.r.cfg.Sparse(i) {
		return
	}
	routed := c.at(i, "mlp.routed_output")
	both := routed
	if c.r.cfg.NSharedExperts > 0 {
		both = routed.Add(c.at(i, "mlp.shared_expert_output"))
	}
	c.same(fmt.Sprint("routed and shared of block ", i), both, mlp)
	c.same(fmt.Sprint("the slots of block ", i), c.at(i, "mlp.expert_outputs").Sum(2), routed)
}

func (c identities) attention(i int) {
	q, k, v := c.at(i, "self_attn.attention_queries"), c.at(i, "self_attn.attention_keys"), c.at(i, "self_attn.attention_values")
	scores, pattern := c.at(i, "self_attn.attention_scores"), c.at(i, "self_attn.attention_probabilities")
	hidden := scores.Lt(-1e30)
	products := q.Matmul(k.T()).Mul(c.r.net.Scaling()).MaskedFill(hidden, 0)
	c.same(fmt.Sprint("the scores of block ", i), scores.MaskedFill(hidden, 0), products)
	c.same(fmt.Sprint("the pattern of block ", i), pattern, scores.Softmax(-1))
	heads := c.at(i, "self_attn.attention_head_outputs")
	c.same(fmt.Sprint("the heads of block ", i), heads, pattern.Matmul(v).Transpose(1, 2))
	c.same(fmt.Sprint("the premix of block ", i), heads, c.at(i, "self_attn.attention_premix"))
}

// rotary: all heads share one rotary key, and at position 0 nothing is turned.
func (c identities) rotary(i int) {
	cfg := c.r.cfg
	k := c.at(i, "self_attn.attention_keys")
	turned := k.Narrow(3, cfg.QkNopeHeadDim, cfg.QkRopeHeadDim)
	c.same(fmt.Sprint("the shared key of block ", i), turned, turned.Narrow(1, 0, 1).Expand(turned.Shape()...))
	name := "self_attn.q_b_proj.output"
	if cfg.QLoraRank == 0 {
		name = "self_attn.q_proj.output"
	}
	first := c.at(i, name).Narrow(1, 0, 1).Reshape(-1, cfg.NumAttentionHeads, cfg.QkHeadDim()).Narrow(2, cfg.QkNopeHeadDim, cfg.QkRopeHeadDim)
	if cfg.ModelType != "deepseek_v2" && cfg.RopeInterleave {
		pairs := first.Reshape(-1, cfg.NumAttentionHeads, cfg.QkRopeHeadDim/2, 2)
		first = torch.Cat(2, pairs.Select(3, 0), pairs.Select(3, 1))
	}
	p := cfg.RopeParameters
	amplitude := 1.0
	switch {
	case p.RopeType == "yarn" && p.MScale != 0 && p.MScaleAllDim != 0:
		amplitude = nn.YaRNScale(p.Factor, p.MScale) / nn.YaRNScale(p.Factor, p.MScaleAllDim)
	case p.RopeType == "yarn":
		amplitude = nn.YaRNScale(p.Factor, 1)
	}
	q := c.at(i, "self_attn.attention_queries").Select(2, 0).Narrow(2, cfg.QkNopeHeadDim, cfg.QkRopeHeadDim)
	c.same(fmt.Sprint("the first query of block ", i), q, first.Mul(amplitude))
}

func (c identities) routing(i int) {
	cfg := c.r.cfg
	z, indices := c.at(i, "mlp.router_logits"), c.w.values[fmt.Sprintf("layers.%d.mlp.expert_indices", i)]
	var s *torch.Tensor
	if cfg.ModelType == "deepseek_v2" {
		s = z.Softmax(-1).Gather(2, indices)
	} else {
		s = z.Sigmoid().Gather(2, indices)
		if cfg.NormTopkProb {
			s = s.Div(s.SumKeep(-1))
		}
	}
	c.same(fmt.Sprint("the expert weights of block ", i), c.at(i, "mlp.expert_weights"), s.Mul(cfg.RoutedScalingFactor))
}

// Up to index_topk tokens the selection drops nothing: the pattern is plain causal.
func TestShortPromptsSeeEverything(t *testing.T) {
	for _, name := range []string{"v32", "v32-bf16", "v32-fp8"} {
		t.Run(name, func(t *testing.T) {
			r := openReference(t, name)
			for _, n := range []int{r.cfg.IndexTopk - 1, r.cfg.IndexTopk} {
				ids := make([]int64, n)
				for i := range ids {
					ids[i] = int64(3 * i % r.cfg.VocabSize)
				}
				w := watch()
				forward(r.net, nn.Input{IDs: torch.FromInts(ids, 1, n)}, w)
				for i := range r.cfg.NumHiddenLayers {
					pattern := w.values[fmt.Sprintf("layers.%d.self_attn.attention_probabilities", i)]
					for row, seen := range pattern.Gt(0).Long().Sum(3).Ints() {
						if want := int64(row%n + 1); seen != want {
							t.Fatalf("%d tokens, block %d: row %d sees %d keys, want %d", n, i, row%n, seen, want)
						}
					}
				}
			}
		})
	}
}

// Zeroing one expert leaves the other slots' weights as they are.
func TestAblatedExpertLeavesTheOthers(t *testing.T) {
	for _, name := range []string{"v2-lite", "v3", "v32"} {
		t.Run(name, func(t *testing.T) {
			r := openReference(t, name)
			in := r.run(t, "plain").input()
			before, after := watch(), watch()
			forward(r.net, in, before)
			const path = "layers.2.mlp.expert_weights"
			holds := before.values["layers.2.mlp.expert_indices"].Eq(1)
			after.edit = func(at string, x *torch.Tensor) *torch.Tensor {
				if at == path {
					return x.MaskedFill(holds, 0)
				}
				return x
			}
			forward(r.net, in, after)
			if !torch.Equal(after.values[path], before.values[path].MaskedFill(holds, 0)) {
				t.Error("other slots changed")
			}
			out := after.values["layers.2.mlp.expert_outputs"]
			kept := before.values["layers.2.mlp.expert_outputs"].MaskedFill(holds.Unsqueeze(3), 0)
			if !torch.Equal(out, kept) {
				t.Error("outputs of other slots changed")
			}
		})
	}
}
