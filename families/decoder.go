package families

import (
	"fmt"

	"github.com/gonterp/gonterp/runtime/checkpoint"
	"github.com/gonterp/gonterp/runtime/nn"
	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
)

// decoder is what all families have in common: an embedding, blocks on a residual
// stream, a norm and a head.
type decoder struct {
	cfg    *checkpoint.Config
	device torch.Device
	dtype  torch.DType
	rotary *nn.Rotary
	masks  nn.Masks
	params []*nn.Param

	embedding *nn.Param // [vocab_size hidden_size]
	blocks    []*block
	norm      *nn.RMSNorm
	head      *nn.Linear
}

// block is one layer: x + attention(norm(x)), then x + mlp(norm(x)).
type block struct {
	inputNorm *nn.RMSNorm
	attention attention
	postNorm  *nn.RMSNorm
	mlp       mlp
}

type attention interface {
	forward(s point.Scope, x *torch.Tensor, p *nn.Pass) *torch.Tensor
}

type mlp interface {
	forward(s point.Scope, x *torch.Tensor) *torch.Tensor
}

// decoder makes the parts that no family differs in.
func (b *builder) decoder(opt Options) {
	c := b.cfg
	rotary, err := nn.NewRotary(frequencies(c))
	if err != nil {
		b.Fault(err)
	}
	b.net = &decoder{cfg: c, device: opt.Device, dtype: opt.DType, rotary: rotary}
	b.net.embedding = b.Param("model.embed_tokens.weight", c.VocabSize, c.HiddenSize)
}

// stack adds the blocks, the final norm and the head. attention and mixture make
// layer i's part from the prefix of its weights.
func (b *builder) stack(attention func(prefix string, layer int) attention, mixture func(prefix string) mlp) {
	c, n := b.cfg, b.net
	for i := range c.NumHiddenLayers {
		prefix := fmt.Sprintf("model.layers.%d.", i)
		l := &block{
			inputNorm: b.RMSNorm(prefix+"input_layernorm", c.HiddenSize, c.RMSNormEps),
			attention: attention(prefix+"self_attn.", i),
			postNorm:  b.RMSNorm(prefix+"post_attention_layernorm", c.HiddenSize, c.RMSNormEps),
		}
		if c.Sparse(i) {
			l.mlp = mixture(prefix + "mlp.")
		} else {
			l.mlp = b.dense(prefix+"mlp.", c.IntermediateSize)
		}
		n.blocks = append(n.blocks, l)
	}
	n.norm = b.RMSNorm("model.norm", c.HiddenSize, c.RMSNormEps)
	if c.TieWordEmbeddings {
		n.head = &nn.Linear{Weight: n.embedding}
	} else {
		n.head = b.Linear("lm_head", c.HiddenSize, c.VocabSize, false)
	}
}

func frequencies(c *checkpoint.Config) *nn.Frequencies {
	r := c.RopeParameters
	return &nn.Frequencies{
		Type: r.RopeType, Size: c.QkRopeHeadDim, Theta: r.RopeTheta, Factor: r.Factor,
		BetaFast: r.BetaFast, BetaSlow: r.BetaSlow, MScale: r.MScale, MScaleAllDim: r.MScaleAllDim,
		AttentionFactor: r.AttentionFactor, OriginalLength: float64(r.OriginalMaxPositionEmbeddings), KeepUntruncated: !r.Truncate,
		MaximumPositions: c.MaxPositionEmbeddings,
	}
}

// Forward implements Network.
func (n *decoder) Forward(s point.Scope, in nn.Input) *torch.Tensor {
	ids, mask := n.inputs(s, in)
	pass := nn.Begin(ids, mask, in.Cache, n.dtype, n.rotary, &n.masks)
	pass.Plain = !s.Watched() && !pass.Records

	embed := s.In("embed_tokens")
	x := nn.Rows(n.embedding.On(ids), embed.Input(ids))
	x = s.At(point.TokenEmbeddings, x)
	release := nn.Frame()
	for i, l := range n.blocks {
		if in.Check != nil {
			in.Check(i)
		}
		x = l.forward(s.Layer(i), x, pass)
		release(x)
	}
	if in.LastOnly {
		x = x.Narrow(1, x.Size(1)-1, 1)
	}
	x = s.At(point.FinalNormOutput, n.norm.Apply(s.In("norm").Input(x)))
	logits := s.At(point.LMHeadOutput, n.head.Apply(s.In("lm_head").Input(x)))
	if in.Cache != nil {
		in.Cache.Advance(pass.Seq)
	}
	return s.At(point.Logits, logits)
}

// inputs are the ids and the mask as whoever looks leaves them.
func (n *decoder) inputs(s point.Scope, in nn.Input) (ids, mask *torch.Tensor) {
	ids, mask = in.IDs, in.Mask
	if !s.Watched() {
		return ids, mask
	}
	if mask == nil {
		mask = torch.Ones(torch.Int64, ids.Device(), ids.Shape()...)
	}
	s.Together(point.Argument{Name: point.InputIDs, Value: &ids}, point.Argument{Name: point.AttentionMask, Value: &mask})
	return ids, mask
}

func (l *block) forward(s point.Scope, x *torch.Tensor, p *nn.Pass) *torch.Tensor {
	x = s.At(point.LayerInput, x)
	if y := s.Skip(x); y != nil {
		return s.At(point.LayerOutput, y)
	}
	h := s.At(point.AttentionNormOutput, l.inputNorm.Apply(s.In("input_layernorm").Input(x)))
	x = s.At(point.LayerMid, x.Add(l.attend(s.In("self_attn"), h, p)))
	h = s.At(point.MLPNormOutput, l.postNorm.Apply(s.In("post_attention_layernorm").Input(x)))
	h = s.At(point.MLPInput, h)
	return s.At(point.LayerOutput, x.Add(l.feed(s.In("mlp"), h)))
}

// attend and feed are the two modules of a block as they are called: Δ_attn and Δ_ffn.
func (l *block) attend(s point.Scope, x *torch.Tensor, p *nn.Pass) *torch.Tensor {
	x = s.Input(x)
	y := s.Skip(x)
	if y == nil {
		y = l.attention.forward(s, x, p)
	}
	return s.Output(y)
}

func (l *block) feed(s point.Scope, x *torch.Tensor) *torch.Tensor {
	y := s.Skip(x)
	if y == nil {
		y = l.mlp.forward(s, x)
	}
	return s.At(point.MLPOutput, y)
}

// NewCache implements Network.
func (n *decoder) NewCache() *nn.Cache { return nn.NewCache() }

// Device implements Network.
func (n *decoder) Device() torch.Device { return n.device }

// DType implements Network.
func (n *decoder) DType() torch.DType { return n.dtype }

// Scaling implements Network.
func (n *decoder) Scaling() float64 { return scaling(n.cfg) }

// Norm implements Network.
func (n *decoder) Norm(x *torch.Tensor) *torch.Tensor { return n.norm.Apply(x) }

// LMHead implements Network.
func (n *decoder) LMHead(x *torch.Tensor) *torch.Tensor { return n.head.Apply(x) }

// Params implements Network.
func (n *decoder) Params() []*nn.Param { return n.params }
