package torch

import (
	"reflect"
	"testing"
)

func TestOrigin(t *testing.T) {
	need(t)
	queries, keys := []string{"The", " cat", " sat"}, []string{"a", "b", "c"}
	from := &Origin{Model: "mini", Path: "layers.0.self_attn.attention_probabilities", Layout: "Pattern",
		Axes: []string{"batch", "num_heads", "query", "key"}, Labels: [][]string{nil, nil, queries, keys}}
	plainTensor := Randn(1, 1, 2, 3, 3)
	x := plainTensor.WithOrigin(from)
	if x.Origin() != from || plainTensor.Origin() != nil || x.Data() != plainTensor.Data() {
		t.Fatal("WithOrigin")
	}
	axes := func(names ...string) []string { return names }
	labels := func(l ...[]string) [][]string { return l }
	for _, c := range []struct {
		name   string
		got    *Tensor
		axes   []string
		labels [][]string
	}{
		{"Index", x.Index(0, 1), axes("query", "key"), labels(queries, keys)},
		{"Index of one query", x.Index(0, All, -1), axes("num_heads", "key"), labels(nil, keys)},
		{"Index of a range", x.Index(0, 0, Range(1, End)), axes("query", "key"), labels(queries[1:], keys)},
		{"Index by a tensor", x.Index(0, 0, ints(2, 0)), axes("query", "key"), labels([]string{" sat", "The"}, keys)},
		{"Index by a mask", x.Index(0, 0, All, FromBools([]bool{true, false, true})), axes("query", "key"), labels(queries, []string{"a", "c"})},
		{"Index with a new axis", x.Index(0, 0, None), axes("", "query", "key"), labels(nil, queries, keys)},
		{"IndexSelect", x.IndexSelect(3, ints(1)), from.Axes, labels(nil, nil, queries, []string{"b"})},
		{"Select", x.Select(1, 0), axes("batch", "query", "key"), labels(nil, queries, keys)},
		{"Narrow", x.Narrow(-1, 1, 1), from.Axes, labels(nil, nil, queries, []string{"b"})},
		{"Mean", x.Mean(0, 1), axes("query", "key"), labels(queries, keys)},
		{"Sum of all", x.Sum(), nil, nil},
		{"MeanKeep", x.MeanKeep(1), from.Axes, from.Labels},
		{"SumKeep", x.SumKeep(-1), from.Axes, labels(nil, nil, queries, nil)},
		{"AMax", x.AMax(2), axes("batch", "num_heads", "key"), labels(nil, nil, keys)},
		{"Argmax", x.Argmax(-1), axes("batch", "num_heads", "query"), labels(nil, nil, queries)},
		{"Mul", x.Mul(2), from.Axes, from.Labels},
		{"Sub", x.Sub(x.Mul(0.5)), from.Axes, from.Labels},
		{"with a nameless one", plainTensor.Add(x), from.Axes, from.Labels},
		{"Exp", x.Exp(), from.Axes, from.Labels},
		{"Softmax", x.Softmax(-1), from.Axes, from.Labels},
		{"To", x.To(BFloat16), from.Axes, from.Labels},
		{"T", x.Index(0, 0).T(), axes("key", "query"), labels(keys, queries)},
		{"Permute", x.Permute(3, 1, 0, 2), axes("key", "num_heads", "batch", "query"), labels(keys, nil, nil, queries)},
		{"Squeeze", x.Squeeze(0), axes("num_heads", "query", "key"), labels(nil, queries, keys)},
		{"Flip", x.Index(0, 0).Flip(1), axes("query", "key"), labels(queries, []string{"c", "b", "a"})},
		{"SetAt", x.SetAt(0, 0, 0), from.Axes, from.Labels},
		{"Own", x.Own(), from.Axes, from.Labels},
		{"Clone", x.Clone(), from.Axes, from.Labels},
	} {
		o := c.got.Origin()
		if o == nil {
			t.Errorf("%s dropped the origin", c.name)
			continue
		}
		if len(o.Axes)+len(c.axes) > 0 && !reflect.DeepEqual(o.Axes, c.axes) {
			t.Errorf("%s: axes %q, want %q", c.name, o.Axes, c.axes)
		}
		if len(o.Labels)+len(c.labels) > 0 && !reflect.DeepEqual(o.Labels, c.labels) {
			t.Errorf("%s: labels %q, want %q", c.name, o.Labels, c.labels)
		}
		if o.Path != from.Path || o.Model != from.Model {
			t.Errorf("%s: %+v", c.name, o)
		}
	}
	for name, y := range map[string]*Tensor{
		"Matmul": x.Matmul(x), "Reshape": x.Reshape(-1), "Cat": Cat(0, x, x), "broadcasting": x.Index(0).Sum(0).Unsqueeze(0).Detach().Mul(Randn(1, 5, 3, 3)),
		"two index tensors": x.Index(ints(0), ints(0)),
	} {
		if y.Origin() != nil {
			t.Errorf("%s kept the origin", name)
		}
	}
	if !reflect.DeepEqual(from.Labels, labels(nil, nil, queries, keys)) {
		t.Error("an op changed the origin of its argument")
	}
}
