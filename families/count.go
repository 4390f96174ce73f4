package families

import (
	"strings"

	"github.com/gonterp/gonterp/runtime/checkpoint"
)

// Counts are a model's parameters by component. The selection bias and the
// indexer's norm are counted; the scales of FP8 blocks and a multi-token-prediction
// block are not.
type Counts struct {
	Embedding, FinalNorm, Head int64 // Head is 0 where it is the embedding
	Layers                     []LayerCounts
}

// LayerCounts are the parameters of one block.
type LayerCounts struct {
	Sparse    bool
	Norms     int64 // the block's two
	Attention int64 // with its inner norms and, in V3.2, the indexer
	MLP       int64 // dense, or the whole mixture
	Expert    int64 // one routed expert, of a mixture
	Active    int64 // of the MLP: what one token uses
}

// Total is a whole block.
func (l LayerCounts) Total() int64 { return l.Norms + l.Attention + l.MLP }

// Total is the whole model.
func (c *Counts) Total() int64 {
	n := c.Embedding + c.FinalNorm + c.Head
	for _, l := range c.Layers {
		n += l.Total()
	}
	return n
}

// Active is what one token's way through the model uses, embedding included.
func (c *Counts) Active() int64 {
	n := c.Embedding + c.FinalNorm + c.Head
	for _, l := range c.Layers {
		n += l.Norms + l.Attention + l.Active
	}
	return n
}

// Count adds up the parameters of the network that cfg describes. No weights are
// needed.
func Count(cfg *checkpoint.Config) (*Counts, error) {
	b, err := build(cfg, nil, Options{})
	if err != nil {
		return nil, err
	}
	c := &Counts{Layers: make([]LayerCounts, cfg.NumHiddenLayers)}
	for _, p := range b.Params {
		n := p.Elements()
		words := strings.Split(p.Name, ".")
		switch {
		case p.Name == "model.embed_tokens.weight":
			c.Embedding += n
		case p.Name == "model.norm.weight":
			c.FinalNorm += n
		case words[0] == "lm_head":
			c.Head += n
		default:
			c.Layers[layerOf(words)].add(words[3:], n)
		}
	}
	for i := range c.Layers {
		c.Layers[i].finish(cfg, i)
	}
	return c, nil
}

func layerOf(words []string) int {
	i := 0
	for _, digit := range words[2] {
		i = 10*i + int(digit-'0')
	}
	return i
}

// add counts a weight by its path inside the block.
func (l *LayerCounts) add(path []string, n int64) {
	switch path[0] {
	case "self_attn":
		l.Attention += n
	case "mlp":
		l.MLP += n
		if path[1] == "experts" && path[2] == "0" {
			l.Expert += n
		}
	default:
		l.Norms += n
	}
}

func (l *LayerCounts) finish(cfg *checkpoint.Config, i int) {
	l.Sparse = cfg.Sparse(i)
	l.Active = l.MLP
	if l.Sparse {
		l.Active -= int64(cfg.NRoutedExperts-cfg.NumExpertsPerTok) * l.Expert
	}
}
