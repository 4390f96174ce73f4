package families

import (
	"github.com/gonterp/gonterp/runtime/nn"
	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
)

// deepseekV3 describes DeepSeek-V3, V3.1, R1 and Moonlight: latent attention, and
// mixtures whose router scores with sigmoids and chooses with a bias.
func deepseekV3(b *builder) {
	pairing := nn.Deinterleaved
	if !b.cfg.RopeInterleave {
		pairing = nn.Halves
	}
	b.stack(
		func(prefix string, layer int) attention {
			return &denseAttention{b.latentAttention(prefix, layer, pairing)}
		},
		func(prefix string) mlp { return b.mixture(prefix, b.sigmoidRouter(prefix+"gate")) },
	)
}

// denseAttention is latent attention over every earlier key.
type denseAttention struct{ latentAttention }

func (a *denseAttention) forward(s point.Scope, x *torch.Tensor, p *nn.Pass) *torch.Tensor {
	q, _ := a.queries(s, x, p)
	return a.over(s, q, a.latents(s, x, p), p.Mask, p)
}

// sigmoidRouter scores every expert on its own; e_score_correction_bias moves the
// choice and not the weights.
type sigmoidRouter struct {
	groups, keep int
	topK         int
	renormalise  bool
	scale        float64
	bias         *nn.Param
}

func (b *builder) sigmoidRouter(prefix string) *sigmoidRouter {
	c := b.cfg
	return &sigmoidRouter{
		groups: c.NGroup, keep: c.TopkGroup, topK: c.NumExpertsPerTok,
		renormalise: c.NormTopkProb, scale: c.RoutedScalingFactor,
		bias: b.ParamOf(torch.Float32, prefix+".e_score_correction_bias", c.NRoutedExperts),
	}
}

// route is s = σ(z); the top k of s + b within the groups whose two best are worth
// most; G = scale · s / Σ s over the chosen.
func (r *sigmoidRouter) route(s point.Scope, z *torch.Tensor) (indices, weights *torch.Tensor) {
	scores := z.Sigmoid()
	bias := s.At(point.SelectionBias, r.bias.On(z))
	choice := scores.Detach().Add(bias.Detach())
	indices = choose(choice, r.topK, groups{r.groups, r.keep, twoBest})
	weights = scores.Gather(-1, indices)
	if r.renormalise {
		weights = weights.Div(weights.SumKeep(-1).Add(1e-20))
	}
	return indices, weights.Mul(r.scale)
}
