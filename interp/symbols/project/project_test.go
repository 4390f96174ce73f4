package project_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/interp/symbols/project"
)

// Standard values complete from static types, inside a with block that is still being typed.
func TestCompletionOfAModel(t *testing.T) {
	s, err := interp.New(interp.Options{Packages: project.Packages(), Words: project.Words})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct{ text, want string }{
		{"gonterp.Lo", "Load"},
		{"plotting.Pat", "Pattern"},
		{"model := gonterp.Load(\"mini\")\nmodel.La", "Layers"},
		{"model := gonterp.Load(\"mini\")\nwith model.Trace(\"a\") {\n\tmodel.Layers[1].SelfAttn.Attention", "AttentionProbabilities"},
		{"model := gonterp.Load(\"mini\")\nwith m := model.Trace(\"a\") {\n\tx := m.Logits.Sa", "Save"},
		{"model := gonterp.Load(\"mini\")\nwith m := model.Trace(\"a\") {\n\tx := m.Logits.Save()\n\tx.Arg", "Argmax"},
		{"model := gonterp.Load(\"mini\")\nmodel.At(\"layers.1.self_attn.attention_p", "layers.1.self_attn.attention_probabilities"},
	} {
		got := s.Complete(c.text, len(c.text))
		i := slices.IndexFunc(got.Items, func(it interp.CompletionItem) bool { return it.Text == c.want })
		if i < 0 {
			t.Errorf("%q: no %s", c.text, c.want)
			continue
		}
		if it := got.Items[i]; it.Kind != "value" && it.Doc == "" {
			t.Errorf("%q: %s has no documentation", c.text, it.Text)
		}
	}
	b, ok := s.Inspect("gonterp.Load(1)", 10, 0)
	if text, _ := b.Data["text/plain"].(string); !ok || !strings.HasPrefix(text, "func Load(name string") {
		t.Errorf("Load is %q", text)
	}
}

// A path is refused before the cell runs where no model can have it.
func TestRefuse(t *testing.T) {
	s, err := interp.New(interp.Options{Packages: project.Packages(), Refuse: project.Refuse})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run := func(code string) *interp.CellError { return s.Execute(interp.Cell{Code: code}, nowhere{}).Err }
	if err := run("var model *gonterp.Model\nvar cache *gonterp.ActivationCache\ntype T struct{}\nfunc (T) At(path string) {}"); err != nil {
		t.Fatal(err)
	}
	for call, near := range map[string]string{
		`model.At("layers.1.self_attn.attention_score")`:              "layers.1.self_attn.attention_scores",
		`model.At("layers.-1.layer_outptu")`:                          "layers.-1.layer_output",
		`model.At("model.layers.3.mlp.shared_experts.neurons")`:       "model.layers.3.mlp.shared_experts.neurons",
		`cache.At("layers.0.mlp.router_logit")`:                       "layers.0.mlp.router_logits",
		`model.At("layers.0.mlp.gate_proj.otput")`:                    "layers.0.mlp.gate_proj.output",
		"const path = \"layers.2.\"\nmodel.At(path + `layer_inputs`)": "layers.2.layer_input",
	} {
		err := run("println(1)\n" + call)
		if err == nil || err.Name != "compile error" || err.Line != 2+strings.Count(call, "\n") || !strings.Contains(err.Value, "there is no value") || !strings.Contains(err.Value, near) {
			t.Errorf("%s: %v", call, err)
		}
	}
	for _, call := range []string{
		`model.At("layers.1.self_attn.q_b_proj.output")`, `model.At("layers.99.some.module.input")`, `model.At("layers.1.mlp.router.e_score_correction_bias")`,
		`model.At("layers.1.attention_scores")`, `model.At("logit")`, `model.At("layers.1")`, `model.At(path + "x")`, `T{}.At("layers.1.x")`,
	} {
		if err := run("path := \"layers.1.\"\nif false {\n" + call + "\n}"); err != nil {
			t.Errorf("%s: %v", call, err)
		}
	}
}

// nowhere is the output of a cell that shows nothing.
type nowhere struct{}

func (nowhere) Stream(int, string, string)               {}
func (nowhere) Display(int, interp.Bundle, string, bool) {}
func (nowhere) Clear(int, bool)                          {}
func (nowhere) Input(string, bool) (string, error)       { return "", io.EOF }
