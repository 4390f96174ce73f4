package families

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/runtime/torch"
)

// compare checks every wanted value of a run by the reference's tolerances.
func (r *reference) compare(t *testing.T, run *referenceRun, w *watcher) {
	t.Helper()
	for _, path := range run.Want {
		if r.absent(path) {
			continue
		}
		got := w.values[path]
		if strings.HasSuffix(path, ".layer_mid") && len(run.Ops) > 0 && run.Name == "layer_mid" {
			got = w.values[strings.TrimSuffix(path, "layer_mid")+"post_attention_layernorm.input"]
		}
		if block, ok := strings.CutSuffix(path, "indexer.output"); ok {
			got = w.values[block+"index_selection"]
		}
		if got == nil {
			t.Errorf("%s: the forward does not show %s", run.Name, path)
			continue
		}
		want := r.want(t, run.Name+"/"+path)
		if !slices.Equal(got.Shape(), want.Shape()) {
			t.Errorf("%s/%s: shape %v, want %v", run.Name, path, got.Shape(), want.Shape())
			continue
		}
		name := path[strings.LastIndex(path, ".")+1:]
		block, slotted := slotPath(path)
		switch {
		case name == "output" && strings.HasSuffix(path, "indexer.output"):
			continue // a set; the pattern shows it
		case slotted:
			gi, wi := w.values[block+"expert_indices"], r.indices(t, run, block)
			if wi == nil {
				continue
			}
			r.compareSlots(t, run, path, got, want, gi, wi)
		case got.DType().IsFloat():
			r.close(t, run, path, numbers(run, name, got), numbers(run, name, want))
			if name == "attention_probabilities" {
				support(t, run, path, numbers(run, name, got), numbers(run, name, want))
			}
		default:
			if !slices.Equal(got.Ints(), want.Ints()) {
				t.Errorf("%s/%s: %v, want %v", run.Name, path, got, want)
			}
		}
	}
}

// slotPath splits the path of a value that has a slot axis.
func slotPath(path string) (block string, ok bool) {
	at := strings.LastIndex(path, ".") + 1
	switch path[at:] {
	case "expert_indices", "expert_weights", "expert_outputs":
		return path[:at], true
	}
	return "", false
}

// indices are the expected experts of a block; an intervention that leaves the
// routing alone does not record them.
func (r *reference) indices(t *testing.T, run *referenceRun, block string) *torch.Tensor {
	key := run.Name + "/" + block + "expert_indices"
	if _, ok := r.expected.Entry(key); !ok {
		return nil
	}
	return r.want(t, key)
}

func (r *reference) compareSlots(t *testing.T, run *referenceRun, path string, got, want, gi, wi *torch.Tensor) {
	t.Helper()
	k := gi.Size(2)
	width := got.Numel() / gi.Numel()
	g, x := sortSlots(got, gi, k, width), sortSlots(want, wi, k, width)
	if strings.HasSuffix(path, "expert_indices") {
		if !slices.Equal(real(run, g, k*width), real(run, x, k*width)) {
			t.Errorf("%s/%s: other experts", run.Name, path)
		}
		return
	}
	r.close(t, run, path, real(run, g, k*width), real(run, x, k*width))
}

func sortSlots(x, indices *torch.Tensor, k, width int) []float64 {
	values, experts := x.Double().Float64s(), indices.Ints()
	out := make([]float64, 0, len(values))
	for row := 0; row < len(experts); row += k {
		order := make([]int, k)
		for i := range order {
			order[i] = row + i
		}
		slices.SortFunc(order, func(a, b int) int { return int(experts[a] - experts[b]) })
		for _, s := range order {
			out = append(out, values[s*width:(s+1)*width]...)
		}
	}
	return out
}

// real leaves out the rows of padding: values are [batch seq ·] with width numbers a token.
func real(run *referenceRun, values []float64, width int) []float64 {
	var out []float64
	for b, row := range run.Mask {
		for s, m := range row {
			if m != 0 {
				at := (b*len(row) + s) * width
				out = append(out, values[at:at+width]...)
			}
		}
	}
	return out
}

// numbers are the values to compare: real positions only, masked scores as one value.
func numbers(run *referenceRun, name string, x *torch.Tensor) []float64 {
	switch name {
	case "attention_scores", "attention_probabilities", "attention_queries":
		x = x.Transpose(1, 2)
	case "attention_keys", "attention_values":
		x = x.Transpose(1, 2)
	case "next_token_probs": // of the last position, which in a row padded on the right is no token
		var out []float64
		for b, row := range run.Mask {
			if row[len(row)-1] != 0 {
				out = append(out, x.Select(0, b).Double().Float64s()...)
			}
		}
		return out
	}
	values := x.Double().Contiguous().Float64s()
	if name == "attention_scores" {
		for i, v := range values {
			if v < -1e30 {
				values[i] = math.Inf(-1)
			}
		}
	}
	return real(run, values, len(values)/(x.Size(0)*x.Size(1)))
}

// close applies the reference's tolerances: 1e-4 of the greatest value in float32,
// a relative L2 difference of 0.1 in bfloat16.
func (r *reference) close(t *testing.T, run *referenceRun, path string, got, want []float64) {
	t.Helper()
	if r.net.DType() == torch.BFloat16 {
		if d := relative(got, want); d > 0.1 || math.IsNaN(d) {
			t.Errorf("%s/%s: relative difference %.3g", run.Name, path, d)
		}
		return
	}
	if d := distance(got, want); d > 1e-4 || math.IsNaN(d) {
		t.Errorf("%s/%s: difference %.3g of the greatest value", run.Name, path, d)
	}
}

// distance is the greatest difference on the scale of the greatest value wanted.
func distance(got, want []float64) float64 {
	scale, d := 1.0, 0.0
	for i := range want {
		if math.IsInf(want[i], -1) && math.IsInf(got[i], -1) {
			continue
		}
		scale = max(scale, math.Abs(want[i]))
		d = max(d, math.Abs(got[i]-want[i]))
	}
	return d / scale
}

func relative(got, want []float64) float64 {
	var d, n float64
	for i := range want {
		if math.IsInf(want[i], -1) && math.IsInf(got[i], -1) {
			continue
		}
		d += (got[i] - want[i]) * (got[i] - want[i])
		n += want[i] * want[i]
	}
	if n == 0 {
		return d
	}
	return math.Sqrt(d / n)
}

func support(t *testing.T, run *referenceRun, path string, got, want []float64) {
	t.Helper()
	for i := range want {
		if (got[i] == 0) != (want[i] == 0) {
			t.Errorf("%s/%s: other keys count", run.Name, path)
			return
		}
	}
}
