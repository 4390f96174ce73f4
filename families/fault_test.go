package families

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/runtime/checkpoint"
	"github.com/gonterp/gonterp/runtime/nn"
	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

// faulty is a store that lacks some tensors and has others in a wrong shape.
type faulty struct {
	checkpoint.Store
	missing map[string]bool
	reshape map[string][]int
}

func (f *faulty) Entry(name string) (checkpoint.Entry, bool) {
	e, ok := f.Store.Entry(name)
	if s := f.reshape[name]; s != nil {
		e.Shape = s
	}
	return e, ok && !f.missing[name]
}

// All faults of a checkpoint are named at once, when the model is made.
func TestEveryFaultIsNamed(t *testing.T) {
	torchtest.NeedThread(t)
	dir := filepath.Join(referenceDir, "v32")
	store := &faulty{must(checkpoint.Open(dir))(t),
		map[string]bool{"model.norm.weight": true, "model.layers.2.mlp.experts.3.up_proj.weight": true},
		map[string][]int{"model.layers.1.self_attn.kv_b_proj.weight": {7, 9}},
	}
	_, err := New(must(checkpoint.ReadConfig(dir))(t), store, Options{})
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{"model.norm.weight is missing", "experts.3.up_proj.weight is missing", "kv_b_proj.weight", "[7 9]", "[112 32]", "config.json"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q:\n%v", part, err)
		}
	}
}

func TestConfigsThatCannotBeBuilt(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(*checkpoint.Config)
		says   string
	}{
		{"activation", func(c *checkpoint.Config) { c.HiddenAct = "swoosh" }, "silu"},
		{"odd rotary width", func(c *checkpoint.Config) { c.QkRopeHeadDim = 7 }, "even"},
		{"family", func(c *checkpoint.Config) { c.ModelType = "llama" }, "deepseek_v32"},
		{"choice of experts", func(c *checkpoint.Config) { c.ModelType = "deepseek_v2"; c.TopkMethod = "lottery" }, "group_limited_greedy"},
		{"rope type", func(c *checkpoint.Config) { c.RopeParameters.RopeType = "spiral" }, "yarn"},
	} {
		cfg := must(checkpoint.ReadConfig(filepath.Join("testdata/configs", "v3")))(t)
		c.change(cfg)
		if _, err := New(cfg, nil, Options{}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.what, err)
		}
		if _, err := Count(cfg); err == nil {
			t.Errorf("%s: counted", c.what)
		}
	}
}

// A field of another family changes nothing.
func TestForeignFields(t *testing.T) {
	for _, name := range []string{"v3", "v32"} {
		dir := filepath.Join(referenceDir, name)
		cfg := must(checkpoint.ReadConfig(dir))(t)
		cfg.MLPBias = true
		cfg.TopkMethod, cfg.ScoringFunc = "greedy", "softmax"
		torchtest.NeedThread(t)
		if _, err := New(cfg, must(checkpoint.Open(dir))(t), Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func panicked(run func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	run()
	return nil
}

func TestAnExpertThatThereIsNot(t *testing.T) {
	r := openReference(t, "v3")
	for _, e := range []float64{-1, float64(r.cfg.NRoutedExperts)} {
		w := watch()
		w.edit = func(path string, x *torch.Tensor) *torch.Tensor {
			if path == "layers.2.mlp.expert_indices" {
				return torch.Full(e, torch.Int64, torch.CPU, x.Shape()...)
			}
			return x
		}
		var wrong *ExpertError
		if err := panicked(func() { forward(r.net, r.run(t, "plain").input(), w) }); !errors.As(err, &wrong) || wrong.Expert != int(e) || !strings.Contains(err.Error(), "0 to 15") {
			t.Errorf("expert %v: %v", e, err)
		}
	}
}

func TestAModelWithoutWeights(t *testing.T) {
	torchtest.NeedThread(t)
	net := must(New(must(checkpoint.ReadConfig(filepath.Join(referenceDir, "v3")))(t), nil, Options{}))(t)
	var none *nn.NoWeightsError
	if err := panicked(func() { forward(net, nn.Input{IDs: torch.FromInts([]int64{1, 2}, 1, 2)}, nil) }); !errors.As(err, &none) {
		t.Errorf("%v", err)
	}
}

// skipper replaces a module by its input.
type skipper struct {
	watcher
	path string
}

func (s *skipper) Skip(m *point.Module, x *torch.Tensor) *torch.Tensor {
	if m.Path == s.path {
		return x
	}
	return nil
}

func TestSkippedModules(t *testing.T) {
	r := openReference(t, "v32")
	in := r.run(t, "plain").input()
	for path, c := range map[string]struct{ output, input, absent string }{
		"layers.1":           {"layers.1.layer_output", "layers.1.layer_input", "layers.1.layer_mid"},
		"layers.1.self_attn": {"layers.1.self_attn.output", "layers.1.self_attn.input", "layers.1.self_attn.attention_scores"},
		"layers.1.mlp":       {"layers.1.mlp.mlp_output", "layers.1.mlp_input", "layers.1.mlp.router_logits"},
	} {
		s := &skipper{*watch(), path}
		arena := torch.NewArena()
		old := torch.Swap(arena)
		r.net.Forward(point.NewScope(s, point.NewTree()), in)
		torch.Swap(old)
		if !torch.Equal(s.values[c.output], s.values[c.input]) {
			t.Errorf("%s: its output is not what stood for it", path)
		}
		if s.values[c.absent] != nil {
			t.Errorf("%s: it ran", path)
		}
		arena.Free()
	}
}
