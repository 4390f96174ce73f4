package gonterp

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

func TestBadInput(t *testing.T) {
	torchtest.Need(t)
	m := loaded(t)
	empty, configOnly := t.TempDir(), t.TempDir()
	copyFile(t, "families/mini/config.json", filepath.Join(configOnly, "config.json"))
	unknown := t.TempDir()
	if err := os.WriteFile(filepath.Join(unknown, "config.json"), []byte(`{"model_type": "llama", "architectures": ["LlamaForCausalLM"]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	misfit := t.TempDir()
	copyFile(t, "families/mini/model.safetensors", filepath.Join(misfit, "model.safetensors"))
	config, err := os.ReadFile("families/mini/config.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(misfit, "config.json"), bytes.Replace(config, []byte(`"hidden_size": 128`), []byte(`"hidden_size": 256`), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	open := func(name string, opts ...Option) func() {
		return func() {
			if _, err := Open(name, opts...); err != nil {
				panic(err)
			}
		}
	}
	in := func(f func(*Model)) func() {
		return func() {
			for m := range m.Trace(maryAndJohn) {
				f(m)
			}
		}
	}
	for _, c := range []struct {
		what string
		do   func()
		says []string
	}{
		{"no folder", open("/no/such/folder"), []string{"/no/such/folder"}},
		{"no config.json", open(empty), []string{"config.json"}},
		{"unknown architecture", open(unknown), []string{"llama", "deepseek_v2", "deepseek_v3", "deepseek_v32"}},
		{"weights of another size", open(misfit), []string{"(gonterp help misfit):\n", "[710 128]", "[710 256]", "more"}},
		{"a weight that is not there", func() { m.Param("layers.1.mlp.gat.weight") }, []string{"model.layers.1.mlp.gate.weight", "(gonterp help param)"}},
		{"unknown dtype", open(Mini, DType("float33")), []string{"float33"}},
		{"option of a pass", open(Mini, Gradients()), []string{"Gradients()", "model.Trace"}},
		{"option of opening", func() { m.Trace("x", DType("float32")).Enter() }, []string{"DType", "gonterp.Load"}},
		{"weights that are not there", func() {
			for range Load(configOnly).Trace([]int{1}) {
			}
		}, []string{"weights", configOnly}},
		{"empty text", func() { m.Trace("").Enter() }, []string{"empty"}},
		{"no prompts", func() { m.Trace([]string{}).Enter() }, []string{"empty"}},
		{"no tokens", func() { m.Trace([]int{}).Enter() }, []string{"empty"}},
		{"token out of range", func() { m.Trace([]int{1, 710}).Enter() }, []string{"710", "709"}},
		{"negative token", func() { m.Trace([]int{-1}).Enter() }, []string{"-1"}},
		{"a prompt of another kind", func() { m.Trace(3.5).Enter() }, []string{"float64", "[]int"}},
		{"no pass", func() { m.Logits.Value() }, []string{"logits", "with model.Trace"}},
		{"a misspelt value", in(func(m *Model) { m.At("layers.1.self_attn.attention_score") }), []string{"layers.1.self_attn.attention_scores"}},
		{"experts of a dense block", in(func(m *Model) { m.Layers[0].MLP.RouterLogits.Value() }), []string{"dense", "layers 1 to 3"}},
		{"neurons of a mixture", in(func(m *Model) { m.Layers[1].MLP.MLPNeurons.Value() }), []string{"layers.1.mlp.shared_experts.mlp_neurons"}},
		{"a write behind the frontier", in(func(m *Model) { m.Layers[2].LayerOutput.Value(); m.Layers[1].LayerOutput.Set(0) }),
			[]string{"layers.1.layer_output", "layers.2.layer_output"}},
		{"a derived value written", in(func(m *Model) { m.NextTokenProbs.Set(0) }), []string{"next_token_probs", "read-only"}},
		{"a pass in a pass", in(func(m *Model) { m.Trace("x").Enter() }), []string{"Prompt(0)"}},
		{"a gradient not recorded", in(func(m *Model) { m.Grad(m.Logits.Value().Sum(), m.TokenEmbeddings) }), []string{"gonterp.Gradients()"}},
		{"a layer out of range", func() { m.Layer(4) }, []string{"0 to 3"}},
		{"a path's layer out of range", func() { m.At("layers.9.layer_output") }, []string{"0 to 3"}},
		{"a token id written", in(func(m *Model) { m.InputIDs.Set(99999) }), []string{"input_ids", "709"}},
		{"an expert that is not there", in(func(m *Model) { m.Layers[1].MLP.ExpertIndices.Set(99) }), []string{"expert_indices", "7"}},
		{"a part of another shape", in(func(m *Model) { m.Layers[1].LayerOutput.SetAt(Ones(127), All, 3) }), []string{"layers.1.layer_output", "[127]"}},
		{"a stand-in of another shape", in(func(m *Model) { m.Layers[1].Skip(Ones(3, 5)); m.Logits.Value() }), []string{"layers.1.layer_output", "[3 5]"}},
		{"a generation read before its steps", func() { m.Generate(maryAndJohn, 2).Enter().Logits.Value() }, []string{"g.Steps()"}},
		{"a temperature that is no number", func() { m.Generate(maryAndJohn, 2, Temperature(math.NaN())).IDs() }, []string{"Temperature"}},
		{"an edit without a function", func() { m.Edit("e", "layers.1.layer_output", nil) }, []string{"nil"}},
		{"a gradient of nothing", in(func(m *Model) { m.Grad(nil, m.TokenEmbeddings) }), []string{"nil"}},
		{"several tokens", func() { m.SingleToken("two words") }, []string{"not one"}},
		{"an empty token", func() { m.SingleToken("") }, []string{"SingleToken", "empty"}},
		{"text without a tokenizer", func() { Load(configOnly).Tokens("a") }, []string{"tokenizer", "[]int", "no-tokenizer"}},
		{"a fraction for an expert", in(func(m *Model) { m.Layers[1].MLP.ExpertIndices.Set(2.5) }), []string{"whole numbers", "2.5", "(gonterp help value)"}},
		{"a string written", in(func(m *Model) { m.Logits.Set("a") }), []string{"string", "logits"}},
	} {
		err := caught(t, c.do)
		CloseOpen()
		if err == nil {
			t.Errorf("%s: no error", c.what)
			continue
		}
		for _, s := range c.says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %q does not say %q", c.what, err, s)
			}
		}
	}
	if o := m.core.current(); o != nil {
		t.Errorf("a pass was left open")
	}
}
