package gonterp

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/runtime/trace"
)

func TestMaryGetsTheDrink(t *testing.T) {
	m := loaded(t)
	for m := range m.Trace(maryAndJohn) {
		pattern := m.Layers[1].SelfAttn.AttentionProbabilities.Save()
		probs := m.NextTokenProbs.Value().Index(0)
		if p := probs.Index(m.SingleToken(" Mary")).Item(); p < 0.99 {
			t.Errorf("p( Mary) = %v, want more than 0.99", p)
		}
		if labels := pattern.Origin().Labels; labels[2][2] != " Mary" || labels[3][2] != " Mary" {
			t.Errorf("the pattern's labels are %q", labels)
		}
	}
}

func TestReadingChangesNothing(t *testing.T) {
	m := loaded(t)
	quiet := tracedLogits(m, maryAndJohn)
	for m := range m.Trace(maryAndJohn) {
		for _, path := range m.Points() {
			p := m.At(path)
			v := p.Value()
			if !p.derived() {
				p.Set(v)
			}
		}
		if !Equal(m.Logits.Value(), quiet) {
			t.Error("reading every value and writing it back moved the logits")
		}
	}
}

// TestPanicInBody: the model is unharmed by a body that panics.
func TestPanicInBody(t *testing.T) {
	m := loaded(t)
	before := tracedLogits(m, maryAndJohn)
	boom := errors.New("boom")
	if err := caught(t, func() {
		for m := range m.Trace(maryAndJohn) {
			m.Layers[1].LayerOutput.Set(0)
			panic(boom)
		}
	}); err != boom {
		t.Errorf("the panic came out as %v", err)
	}
	if !Equal(before, tracedLogits(m, maryAndJohn)) {
		t.Error("a pass after the panic differs from one before it")
	}
	// The same in a block, which the session closes.
	m.Trace(maryAndJohn).Enter()
	m.Layers[1].LayerOutput.Set(0)
	CloseOpen()
	if !Equal(before, tracedLogits(m, maryAndJohn)) {
		t.Error("a pass after a dropped block differs from one before it")
	}
}

func TestEnterAndExit(t *testing.T) {
	m := loaded(t)
	p := m.Trace(maryAndJohn)
	for range 2 { // a pass can be run again
		v := p.Enter()
		a := v.Layers[1].LayerOutput.Save()
		b := m.Layers[1].LayerOutput.Save() // the bare model is the open pass
		if !Equal(a, b) {
			t.Error("two reads of one value differ")
		}
		p.Exit(true)
		p.Exit(true)
		if a.Sum().Item() != b.Sum().Item() {
			t.Error("a value changed after its pass")
		}
	}
}

// TestNonFinite: where NaN comes from is said once.
func TestNonFinite(t *testing.T) {
	m := loaded(t)
	var said []string
	old := trace.Notice
	trace.Notice = func(text string) { said = append(said, text) }
	defer func() { trace.Notice = old }()
	for m := range m.Trace(maryAndJohn) {
		m.Layers[1].MLP.RoutedOutput.SetAt(math.NaN(), 0, 3, 5)
		m.Logits.Value()
		m.NextTokenProbs.Value()
	}
	if len(said) != 1 || !strings.Contains(said[0], "layers.1.mlp.routed_output") {
		t.Errorf("said %q", said)
	}
	for m := range m.Trace(maryAndJohn) {
		m.Logits.Value()
	}
	if len(said) != 1 {
		t.Errorf("a finite pass was said to be something: %q", said[1:])
	}
}
