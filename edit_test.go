package gonterp

import (
	"testing"

	"github.com/gonterp/gonterp/runtime/trace"
)

func TestSkipAndEdit(t *testing.T) {
	m := loaded(t)
	for m := range m.Trace(maryAndJohn) {
		m.Layers[1].MLP.Skip()
		m.Layers[2].Skip()
		mid := m.Layers[1].LayerMid.Value()
		if !Equal(mid, m.Layers[2].LayerOutput.Value()) {
			t.Error("a skipped MLP or block changed the stream")
		}
	}
	before := tracedLogits(m, maryAndJohn)
	m.Edit("half", "layers.-1.layer_output", func(x *Tensor) *Tensor { return x.Mul(0.5) })
	defer m.ClearEdits()
	var halved *Tensor
	for m := range m.Trace(maryAndJohn) {
		halved = m.Layer(-1).LayerOutput.Value()
	}
	if !Equal(tracedLogits(m, maryAndJohn), m.Forward(maryAndJohn)) {
		t.Error("a plain forward forgets the edits")
	}
	m.ClearEdits("half")
	for m := range m.Trace(maryAndJohn) {
		if !Equal(m.Layer(-1).LayerOutput.Value().Mul(0.5), halved) {
			t.Error("the edit did not halve the value")
		}
	}
	if !Equal(before, tracedLogits(m, maryAndJohn)) {
		t.Error("a cleared edit still acts")
	}
}

// TestEditsAreMadeOnce: an edit that draws anew gives one value to the pass and to
// its replays.
func TestEditsAreMadeOnce(t *testing.T) {
	m := loaded(t)
	old := trace.Notice
	trace.Notice = func(string) {}
	defer func() { trace.Notice = old }()
	n := 0.0
	m.Edit("counts", "layers.1.layer_output", func(x *Tensor) *Tensor { n++; return x.Mul(0).Add(n) })
	defer m.ClearEdits()
	for m := range m.Trace(maryAndJohn) {
		after, before := m.Layers[2].LayerInput.Value(), m.Layers[1].LayerOutput.Value()
		if !Equal(after, before) || n != 1 {
			t.Errorf("the edit ran %v times, and the replay differs from the pass", n)
		}
	}
}
