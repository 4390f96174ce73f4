package gonterp

import (
	"errors"
	"testing"
)

// TestLensInAPass: inside a pass of its prompt the lens reads that pass.
func TestLensInAPass(t *testing.T) {
	m := loaded(t)
	const other = "John gave"
	alone, same := m.LogitLens(maryAndJohn), m.LogitLens(other)
	near := func(what string, got, want *Lens) {
		t.Helper()
		if d := got.Stream.Sub(want.Stream).Abs().Max().Item(); d > 1e-4*want.Stream.Abs().Max().Item() {
			t.Errorf("%s: the streams differ by %v", what, d)
		}
	}
	for m := range m.Trace(maryAndJohn) {
		near("in a pass", m.LogitLens(maryAndJohn), alone)
		if _, ok := errors.AsType[*NestedError](caught(t, func() { m.LogitLens(other) })); !ok {
			t.Error("the lens of a prompt that the pass does not run is no NestedError")
		}
	}
	for m := range m.Trace([]string{maryAndJohn, other}) {
		near("the second of two", m.LogitLens(other), same)
		for m := range m.Prompt(0) {
			near("in its prompt's block", m.LogitLens(maryAndJohn), alone)
		}
	}
	for m := range m.Trace(maryAndJohn) {
		m.Layers[0].LayerOutput.Set(0)
		lens := m.LogitLens(maryAndJohn)
		if lens.Stream.Index(0).Abs().Max().Item() != 0 || Equal(lens.Stream.Index(3), alone.Stream.Index(3)) {
			t.Error("the lens does not see what the pass wrote")
		}
		if logits := m.Logits.Value().Index(0).Float(); logits.Sub(lens.Logits(-1).Float()).Abs().Max().Item() > 1e-4*logits.Abs().Max().Item() {
			t.Error("the last layer's lens differs from the pass's logits")
		}
	}
}
