package gonterp

import (
	"fmt"
	"strings"
	"testing"
)

// A block shows where it is and what it has, not an address.
func TestModulesShowThemselves(t *testing.T) {
	m := loaded(t)
	for _, c := range []struct {
		module any
		want   string
		absent string
	}{
		{m.Layer(-1), fmt.Sprintf("layers.%d: LayerInput, ", m.NumLayers-1), "RouterLogits"},
		{m.Layer(-1).SelfAttn, "AttentionProbabilities", "LayerInput"},
		{m.Layer(-1).MLP, "RouterLogits, ", "MLPNeurons"},
		{m.Layer(0).MLP, "MLPNeurons", "RouterLogits"},
		{m.Layer(0).MLP.SharedExperts, "layers.0.mlp.shared_experts: not in this model", ","},
		{m.Layers, "layers.0: ", "0x"},
		{&Layer{}, "Layer of no model", ":"},
	} {
		got := fmt.Sprintf("%+v", c.module)
		if !strings.Contains(got, c.want) || strings.Contains(got, c.absent) {
			t.Errorf("%q; want %q in it and not %q", got, c.want, c.absent)
		}
	}
}
