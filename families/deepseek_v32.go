package families

import (
	"github.com/gonterp/gonterp/runtime/nn"
	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
)

// deepseekV32 describes DeepSeek-V3.2: V3's blocks with sparse attention, in which
// an indexer chooses index_topk keys for every query.
func deepseekV32(b *builder) {
	b.stack(
		func(prefix string, layer int) attention {
			return &sparseAttention{b.latentAttention(prefix, layer, nn.Deinterleaved), b.indexer(prefix+"indexer.", layer)}
		},
		func(prefix string) mlp { return b.mixture(prefix, b.sigmoidRouter(prefix+"gate")) },
	)
}

// sparseAttention is latent attention under the indexer's selection.
type sparseAttention struct {
	latentAttention
	indexer *indexer
}

func (a *sparseAttention) forward(s point.Scope, x *torch.Tensor, p *nn.Pass) *torch.Tensor {
	q, cQ := a.queries(s, x, p)
	latents := a.latents(s, x, p)
	mask := p.Mask
	if selection := a.indexer.forward(s, x, cQ, p); selection != nil {
		mask = hide(selection, p)
	}
	return a.over(s, q, latents, mask, p)
}
