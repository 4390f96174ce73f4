package spelling

import (
	"fmt"
	"slices"
	"testing"
)

func TestSlips(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"kitten", "sitting", 3}, // of the textbooks
		{"saturday", "sunday", 3},
		{"ca", "ac", 1},
		{"ca", "abc", 3}, // 2 where a swapped pair may be edited again
		{"model", "modle", 1},
		{"aab", "aba", 1},
		{"größe", "grösse", 2},
		{"Logits", "logits", 0},
	} {
		if got := slips([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("%q to %q: %d slips, want %d", c.a, c.b, got, c.want)
		}
		if got := slips([]rune(c.b), []rune(c.a)); got != c.want {
			t.Errorf("%q to %q: %d slips, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		name  string
		names []string
		want  string
	}{
		{"modle", []string{"module", "model"}, "module"}, // each one slip away: the earlier
		{"layer_outptu", []string{"mlp_output", "layer_output", "layer_input"}, "layer_output"},
		{"mlp_out", []string{"mlp_norm", "mlp_output"}, "mlp_output"}, // a third of the longer name
		{"attn_output", []string{"attention_output", "logits"}, "attention_output"},
		{"println", []string{"Print", "Println"}, "Println"},
		{"model", []string{"model", "modes"}, "modes"}, // the name itself is no suggestion
		{"x", []string{"y", "xs"}, ""},                 // too short to tell
		{"banana", []string{"logits", "queries"}, ""},
		{"", []string{"ab", "abc"}, ""},
		{"word", nil, ""},
	} {
		if got := Nearest(c.name, slices.Values(c.names)); got != c.want {
			t.Errorf("%q among %q: %q, want %q", c.name, c.names, got, c.want)
		}
	}
}

func TestNearestFew(t *testing.T) {
	names := []string{"model.layers.0.mlp.gate_proj.weight", "model.layers.1.mlp.gate.bias", "model.layers.1.mlp.gate.weight", "model.layers.2.mlp.gate.weight", "lm_head.weight"}
	for most, want := range []string{"[]", "[model.layers.1.mlp.gate.weight]", "[model.layers.1.mlp.gate.weight model.layers.2.mlp.gate.weight]"} {
		if got := fmt.Sprint(NearestFew(most, "model.layers.1.mlp.gat.weight", slices.Values(names))); got != want {
			t.Errorf("%d names: %s, want %s", most, got, want)
		}
	}
}
