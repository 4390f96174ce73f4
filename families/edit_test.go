package families

import (
	"strings"
	"testing"

	"github.com/gonterp/gonterp/runtime/torch"
)

// An edit is one of the reference's interventions.
type edit struct {
	At     string   `json:"at"`
	Op     string   `json:"op"`
	By     float64  `json:"by"`
	Value  *float64 `json:"value"`
	Key    string   `json:"key"`
	Run    string   `json:"run"`
	Expert *int64   `json:"expert"`
	Index  []any    `json:"index"`
}

// editor makes the interventions of a run where their values are shown.
func (r *reference) editor(t testing.TB, run *referenceRun, w *watcher) func(string, *torch.Tensor) *torch.Tensor {
	at := map[string][]edit{}
	for _, e := range run.Ops {
		path := e.At
		if block, ok := strings.CutSuffix(path, ".layer_mid"); ok {
			path = block + ".post_attention_layernorm.input"
		}
		at[path] = append(at[path], e)
	}
	return func(path string, x *torch.Tensor) *torch.Tensor {
		for _, e := range at[path] {
			x = r.apply(t, e, x, w)
		}
		return x
	}
}

func (r *reference) apply(t testing.TB, e edit, x *torch.Tensor, w *watcher) *torch.Tensor {
	switch e.Op {
	case "scale":
		return e.where(x, x.Mul(e.By), w)
	case "add":
		return e.where(x, x.Add(e.By), w)
	case "add_vector":
		return e.where(x, x.Add(r.input(t, e.Key, x.DType())), w)
	case "project_out":
		v := r.input(t, e.Key, x.DType())
		along := x.Mul(v).SumKeep(-1).Div(v.Mul(v).Sum())
		return e.where(x, x.Sub(along.Mul(v)), w)
	case "write":
		if e.Value != nil {
			return e.where(x, torch.Full(*e.Value, x.DType(), x.Device(), x.Shape()...), w)
		}
		v := r.input(t, e.Key, x.DType())
		if e.Index == nil {
			return v.Expand(x.Shape()...).Contiguous()
		}
		return x.SetAt(v, e.ranges(x.Shape())...)
	case "set_from":
		return e.where(x, r.want(t, e.Run+"/"+e.At).To(x.DType()), w)
	case "zero_expert":
		return e.where(x, x.Mul(0), w)
	}
	t.Fatalf("unknown operation %q", e.Op)
	return nil
}

func (r *reference) input(t testing.TB, key string, dtype torch.DType) *torch.Tensor {
	t.Helper()
	return must(r.inputs.Tensor(key, dtype))(t)
}

// where takes y in the selected part and x elsewhere.
func (e edit) where(x, y *torch.Tensor, w *watcher) *torch.Tensor {
	if e.Index == nil && e.Expert == nil {
		return y
	}
	shape := x.Shape()
	part := torch.Ones(torch.Bool, x.Device(), shape...)
	if e.Index != nil {
		part = torch.Zeros(torch.Bool, x.Device(), shape...).SetAt(1, e.ranges(shape)...)
	}
	if e.Expert != nil {
		block := e.At[:strings.LastIndex(e.At, ".")]
		holds := w.values[block+".expert_indices"].Eq(*e.Expert)
		for holds.Dim() < len(shape) {
			holds = holds.Unsqueeze(-1)
		}
		part = part.And(holds)
	}
	return torch.Where(part, y, x)
}

func (e edit) ranges(shape []int) []any {
	out := make([]any, len(e.Index))
	for i, ix := range e.Index {
		switch ix := ix.(type) {
		case nil:
			out[i] = torch.All
		case float64:
			at := int(ix)
			if at < 0 {
				at += shape[i]
			}
			out[i] = torch.Range(at, at+1)
		case []any:
			from, to := int(ix[0].(float64)), shape[i]
			if v, ok := ix[1].(float64); ok {
				to = int(v)
			}
			out[i] = torch.Range(from, to)
		}
	}
	return out
}
