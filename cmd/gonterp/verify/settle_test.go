package verify

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gonterp/gonterp"
	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

// Scores move by their rounding and no more, at the tokens that differ.
func TestScoresMoveByTheirRounding(t *testing.T) {
	torchtest.Need(t)
	r := &run{Mask: [][]int{{0, 1, 1}}}
	ours, theirs := array{[]float64{0, 1, 1, 0, 2, 1}, []int{1, 3, 2}}, array{[]float64{2, 1, 0, 1, 2, 0}, []int{1, 3, 2}}
	tokens, wanted := r.differing("layers.0.mlp.expert_indices", ours, theirs)
	if !slices.Equal(tokens, []int{2}) || fmt.Sprint(wanted) != "[map[0:true 2:true]]" {
		t.Fatalf("tokens %v, wanted %v; padding and the order of slots are no difference", tokens, wanted)
	}
	scores := array{[]float64{9, 9, 9, 9, 9, 9, -4, 2, masked * 2}, []int{1, 3, 3}}
	for compute, by := range map[string]float32{"float32": 4e-5, "bfloat16": 0x1p-4} {
		got := (&folder{compute: compute}).towards(scores, tokens, wanted).Floats()
		if want := []float32{0, 0, 0, 0, 0, 0, by, -by, by}; !slices.Equal(got, want) {
			t.Errorf("%s: moved by %v, want %v", compute, got, want)
		}
	}
}

// Keys that a query cannot see fill up its selection and are no choice.
func TestUnseenKeysAreNoChoice(t *testing.T) {
	r := &run{Mask: [][]int{{0, 1, 1}}}
	ours, theirs := array{[]float64{0, 1, 1, 2, 1, 2}, []int{1, 3, 2}}, array{[]float64{2, 2, 0, 1, 0, 1}, []int{1, 3, 2}}
	if tokens, _ := r.differing("layers.0.self_attn.indexer.output", ours, theirs); !slices.Equal(tokens, []int{2}) {
		t.Errorf("%v differ, want only the last, which left out key 2", tokens)
	}
}

// Among equal scores the selection is torch.topk's; a worse selection stays.
func TestEqualScoresFallAsTopkHasIt(t *testing.T) {
	torchtest.Need(t)
	scores := gonterp.FromFloats([]float32{3, 0, 0, 0, 0, 0, -1, 0}, 1, 1, 8)
	_, topk := scores.Topk(3)
	for _, c := range []struct {
		selection []int64
		stays     bool
	}{{[]int64{0, 1, 2}, false}, {[]int64{0, 5, 7}, false}, {[]int64{0, 1, 6}, true}} {
		got := asTopk(scores, gonterp.FromInts(c.selection, 1, 1, 3)).Ints()
		want := topk.Ints()
		if c.stays {
			want = c.selection
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v becomes %v, want %v", c.selection, got, want)
		}
	}
}

// A token is settled once: if the logits then still prefer another, it is wrong.
func TestTokensAreSettledOnce(t *testing.T) {
	torchtest.Need(t)
	r := &run{Name: "g", Generate: 2}
	f := &folder{compute: "bfloat16", expected: map[string]*gonterp.Tensor{"g/generated_ids": gonterp.FromInts([]int64{0, 1, 2, 2}, 2, 2)}}
	got := map[string]*gonterp.Tensor{
		"generated_ids": gonterp.FromInts([]int64{0, 1, 2, 0}, 2, 2),
		"step_logits":   gonterp.FromFloats([]float32{5, 1, 1, 1, 5, 1, 1, 1, 5, 8, 1, 8}, 2, 2, 3),
	}
	s := newSettlement()
	if !s.next(f, r, got) || !slices.Equal(s.tokens[1], []float32{0, 0, 0, -0x1p-3, 0, 0x1p-3}) || len(s.tokens) != 1 {
		t.Errorf("moved by %v", s.tokens)
	}
	if s.next(f, r, got) {
		t.Error("settled again")
	}
	moved := moveLast(gonterp.Ones(2, 4, 3), s.tokens[1])
	if got := moved.Index(1, -1).Floats(); !slices.Equal(got, []float32{0.875, 1, 1.125}) || moved.Index(0).Sum().Item() != 12 {
		t.Errorf("the last logits become %v", moved)
	}
}
