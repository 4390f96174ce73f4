package project

import (
	"regexp"
	"strings"

	"github.com/gonterp/gonterp/runtime/point"
)

var onLayer = regexp.MustCompile(`^layers\.\d+$`)

// Words are the paths that may be written as the first argument of At, given
// the beginning of one: the next step of the path, by the vocabulary.
func Words(function, text string) []string {
	if function != "At" {
		return nil
	}
	module, prefix := "", ""
	if i := strings.LastIndexByte(text, '.'); i >= 0 {
		module, prefix = text[:i], text[:i+1]
	}
	var place point.Place
	var steps []string
	switch {
	case module == "":
		place, steps = point.OnModel, []string{"layers."}
	case onLayer.MatchString(module):
		place, steps = point.OnLayer, []string{"self_attn.", "mlp."}
	case strings.HasSuffix(module, ".self_attn"):
		place = point.OnSelfAttn
	case strings.HasSuffix(module, ".mlp"):
		place = point.OnMLP
	default:
		return nil
	}
	for _, n := range point.All() {
		if info := n.Info(); info.On == place {
			steps = append(steps, info.Name)
		}
	}
	for i := range steps {
		steps[i] = prefix + steps[i]
	}
	return steps
}
