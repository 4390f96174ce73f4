package verify

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/gonterp/gonterp"
)

// Near ties. An expert or a key is chosen because its score is greater than
// another's. Where rounding decides which is greater, transformers and gonterp
// may choose differently and both be right, and every value that follows differs.
//
// Such a choice is settled: the run is made again with scores moved by no more
// than their rounding towards what transformers chose. If that makes the model
// choose the same, the values that follow are compared as any others; if it does
// not, the choice is wrong and the run fails. Scores are compared as they were
// before they were moved.

// nudges are how far scores may be moved, as a part of the greatest of their row
// (at least 1): what a few roundings of the compute dtype make of them.
var nudges = map[string]float64{"float32": 1e-5, "float16": 0x1p-9, "bfloat16": 0x1p-6}

// choices are the values that choose, with the scores they choose by.
var choices = []struct{ chosen, scores string }{
	{"self_attn.indexer.output", "self_attn.index_scores"},
	{"mlp.expert_indices", "mlp.router_logits"},
}

// scoresOf is the path of the scores that a choice is made by, "" where path is
// no choice.
func scoresOf(path string) string {
	for _, c := range choices {
		if module, ok := strings.CutSuffix(path, c.chosen); ok {
			return module + c.scores
		}
	}
	return ""
}

// A settlement is what the choices of a run were settled by.
type settlement struct {
	moves   map[string]*gonterp.Tensor // added to the scores at a path
	tokens  map[int][]float32          // added to the last logits [batch vocab_size] of a step of a generation
	settled map[string]int             // tokens, by the path of the choice

	libtorch bool // the products are libtorch's
}

func newSettlement() *settlement {
	return &settlement{moves: map[string]*gonterp.Tensor{}, tokens: map[int][]float32{}, settled: map[string]int{}}
}

// move is what the scores at path become.
func (s *settlement) move(path string, scores *gonterp.Tensor) *gonterp.Tensor {
	if by := s.moves[path]; by != nil {
		return scores.Add(by)
	}
	return scores
}

func (s *settlement) String() string {
	var parts []string
	for path, n := range s.settled {
		parts = append(parts, fmt.Sprintf("%d at %s", n, path))
	}
	sort.Strings(parts)
	note := ""
	if len(parts) > 0 {
		note = " (near ties settled as transformers chose: " + strings.Join(parts, ", ") + ")"
	}
	if s.libtorch {
		note += " (with products in libtorch's order of summation)"
	}
	return note
}

// next settles the earliest choice that differs from the expected one, and says
// whether the run is to be made again. A choice is settled once.
func (s *settlement) next(f *folder, r *run, got map[string]*gonterp.Tensor) bool {
	if r.Generate > 0 { // its forwards record no other choice
		return s.nextTokens(f, r, got)
	}
	for _, path := range f.visits(r) {
		scores := scoresOf(path)
		want := f.expected[r.Name+"/"+path]
		if scores == "" || want == nil || hasOp(r.Ops, path) || !equalShape(want.Shape(), got[path].Shape()) {
			continue
		}
		differs, wanted := r.differing(path, newArray(got[path]), newArray(want))
		if len(differs) == 0 {
			continue
		}
		if s.settled[path] > 0 {
			return false
		}
		s.settled[path] = len(differs)
		s.moves[scores] = f.towards(newArray(got[scores]), differs, wanted)
		return true
	}
	return false
}

// nextTokens settles the first token of every row that differs.
func (s *settlement) nextTokens(f *folder, r *run, got map[string]*gonterp.Tensor) bool {
	const path = "generated_ids"
	want := f.expected[r.Name+"/"+path]
	if want == nil || !equalShape(want.Shape(), got[path].Shape()) {
		return false
	}
	ours, theirs, logits := newArray(got[path]), newArray(want), newArray(got["step_logits"])
	n, vocab := logits.shape[1], logits.shape[2]
	found := false
	for b := range logits.shape[0] {
		for step := range n {
			at := b*n + step
			if ours.v[at] == theirs.v[at] {
				continue
			}
			if s.tokens[step] == nil {
				s.tokens[step] = make([]float32, logits.shape[0]*vocab)
			}
			by := s.tokens[step][b*vocab : (b+1)*vocab]
			if by[int(theirs.v[at])] != 0 {
				return false // settled before, and in vain
			}
			move := float32(f.rounding(logits.v[at*vocab : (at+1)*vocab]))
			by[int(ours.v[at])], by[int(theirs.v[at])] = -move, move
			s.settled[path]++
			found = true
			break
		}
	}
	return found
}

// moveLast is logits with those at the last position moved.
func moveLast(logits *gonterp.Tensor, by []float32) *gonterp.Tensor {
	last := logits.Index(gonterp.All, -1)
	return logits.SetAt(last.Add(gonterp.FromFloats(by, last.Shape()...).To(last.DType())), gonterp.All, -1)
}

// rounding is how far scores of a row may be moved.
func (f *folder) rounding(row []float64) float64 {
	greatest := 1.0
	for _, v := range row {
		if v > masked {
			greatest = max(greatest, math.Abs(v))
		}
	}
	return nudges[f.compute] * greatest
}

func hasOp(ops []op, path string) bool {
	for _, o := range ops {
		if o.At == path {
			return true
		}
	}
	return false
}

// differing are the tokens, counted over batch and sequence, that chose otherwise
// than expected, and what they should have chosen. Keys that a query can't see
// fill up a short selection and are no choice.
func (r *run) differing(path string, ours, theirs array) (tokens []int, wanted []map[int]bool) {
	k, seq := ours.shape[2], ours.shape[1]
	keys := strings.HasSuffix(path, "indexer.output")
	for t := range ours.shape[0] * seq {
		mask, q := r.Mask[t/seq], t%seq
		if mask[q] == 0 {
			continue
		}
		sets := [2]map[int]bool{{}, {}}
		for i, a := range []array{ours, theirs} {
			for _, v := range a.v[t*k : (t+1)*k] {
				if c := int(v); !keys || c <= q && mask[c] != 0 {
					sets[i][c] = true
				}
			}
		}
		if fmt.Sprint(sets[0]) != fmt.Sprint(sets[1]) {
			tokens, wanted = append(tokens, t), append(wanted, sets[1])
		}
	}
	return tokens, wanted
}

// towards raises the scores of what was wanted and lowers the others', at the
// tokens that differ.
func (f *folder) towards(scores array, tokens []int, wanted []map[int]bool) *gonterp.Tensor {
	n := scores.shape[2]
	by := make([]float32, len(scores.v))
	for i, t := range tokens {
		move := float32(f.rounding(scores.v[t*n : (t+1)*n]))
		for c := range n {
			by[t*n+c] = -move
			if wanted[i][c] {
				by[t*n+c] = move
			}
		}
	}
	return gonterp.FromFloats(by, scores.shape...)
}

// asTopk is a selection of the indexer as torch.topk makes it of the same scores.
// Which of equal scores, such as the zeros that a ReLU leaves, topk takes is a matter
// of its way of sorting; gonterp takes the earlier key. A selection that differs in
// more than that stays as it is.
func asTopk(scores, selection *gonterp.Tensor) *gonterp.Tensor {
	best, order := scores.Topk(selection.Size(2))
	if best.Sub(scores.Gather(2, selection.Long())).Abs().Max().Item() != 0 {
		return selection
	}
	return order.To(selection.DType())
}
