package project_test

import (
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
