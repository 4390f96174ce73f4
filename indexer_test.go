package gonterp

import (
	"strings"
	"testing"
)

// TestIndexer: the scores choose the selection, and a tie at the cut is said.
func TestIndexer(t *testing.T) {
	m := loaded(t)
	for m := range m.Trace(maryAndJohn) {
		attn := m.Layers[1].SelfAttn
		scores, selection := attn.IndexScores.Value(), attn.IndexSelection.Value()
		kept := scores.Gather(-1, selection.Long())
		if least := kept.Index(0, -1).Min().Item(); scores.Index(0, -1).Ge(least).Sum().Item() != 8 {
			t.Errorf("the last query's selection %v is not its eight best of %v", selection.Index(0, -1), scores.Index(0, -1))
		}
		if at := m.At("layers.1.self_attn.indexer.output").Value(); !Equal(at, selection) {
			t.Error("the native name is another value")
		}
		pattern := attn.AttentionProbabilities.Value().Index(0, 0)
		for q := range pattern.Size(0) {
			if n := pattern.Index(q).Gt(0).Sum().Item(); int(n) > min(q+1, 8) {
				t.Errorf("query %d attends to %v keys", q, n)
			}
		}
	}
	for m := range m.Trace(maryAndJohn) {
		attn := m.Layers[1].SelfAttn
		attn.IndexScores.SetAt(1, All, -1) // every key alike, so the cut is a tie and the earlier keys win
		tied := attn.IndexTied.Value()
		if tied.Index(0, -1).Item() != 1 || m.At("layers.1.self_attn.index_tied").Value().Shape()[1] != 15 {
			t.Errorf("tied rows: %v", tied)
		}
		if got := attn.IndexSelection.Value().Index(0, -1).Ints(); got[0] != 0 || got[7] != 7 {
			t.Errorf("among equal scores keys %v were chosen", got)
		}
	}
	v3, err := Open("tests/reference/v3")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"index_scores", "index_tied", "index_selection"} {
		if err := caught(t, func() { v3.At("layers.1.self_attn." + name) }); !strings.Contains(err.Error(), "deepseek_v32") {
			t.Errorf("%s of a model without an indexer: %v", name, err)
		}
	}
}
