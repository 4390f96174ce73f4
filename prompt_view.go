package gonterp

import (
	"fmt"

	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/trace"
)

// Prompt shows prompt i of the open pass alone: inside its block every value is
// that prompt's rows with the padding cut off, and a write touches only them.
func (m *Model) Prompt(i int) Pass {
	was := -1
	return func(yield func(*Model) bool) {
		o := m.current()
		if o == nil {
			panic(&NoPassError{fmt.Sprintf("Prompt(%d)", i)})
		}
		if yield == nil {
			o.row = was
			return
		}
		if n := len(o.inputs.rows); i < 0 || i >= n {
			panic(argumentErrorf("Prompt(%d): this pass has prompts 0 to %d", i, n-1))
		}
		was, o.row = o.row, i
		entered := o.entered
		o.entered = false
		yield(m)
		if !o.entered {
			o.row = was
		}
		o.entered = entered
	}
}

// axes are a value's axes by name. A native value has those that its shape shows.
func (o *openPass) axes(spot trace.Spot, shape []int) []string {
	if l := o.core.plan.Site(spot).Layout; l != nil {
		return l.Axes
	}
	axes := make([]string, len(shape))
	if len(shape) > 1 && shape[0] == len(o.inputs.rows) && shape[1] == o.inputs.width {
		axes[0], axes[1] = point.Tokens.Axes[0], point.Tokens.Axes[1]
	}
	return axes
}

// tokens says where the tokens of a prompt lie on an axis, and their texts; ok is
// false for an axis that does not count tokens.
func (in *inputs) tokens(row int, axis string, size int) (start, n int, texts []string, ok bool) {
	switch {
	case axis == "key" && size == in.keys:
		start, n = in.padding[row], in.keys-in.padding[row]
		if in.keyLabels != nil {
			texts = in.keyLabels[row]
		}
	case (axis == "seq" || axis == "query") && size == in.width:
		n = len(in.rows[row])
		start = in.width - n
		if in.labels != nil {
			texts = in.labels[row]
		}
	default:
		return 0, size, nil, false
	}
	return start, n, texts, true
}

// cut takes the rows of the prompt that is shown, without padding.
func (o *openPass) cut(t *Tensor, spot trace.Spot) *Tensor {
	if o.row < 0 {
		return t
	}
	for d, axis := range o.axes(spot, t.Shape()) {
		if axis == "batch" {
			t = t.Narrow(d, o.row, 1)
		} else if start, n, _, ok := o.inputs.tokens(o.row, axis, t.Size(d)); ok && start > 0 {
			t = t.Narrow(d, start, n)
		}
	}
	return t
}

// widen is the opposite of cut: the whole value with v in the rows shown.
func (o *openPass) widen(v any, spot trace.Spot, p *Point) any {
	if o.row < 0 {
		return v
	}
	whole := o.pass.Read(spot)
	axes := o.axes(spot, whole.Shape())
	idx := make([]any, len(axes))
	batched := false
	for d, axis := range axes {
		idx[d] = torch.All
		if axis == "batch" {
			idx[d], batched = torch.Range(o.row, o.row+1), true
		} else if start, _, _, ok := o.inputs.tokens(o.row, axis, whole.Size(d)); ok {
			idx[d] = torch.Range(start, torch.End)
		}
	}
	if !batched {
		panic(argumentErrorf("%s is shared by all prompts, so it cannot be written for Prompt(%d) alone. Write it outside the Prompt block", p.path, o.row))
	}
	return whole.SetAt(v, idx...)
}

// label says where a value came from, so that it can be printed and drawn.
func (o *openPass) label(t *Tensor, p *Point, spot trace.Spot) *Tensor {
	origin := &torch.Origin{Model: o.core.name, Path: p.path}
	site := o.core.plan.Site(spot)
	if site.Layout == nil {
		return t.WithOrigin(origin)
	}
	origin.Layout, origin.Axes = site.Layout.Name, site.Layout.Axes
	origin.Labels = make([][]string, len(origin.Axes))
	row := o.row
	if row < 0 && len(o.inputs.rows) == 1 {
		row = 0
	}
	if row >= 0 && o.inputs.labels != nil {
		for d, axis := range origin.Axes {
			for _, texts := range [][]string{o.inputs.labels[row], o.inputs.keyLabels[row]} {
				if countsTokens(axis) && t.Size(d) == len(texts) {
					origin.Labels[d] = texts
				}
			}
		}
	}
	return t.WithOrigin(origin)
}
