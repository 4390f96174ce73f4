package gonterp

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/runtime/trace"
)

func TestPromptsTogetherAndAlone(t *testing.T) {
	m := loaded(t)
	prompts := []string{maryAndJohn, "John gave"}
	alone := make([]map[string]*Tensor, len(prompts))
	for i, p := range prompts {
		alone[i] = map[string]*Tensor{}
		for m := range m.Trace(p) {
			for _, path := range m.Points() {
				alone[i][path] = m.At(path).Value()
			}
		}
	}
	old := trace.Notice
	trace.Notice = func(string) {}
	defer func() { trace.Notice = old }()
	for i := range prompts {
		for m := range m.Trace(prompts) {
			for m := range m.Prompt(i) {
				for _, path := range m.Points() {
					if strings.Contains(path, "index") {
						continue // a selection counts keys from the row's start and lists hidden ones in any order
					}
					together, want := m.At(path).Value(), alone[i][path]
					if !slices.Equal(together.Shape(), want.Shape()) {
						t.Fatalf("%s of prompt %d has shape %v together and %v alone", path, i, together.Shape(), want.Shape())
					}
					a, b := together.Float().Floats(), want.Float().Floats()
					for j := range a {
						if hidden := b[j] < -1e30 && a[j] < -1e30; !hidden && math.Abs(float64(a[j]-b[j])) > 1e-4*math.Max(1, math.Abs(float64(b[j]))) {
							t.Fatalf("%s of prompt %d, element %d: %v together, %v alone", path, i, j, a[j], b[j])
						}
					}
				}
			}
		}
	}
}

func TestWritingOnePromptLeavesTheOther(t *testing.T) {
	m := loaded(t)
	prompts := []string{maryAndJohn, "John gave"}
	var before, after *Tensor
	for m := range m.Trace(prompts) {
		for m := range m.Prompt(0) {
			before = m.Logits.Value()
		}
	}
	for m := range m.Trace(prompts) {
		for m := range m.Prompt(1) {
			m.Layers[1].LayerOutput.SetAt(0, All, -1)
			m.Layers[2].MLP.RouterLogits.Set(m.Layers[2].MLP.RouterLogits.Value().Mul(-1))
		}
		for m := range m.Prompt(0) {
			after = m.Logits.Value()
		}
	}
	if d := before.Sub(after).Abs().Max().Item(); d > 1e-6*before.Abs().Max().Item() {
		t.Errorf("a write for prompt 1 moved prompt 0's logits by %v", d)
	}
}

// TestPromptsAreApart: what is done to one prompt among several is done to it alone,
// through whatever name it is reached.
func TestPromptsAreApart(t *testing.T) {
	m := loaded(t)
	prompts := []string{maryAndJohn, "John gave"}
	alone := m.Forward(prompts[1])
	skipped := map[string]func(*Model){
		"a block":      func(m *Model) { m.Layers[1].Skip() },
		"an attention": func(m *Model) { m.Layers[1].SelfAttn.Skip() },
		"an MLP":       func(m *Model) { m.Layers[1].MLP.Skip() },
		"a stand-in":   func(m *Model) { m.Layers[1].Skip(Zeros(1, 15, 128)) },
	}
	for what, skip := range skipped {
		var want, got, other *Tensor
		for m := range m.Trace(prompts[0]) {
			skip(m)
			want = m.Logits.Value()
		}
		for m := range m.Trace(prompts) {
			for m := range m.Prompt(0) {
				skip(m)
				got = m.Logits.Value()
			}
			for m := range m.Prompt(1) {
				other = m.Logits.Value()
			}
		}
		if d := got.Sub(want).Abs().Max().Item(); d > 1e-4*want.Abs().Max().Item() {
			t.Errorf("%s skipped in one prompt: its logits differ from a run alone by %v", what, d)
		}
		if d := other.Sub(alone).Abs().Max().Item(); d > 1e-5*alone.Abs().Max().Item() {
			t.Errorf("%s skipped in one prompt moved the other's logits by %v", what, d)
		}
	}
	for m := range m.Trace(prompts) {
		for a := range m.Prompt(0) {
			for b := range m.Prompt(-1) {
				if n := a.Layers[0].LayerOutput.Value().Size(1); n != 15 {
					t.Errorf("inside another prompt's block the first one has %d positions", n)
				}
				if n := b.At("layers.0.layer_output").Value().Size(1); n != len(m.Tokens(prompts[1])) {
					t.Errorf("the last prompt has %d positions", n)
				}
			}
		}
		func() {
			defer func() { recover() }()
			for range m.Prompt(1) {
				panic("x")
			}
		}()
		if got := m.Layers[1].LayerOutput.Value().Shape(); !slices.Equal(got, []int{2, 15, 128}) {
			t.Errorf("after a recovered panic in a prompt's block values have shape %v", got)
		}
	}
}
