package families

import (
	"fmt"

	"github.com/gonterp/gonterp/runtime/nn"
	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
)

// deepseekV2 describes DeepSeek-V2, V2.5, the Lite and the Coder models: latent
// attention whose rotary pairs stay in place, and mixtures with a softmax router.
func deepseekV2(b *builder) {
	b.mlpBias = b.cfg.MLPBias
	b.stack(
		func(prefix string, layer int) attention {
			return &denseAttention{b.latentAttention(prefix, layer, nn.Adjacent)}
		},
		func(prefix string) mlp { return b.mixture(prefix, b.softmaxRouter()) },
	)
}

// softmaxRouter makes the experts compete; the weights of the chosen are not
// renormalised.
type softmaxRouter struct {
	groups groups
	topK   int
	scale  float64
}

func (b *builder) softmaxRouter() *softmaxRouter {
	c := b.cfg
	r := &softmaxRouter{topK: c.NumExpertsPerTok, scale: c.RoutedScalingFactor}
	switch c.TopkMethod {
	case "greedy":
		r.groups = groups{1, 1, best}
	case "group_limited_greedy":
		r.groups = groups{c.NGroup, c.TopkGroup, best}
	default:
		b.Fault(fmt.Errorf("config.json: topk_method is %q; deepseek_v2 knows greedy and group_limited_greedy", c.TopkMethod))
	}
	return r
}

// route is s = softmax(z); the top k of s within the groups whose best is worth
// most; G = scale · s at the chosen.
func (r *softmaxRouter) route(_ point.Scope, z *torch.Tensor) (indices, weights *torch.Tensor) {
	scores := z.Softmax(-1)
	indices = choose(scores.Detach(), r.topK, r.groups)
	return indices, scores.Gather(-1, indices).Mul(r.scale)
}
