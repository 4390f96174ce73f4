package gonterp

import (
	"fmt"

	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/trace"
)

// Prompt shows prompt i of the open pass alone, -1 the last: inside its block every
// value is that prompt's rows with the padding cut off, and a write touches only
// them. The model that the block names is bound to the prompt wherever it is used:
//
//	with a := m.Prompt(0) { with b := m.Prompt(1) { b.Logits.Set(…a.Logits.Value()…) } }
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
		n := len(o.inputs.rows)
		if i < -n || i >= n {
			panic(argumentErrorf("Prompt(%d): this pass has prompts 0 to %d, or -1 to -%d from the end", i, n-1, n))
		}
		row := (i + n) % n
		was, o.row = o.row, row
		entered := o.entered
		o.entered = false
		defer func() {
			if !o.entered {
				o.row = was
			}
			o.entered = entered
		}()
		yield(m.view(row))
	}
}

// show makes the pass show a prompt, -1 what it shows already, until the function
// that it returns is called.
func (o *openPass) show(row int) (restore func()) {
	was := o.row
	if row >= len(o.inputs.rows) {
		panic(argumentErrorf("this view is of Prompt(%d), and the open pass has prompts 0 to %d", row, len(o.inputs.rows)-1))
	}
	if row >= 0 {
		o.row = row
	}
	return func() { o.row = was }
}

// axes are a value's axes by name. A native value has those that its shape shows.
func (o *openPass) axes(spot trace.Spot, shape []int) []string {
	if l := o.core.plan.Site(spot).Layout; l != nil {
		return l.Axes
	}
	axes := make([]string, len(shape))
	if len(shape) < 2 || shape[0] != len(o.inputs.rows) {
		return axes
	}
	axes[0] = "batch"
	switch shape[1] {
	case o.inputs.width:
		axes[1] = "seq"
	case o.inputs.keys:
		axes[1] = "key"
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
	axes, site := o.axes(spot, t.Shape()), o.core.plan.Site(spot)
	if site.Layout == nil && len(o.inputs.rows) > 1 && (len(axes) == 0 || axes[0] == "") {
		panic(argumentErrorf("%s has shape %v, in which the rows of Prompt(%d) cannot be told. Read it outside the Prompt block", site.Path, t.Shape(), o.row))
	}
	for d, axis := range axes {
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
	return fitted(p.path, func() *Tensor { return whole.SetAt(v, idx...) }, func() []int { return whole.Index(idx...).Shape() }, v)
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
