package plotting

import (
	"github.com/gonterp/gonterp/runtime/torch"
)

// Pattern draws attention patterns [batch heads query key], [heads query key] or
// [query key], or the scores before the softmax: a panel for each head, one colour
// scale, tokens along both axes. Cells above the causal diagonal have no value and
// are grey. Options: Heads, Prompts, Labels, Title, Range, Palette, Size.
func Pattern(t *torch.Tensor, opts ...Option) *Figure { return pattern(read("Pattern", t), opts) }

// Router draws what a router gives each expert, token by token: router_logits
// [batch seq experts], on which Chosen outlines the chosen experts, or expert_weights
// [batch seq top_k] with Chosen, or expert_indices alone. Options: Chosen, NumExperts,
// Prompts, Labels, Title, Range, Palette, Size.
func Router(t *torch.Tensor, opts ...Option) *Figure { return router(read("Router", t), opts) }

// Chosen says which experts were chosen: expert_indices [batch seq top_k].
func Chosen(indices *torch.Tensor) Option {
	return Option{"Chosen", func(s *settings) { s.chosen = read("Router", indices) }}
}

// Lens draws a value for each layer and position [layers seq], the last layer on
// top, with a word in each cell where words are given: words[layer][position].
// Options: Labels (the prompt's tokens), Rows (names of the layers), Title, Range,
// Palette, Size.
func Lens(values *torch.Tensor, words [][]string, opts ...Option) *Figure {
	return lens(read("Lens", values), words, opts)
}

// Matrix draws any tensor of two axes, row 0 on top: patching results by layer and
// position, a head-by-layer score. Options: Rows, Labels (of the columns), Axes,
// Title, Range, Palette, Size.
func Matrix(t *torch.Tensor, opts ...Option) *Figure { return matrix(read("Matrix", t), opts) }

// Lines draws each row of [lines n], or [n] alone, as a line. Options: Rows (names in
// the legend), Labels (along the line), Axes, Title, Range, Size.
func Lines(t *torch.Tensor, opts ...Option) *Figure { return lineFigure(read("Lines", t), opts) }

// Bars draws a bar for each number of [n]. Options: Labels, Axes, Title, Range, Size.
func Bars(t *torch.Tensor, opts ...Option) *Figure { return barFigure(read("Bars", t), opts) }

// read copies a tensor's numbers and origin.
func read(fn string, t *torch.Tensor) *values {
	if t == nil {
		panic(&Error{fn, "a nil tensor", "a tensor", ""})
	}
	v := &values{shape: t.Shape(), whole: t.DType().IsInt()}
	switch {
	case t.Device().IsMeta():
		panic(&Error{fn, "a tensor on the meta device, which has no numbers", "a tensor with numbers", "the trace without Scan"})
	case v.whole:
		for _, i := range t.Ints() {
			v.at = append(v.at, float64(i))
		}
	case t.DType() == torch.Bool:
		for _, b := range t.Bools() {
			x := 0.0
			if b {
				x = 1
			}
			v.at = append(v.at, x)
		}
	case t.DType().IsFloat():
		v.at = t.Float64s()
	default:
		panic(&Error{fn, "a tensor of " + t.DType().String(), "real numbers", ""})
	}
	if o := t.Origin(); o != nil {
		v.model, v.path, v.axes, v.labels = o.Model, o.Path, o.Axes, o.Labels
		if len(v.axes) != len(v.shape) {
			v.axes = nil
		}
	}
	return v
}
