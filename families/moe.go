package families

import (
	"fmt"

	"github.com/gonterp/gonterp/runtime/nn"
	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
)

// gatedMLP is (act(x W1) ⊙ x W3) W2: a dense MLP, the shared experts, or one expert.
type gatedMLP struct {
	act            activation
	gate, up, down *nn.Linear
}

type activation func(*torch.Tensor) *torch.Tensor

var activations = map[string]activation{
	"silu": (*torch.Tensor).Silu,
	"gelu": (*torch.Tensor).Gelu,
	"relu": (*torch.Tensor).Relu,
}

func (b *builder) activation() activation {
	act := activations[b.cfg.HiddenAct]
	if act == nil {
		b.Fault(fmt.Errorf("config.json: hidden_act is %q; known are silu, gelu and relu", b.cfg.HiddenAct))
	}
	return act
}

func (b *builder) gated(prefix string, width int, bias bool) *gatedMLP {
	c := b.cfg
	return &gatedMLP{
		act:  activations[c.HiddenAct],
		gate: b.Linear(prefix+"gate_proj", c.HiddenSize, width, bias),
		up:   b.Linear(prefix+"up_proj", c.HiddenSize, width, bias),
		down: b.Linear(prefix+"down_proj", width, c.HiddenSize, bias),
	}
}

// dense is the MLP of a block without experts.
func (b *builder) dense(prefix string, width int) *gatedMLP {
	b.activation()
	return b.gated(prefix, width, b.mlpBias)
}

func (m *gatedMLP) forward(s point.Scope, x *torch.Tensor) *torch.Tensor {
	g := m.gate.Forward(s.In("gate_proj"), x)
	u := m.up.Forward(s.In("up_proj"), x)
	a := s.At(point.MLPActivation, m.act(g))
	h := s.At(point.MLPNeurons, a.Mul(u))
	return s.In("down_proj").Output(m.down.Apply(h))
}

// A router turns the gate's logits z [batch seq experts] into the expert of every
// slot and what its output is scaled by, both [batch seq top_k].
type router interface {
	route(s point.Scope, z *torch.Tensor) (indices, weights *torch.Tensor)
}

// mixture is y = Σ_i G_i E_i(x) + shared(x) over the slots i of a token.
type mixture struct {
	gate    *nn.Linear // [experts hidden_size], multiplied in float32
	router  router
	experts *experts
	shared  *gatedMLP // nil: none
}

func (b *builder) mixture(prefix string, r router) *mixture {
	c := b.cfg
	m := &mixture{
		gate:   &nn.Linear{Weight: b.ParamOf(torch.Float32, prefix+"gate.weight", c.NRoutedExperts, c.HiddenSize)},
		router: r,
	}
	m.experts = &experts{topK: c.NumExpertsPerTok, width: c.MoeIntermediateSize, hidden: c.HiddenSize, act: b.activation()}
	for e := range c.NRoutedExperts {
		m.experts.each = append(m.experts.each, b.gated(fmt.Sprintf("%sexperts.%d.", prefix, e), c.MoeIntermediateSize, false))
	}
	if c.NSharedExperts > 0 {
		m.shared = b.gated(prefix+"shared_experts.", c.MoeIntermediateSize*c.NSharedExperts, b.mlpBias)
	}
	return m
}

func (m *mixture) forward(s point.Scope, x *torch.Tensor) *torch.Tensor {
	gate := s.In("gate")
	z := s.At(point.RouterLogits, m.gate.Apply(gate.Input(x).Float()))
	indices, weights := m.router.route(s, gate.Output(z))
	s.Together(
		point.Argument{Name: point.ExpertIndices, Value: &indices},
		point.Argument{Name: point.ExpertWeights, Value: &weights},
	)
	y := s.At(point.RoutedOutput, m.experts.forward(s, s.In("experts").Input(x), indices, weights))
	if m.shared == nil {
		return y
	}
	shared := s.In("shared_experts")
	return y.Add(s.At(point.SharedExpertOutput, m.shared.forward(shared, shared.Input(x))))
}
