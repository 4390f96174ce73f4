package gonterp

import (
	"github.com/gonterp/gonterp/runtime/torch"
)

// LastTokens are the values [prompts …] at each prompt's last token, in float32, of a
// value that has a row for each token, such as "layers.2.layer_output". The prompts
// run in batches, only as far as the value.
func (m *Model) LastTokens(prompts any, value string) *Tensor {
	rows, p := m.rowsOf(prompts), m.At(value)
	axes := []string{"batch", "seq"}
	if layout := m.plan.Site(p.resolve()).Layout; layout != nil {
		axes = layout.Axes
	}
	if len(axes) < 2 || axes[0] != "batch" || axes[1] != "seq" {
		panic(argumentErrorf("LastTokens: %s has axes %v and not a row for each token [batch seq …]", value, axes))
	}
	var last []*Tensor
	for _, run := range batches(rows) {
		for range m.Trace(rows[run[0]:run[1]]) {
			last = append(last, p.Value().Index(All, -1).Float())
		}
		advance("last tokens", run[1], len(rows))
	}
	t := torch.Cat(0, last...)
	named := make([]string, t.Dim())
	named[0] = "prompt"
	for d := 1; d < len(named) && d+1 < len(axes); d++ {
		named[d] = axes[d+1]
	}
	return t.WithOrigin(&torch.Origin{Model: m.name, Path: value, Axes: named, Labels: make([][]string, len(named)), Note: "at each prompt's last token"})
}

// SteeringVector is the mean of a block's output at the last tokens of positive minus
// that of negative, [hidden_size] (Rimsky et al., "Steering Llama 2 via Contrastive
// Activation Addition", 2023). Each may be several prompts.
func (m *Model) SteeringVector(positive, negative any, layer int) *Tensor {
	value := m.Layer(layer).LayerOutput.Path()
	v := m.LastTokens(positive, value).Mean(0).Sub(m.LastTokens(negative, value).Mean(0))
	return v.WithOrigin(&torch.Origin{Model: m.name, Path: value, Axes: []string{"hidden_size"}, Labels: [][]string{nil}, Note: "steering vector"})
}

// Steer adds factor × v [hidden_size] to a block's output in the open pass or the open
// step of a generation, at all positions or at the given ones; -1 is each prompt's
// last token, and padding is never counted.
func (m *Model) Steer(layer int, v *Tensor, factor float64, positions ...int) {
	p := m.Layer(layer).LayerOutput
	o := p.pass()
	if v.Dim() != 1 || v.Size(0) != m.HiddenSize {
		panic(argumentErrorf("Steer: the vector has shape %v and the stream is %d wide. Give one direction [hidden_size]", v.Shape(), m.HiddenSize))
	}
	x := p.Value()
	push := v.Mul(factor).ToDevice(x.Device())
	if len(positions) > 0 {
		push = torch.Where(o.realPositions("Steer", positions).Unsqueeze(-1).ToDevice(x.Device()), push, 0)
	}
	p.Set(x.Add(push.To(x.DType())))
}

// ProjectOut takes a direction, whatever its length, out of the value: afterwards the
// value is at right angles to it everywhere.
func (p *Point) ProjectOut(direction *Tensor) {
	x := p.Value()
	if direction.Dim() != 1 || x.Dim() == 0 || direction.Size(0) != x.Size(-1) {
		panic(argumentErrorf("ProjectOut: the direction has shape %v and %s has shape %v. Give one direction, as long as the value's last axis", direction.Shape(), p.path, x.Shape()))
	}
	d := direction.Float().ToDevice(x.Device())
	d = d.Div(d.Norm())
	f := x.Float()
	p.Set(f.Sub(f.Mul(d).SumKeep(-1).Mul(d)).To(x.DType()))
}
