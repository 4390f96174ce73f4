package gonterp

import (
	"fmt"
	"strings"

	"github.com/gonterp/gonterp/families"
	"github.com/gonterp/gonterp/runtime/checkpoint"
	"github.com/gonterp/gonterp/runtime/nn"
	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/tokenizer"
	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/trace"
)

// Tensor is an array of numbers on a device. It is immutable: every method
// returns a new one.
type Tensor = torch.Tensor

// core is what a Model is made of besides its points.
type core struct {
	name, dir   string
	config      *checkpoint.Config
	store       checkpoint.Store // nil: only a config.json
	network     families.Network
	tokenizer   *tokenizer.Tokenizer
	noTokenizer error // why tokenizer is nil
	dtype       torch.DType
	device      torch.Device
	bos         bool

	tree *point.Module
	plan *trace.Plan

	turn chan struct{} // holds one token while a pass is open
	open *openPass     // the open pass

	edits []edit // in the order they were made

	warned bool // that a prompt is longer than the model's context

	views []*Model // of single prompts, by number, as they were asked for
}

// scanLength is the length of the prompt that a forward is scanned with; any
// would do, since the order of values does not depend on it.
const scanLength = 4

// scanForward runs the network on the meta device.
func (c *core) scanForward(batch, seq int) trace.Forward {
	return func(s point.Scope) *torch.Tensor {
		return c.network.Forward(s, nn.Input{
			IDs:  torch.Zeros(torch.Int64, torch.Meta, batch, seq),
			Mask: torch.Zeros(torch.Int64, torch.Meta, batch, seq),
		})
	}
}

// newModel is the model of a core; row binds it to one prompt of a pass, -1 to none.
func newModel(c *core, row int) *Model {
	cfg := c.config
	m := &Model{core: c, row: row,
		NumLayers: cfg.NumHiddenLayers, HiddenSize: cfg.HiddenSize,
		NumHeads: cfg.NumAttentionHeads, NumKVHeads: cfg.NumAttentionHeads,
		HeadDim: cfg.VHeadDim, QKHeadDim: cfg.QkHeadDim(),
		VocabSize: cfg.VocabSize, IntermediateSize: cfg.IntermediateSize}
	m.bind(c.points("", row))
	for i := range cfg.NumHiddenLayers {
		path := fmt.Sprintf("layers.%d", i)
		l := &Layer{Index: i, SelfAttn: &SelfAttn{Scaling: c.network.Scaling()},
			MLP: &MLP{SharedExperts: &MLP{}}}
		l.bind(c.points(path, row))
		l.SelfAttn.bind(c.points(path+".self_attn", row))
		l.MLP.bind(c.points(path+".mlp", row))
		l.MLP.SharedExperts.bind(c.points(path+".mlp.shared_experts", row))
		m.Layers = append(m.Layers, l)
	}
	return m
}

// points makes the points of the module at path, bound to a prompt or to none.
func (c *core) points(module string, row int) func(point.Name) *Point {
	return func(n point.Name) *Point {
		path := n.String()
		if module != "" {
			path = module + "." + path
		}
		return &Point{core: c, path: path, name: n, standard: true, row: row}
	}
}

// Layer is block i; -1 is the last.
func (m *Model) Layer(i int) *Layer {
	n := len(m.Layers)
	if i < -n || i >= n {
		panic(argumentErrorf("Layer(%d): the model has layers 0 to %d, or -1 to -%d from the end", i, n-1, n))
	}
	return m.Layers[(i+n)%n]
}

// view is the model as prompt i of a pass shows it: its points have that prompt's
// rows wherever they are used.
func (c *core) view(i int) *Model {
	for len(c.views) <= i {
		c.views = append(c.views, nil)
	}
	if c.views[i] == nil {
		c.views[i] = newModel(c, i)
	}
	return c.views[i]
}

// Name is what the model was opened as.
func (m *Model) Name() string { return m.name }

// Config is a field of config.json as it stands there, or nil.
func (m *Model) Config(field string) any {
	v, _ := m.config.Field(field)
	return v
}

// Param is the stored weight of that name in the model's dtype. The leading
// "model." of checkpoint names may be left out.
func (m *Model) Param(path string) *Tensor { return m.param(path) }

func (c *core) param(name string) *Tensor {
	c.needWeights()
	if _, ok := c.store.Entry(name); !ok {
		if _, ok := c.store.Entry("model." + name); ok {
			name = "model." + name
		}
	}
	t, err := c.store.Tensor(name, c.dtype)
	if err != nil {
		panic(&ParamError{err})
	}
	return t.WithOrigin(&torch.Origin{Model: c.name, Path: name})
}

// Norm applies the final norm to t [... hidden_size].
func (m *Model) Norm(t *Tensor) *Tensor { return m.network.Norm(t) }

// LMHead applies the head to t [... hidden_size], giving logits [... vocab_size].
func (m *Model) LMHead(t *Tensor) *Tensor { return m.network.LMHead(t) }

// needWeights panics for a folder that has only a config.json.
func (c *core) needWeights() {
	if c.store == nil {
		panic(&WeightsError{c.name, c.dir})
	}
}

// String is a short card of the model.
func (m *Model) String() string {
	cfg := m.config
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s, %v on %v)\n", m.name, cfg.ModelType, m.dtype, m.device)
	sparse := 0
	for i := range cfg.NumHiddenLayers {
		if cfg.Sparse(i) {
			sparse++
		}
	}
	fmt.Fprintf(&b, "  %d layers (%d dense, %d mixture), hidden size %d, vocabulary %d\n", cfg.NumHiddenLayers, cfg.NumHiddenLayers-sparse, sparse, cfg.HiddenSize, cfg.VocabSize)
	fmt.Fprintf(&b, "  %d heads: queries and keys %d wide (%d of them rotary), values %d\n", cfg.NumAttentionHeads, cfg.QkHeadDim(), cfg.QkRopeHeadDim, cfg.VHeadDim)
	if sparse > 0 {
		fmt.Fprintf(&b, "  %d experts, %d chosen per token, %d shared\n", cfg.NRoutedExperts, cfg.NumExpertsPerTok, cfg.NSharedExperts)
	}
	if cfg.IndexTopk > 0 {
		fmt.Fprintf(&b, "  indexer: %d heads × %d, keeps %d keys\n", cfg.IndexNHeads, cfg.IndexHeadDim, cfg.IndexTopk)
	}
	b.WriteString("  model.Support() lists what can be read; with model.Trace(prompt) { … } reads it")
	return b.String() + m.describeEdits()
}
