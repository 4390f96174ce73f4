package gonterp

import (
	"errors"
	"strings"
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

// TestEditsThatFail: the error names the edit, and the model is unharmed.
func TestEditsThatFail(t *testing.T) {
	m := loaded(t)
	where, notice, said := trace.Where, trace.Notice, ""
	trace.Where = func() string { return "cell 3, line 2" }
	trace.Notice = func(text string) { said = text }
	defer func() { trace.Where, trace.Notice = where, notice; m.ClearEdits() }()
	const path = "layers.1.self_attn.index_selection"
	for want, change := range map[string]func(*Tensor) *Tensor{
		"shape [5], and the value has shape [1 15 8]": func(*Tensor) *Tensor { return Ones(5) },
		"nil":           func(*Tensor) *Tensor { return nil },
		"whole numbers": func(x *Tensor) *Tensor { return x.Float() },
	} {
		m.Edit("bad", path, change)
		for kind, run := range map[string]func(){"traced": func() { tracedLogits(m, maryAndJohn) }, "plain": func() { m.Forward(maryAndJohn) }} {
			err := caught(t, run)
			if _, ok := errors.AsType[*EditError](err); !ok || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `the edit "bad" of `+path+` (cell 3, line 2)`) {
				t.Errorf("%s: %v, want %q in it", kind, err, want)
			}
		}
	}
	boom := errors.New("boom")
	m.Edit("bad", path, func(*Tensor) *Tensor { panic(boom) })
	if err := caught(t, func() { m.Forward(maryAndJohn) }); err != boom {
		t.Errorf("the panic came out as %v", err)
	}
	if !strings.HasPrefix(said, `the edit "bad" of `+path+` (cell 3, line 2) panicked`) {
		t.Errorf("of a panic it was said: %q", said)
	}
	m.ClearEdits()
	if !Equal(tracedLogits(m, maryAndJohn), tracedLogits(m, maryAndJohn)) {
		t.Error("the model was harmed")
	}
}
