package plotting

import (
	"fmt"
	"slices"
	"strings"
)

// values is a tensor's numbers and where they come from, as drawing needs them.
type values struct {
	shape  []int
	at     []float64
	whole  bool // integers
	model  string
	path   string
	axes   []string   // a name for each axis; nil where unknown
	labels [][]string // token texts for each axis, nil where unknown
}

// name is what the values are: the path, or a word.
func (v *values) name(otherwise string) string {
	if v.path != "" {
		return v.path
	}
	return otherwise
}

// last is the last word of a path: attention_probabilities. A sentence stays whole.
func (v *values) last(otherwise string) string {
	if strings.Contains(v.path, " ") {
		return v.path
	}
	if v.path != "" {
		return v.path[strings.LastIndexByte(v.path, '.')+1:]
	}
	return otherwise
}

// layer is the block a path lies in: layers.1.
func (v *values) layer() string {
	words := strings.Split(v.path, ".")
	if len(words) > 2 && words[0] == "layers" {
		return words[0] + "." + words[1]
	}
	return ""
}

// axis is the name of axis d counted from the end.
func (v *values) axis(fromEnd int) string {
	if d := len(v.shape) - fromEnd; len(v.axes) == len(v.shape) && d >= 0 {
		return v.axes[d]
	}
	return ""
}

func (v *values) labelsOf(d int) []string {
	if d >= 0 && d < len(v.labels) && len(v.labels[d]) == v.shape[d] {
		return v.labels[d]
	}
	return nil
}

// describe is shape and, where known, origin: "layers.2.layer_output [1 9 64]".
func (v *values) describe() string {
	s := fmt.Sprintf("shape %v", v.shape)
	if v.axes != nil {
		s += fmt.Sprintf(" [%s]", strings.Join(v.axes, " "))
	}
	if v.path != "" {
		s += " of " + v.path
	}
	return s
}

// need refuses a shape that fn cannot draw: one of another rank, without elements,
// or one whose known last axes are not the ones to draw.
func (v *values) need(fn, want string, ranks []int, lastAxes []string) {
	if !slices.Contains(ranks, len(v.shape)) {
		try := ""
		if lowest := slices.Max(ranks); len(v.shape) > lowest {
			try = fmt.Sprintf("plotting.%s(t.Index(0))", fn)
		}
		panic(&Error{fn, v.describe(), want, try})
	}
	if slices.Contains(v.shape, 0) {
		panic(&Error{fn, v.describe() + ", which has no elements", want, ""})
	}
	for i, a := range lastAxes {
		if known := v.axis(len(lastAxes) - i); known != "" && a != "" && !slices.Contains(strings.Split(a, "|"), known) {
			panic(&Error{fn, v.describe(), want, ""})
		}
	}
}
