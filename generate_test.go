package gonterp

import (
	"slices"
	"testing"
)

func TestGenerate(t *testing.T) {
	m := loaded(t)
	plain := m.Generate(maryAndJohn, 3).IDs()
	if len(plain) != 3 || m.Decode(plain[0]) != " Mary" {
		t.Errorf("generated %q", m.Decode(plain...))
	}
	// Every step equals a whole forward over everything so far.
	g := m.Generate(maryAndJohn, 3)
	ids := m.Tokens(maryAndJohn)
	for step := range g.Steps() {
		got := m.Logits.Value().Index(0, -1)
		want := m.Forward(ids).Index(0, -1)
		if d := got.Sub(want).Abs().Max().Item(); d > 1e-4*want.Abs().Max().Item() {
			t.Errorf("step %d differs from a whole forward by %v", step, d)
		}
		ids = append(ids, plain[step])
		if keys := m.Layers[0].SelfAttn.AttentionKeys; step > 0 && keys.Value().Size(2) != len(ids)-1 {
			t.Errorf("step %d: keys have shape %v, %d tokens are cached", step, keys.Value().Shape(), len(ids)-1)
		}
	}
	// A stop token ends it early, and code after the loop runs.
	after := false
	g = m.Generate(maryAndJohn, 10, StopTokens(plain[1]))
	for range g.Steps() {
	}
	after = true
	if !after || len(g.IDs()) != 2 {
		t.Errorf("stopped after %d tokens, want 2", len(g.IDs()))
	}
	a := m.Generate(maryAndJohn, 5, Temperature(1), Seed(7)).IDs()
	b := m.Generate(maryAndJohn, 5, Temperature(1), Seed(7), TopP(1)).IDs()
	if !slices.Equal(a, b) {
		t.Errorf("the same seed gave %v and %v", a, b)
	}
	if c := m.Generate(maryAndJohn, 5, Temperature(1), TopK(1)).IDs(); !slices.Equal(c[:3], plain) {
		t.Errorf("sampling the likeliest token gave %v, greedy %v", c, plain)
	}
}
