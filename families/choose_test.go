package families

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/gonterp/gonterp/runtime/nn"
	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

func TestChoice(t *testing.T) {
	torchtest.NeedThread(t)
	nan := float32(math.NaN())
	inf := float32(math.Inf(1))
	none := groups{1, 1, best}
	for _, c := range []struct {
		what   string
		scores []float32
		k      int
		groups groups
		want   []int64
	}{
		{"descending", []float32{1, 4, 2, 3}, 3, none, []int64{1, 3, 2}},
		{"ties go to the lower expert", []float32{1, 2, 2, 2}, 2, none, []int64{1, 2}},
		{"all equal", []float32{0, 0, 0, 0}, 4, none, []int64{0, 1, 2, 3}},
		{"no number is chosen last, and once", []float32{nan, 1, nan, 0}, 4, none, []int64{1, 3, 0, 2}},
		{"infinities", []float32{-inf, inf, -inf, 0}, 4, none, []int64{1, 3, 0, 2}},
		{"the group with the best expert", []float32{9, 0, 5, 5}, 2, groups{2, 1, best}, []int64{0, 1}},
		{"the group whose two best are worth most", []float32{9, 0, 5, 5}, 2, groups{2, 1, twoBest}, []int64{2, 3}},
		{"groups that are worth the same", []float32{1, 2, 2, 1}, 2, groups{2, 1, twoBest}, []int64{1, 0}},
		{"two of three groups", []float32{1, 1, 0, 0, 3, 0}, 3, groups{3, 2, twoBest}, []int64{4, 0, 1}},
		{"every group kept", []float32{0, 3, 2, 1}, 2, groups{2, 2, best}, []int64{1, 2}},
	} {
		got := choose(torch.FromFloats(c.scores, 1, 1, len(c.scores)), c.k, c.groups)
		if !slices.Equal(got.Ints(), c.want) || got.Dim() != 3 {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

func TestChoiceOfManyRows(t *testing.T) {
	torchtest.NeedThread(t)
	scores := torch.Randn(1, 3, 5, 16)
	got := choose(scores, 4, groups{1, 1, best})
	_, want := scores.Topk(4)
	if !slices.Equal(got.Ints(), want.Ints()) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Equal scores of the indexer go to the earlier key: with queries of zero all
// visible keys are worth the same.
func TestIndexerTiesGoToTheEarlierKey(t *testing.T) {
	r := openReference(t, "v32")
	w := watch()
	w.edit = func(path string, x *torch.Tensor) *torch.Tensor {
		if path == "layers.0.self_attn.indexer.wq_b.output" {
			return x.Mul(0)
		}
		return x
	}
	in := r.run(t, "plain").input()
	forward(r.net, in, w)
	chosen := w.values["layers.0.self_attn.index_selection"]
	k := chosen.Size(2)
	for q, row := range slices.Collect(slices.Chunk(chosen.Ints(), k)) {
		for i, key := range row {
			if key != int64(i) {
				t.Fatalf("query %d chooses %v, want the first %d keys", q, row, k)
			}
		}
	}
}

// Prompts around index_topk tokens, as transformers computes them.
func TestPromptsAroundIndexTopk(t *testing.T) {
	data := must(os.ReadFile("testdata/index_topk.json"))(t)
	var list struct {
		Case    string `json:"case"`
		Prompts []struct {
			IDs    []int64     `json:"input_ids"`
			Logits [][]float64 `json:"logits"` // of the last two positions
		} `json:"prompts"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	r := openReference(t, list.Case)
	for _, p := range list.Prompts {
		n := len(p.IDs)
		in := nn.Input{IDs: torch.FromInts(p.IDs, 1, n)}
		for what, w := range map[string]*watcher{"plain": nil, "watched": {}} {
			got := forward(r.net, in, w).Narrow(1, n-2, 2)
			r.close(t, &referenceRun{Name: what}, "logits", got.Double().Contiguous().Float64s(), slices.Concat(p.Logits...))
		}
	}
}

// A forward leaves nothing behind, looked at or not.
func TestForwardsLeaveNothingBehind(t *testing.T) {
	for _, name := range []string{"v2-lite", "v32"} {
		r := openReference(t, name)
		in := r.run(t, "plain").input()
		for what, w := range map[string]*watcher{"plain": nil, "watched": {}} {
			forward(r.net, in, w)
			torch.Collect()
			before, _ := torch.LiveTensors()
			for range 50 {
				forward(r.net, in, w)
			}
			torch.Collect()
			if after, _ := torch.LiveTensors(); after > before+2 {
				t.Errorf("%s, %s: %d tensors live after 50 forwards, %d before", name, what, after, before)
			}
		}
	}
}
