package gonterp

import (
	"fmt"

	"github.com/gonterp/gonterp/runtime/torch"
)

// Contributions say what parts of the model add to a logit, or to the difference of
// two, at the last position. They print as a table; plotting.Matrix(c.Values) draws them.
type Contributions struct {
	Total  float64 // the logit, or the difference, as the model has it
	Values *Tensor // [layers num_heads] or [layers num_experts]; NaN on a block without experts
}

// String is the table, under the total.
func (c *Contributions) String() string {
	return fmt.Sprintf("%s: of %s in all\n%s", c.Values.Origin().Path, number(c.Total), gridText(c.Values))
}

// A direction is what a vector of the stream is multiplied by to give its part of a
// logit. The final norm divides by the size of the whole stream; with that size held
// fixed the norm is linear, so that parts of the stream add up.
type direction struct {
	of    *Tensor // [hidden_size], float32
	total float64
}

// direction of right's logit, less wrong's where there is one, for a stream
// [hidden_size] that enters the final norm.
func (m *Model) direction(who string, stream *Tensor, right any, wrong []any) direction {
	if len(wrong) > 1 {
		panic(argumentErrorf("%s takes one token, or two to take the difference, not %d", who, len(wrong)+1))
	}
	head := "lm_head.weight"
	if m.config.TieWordEmbeddings {
		head = "embed_tokens.weight"
	}
	unembed := m.Param(head)
	row := unembed.Index(m.token(who, right)).Float()
	for _, w := range wrong {
		row = row.Sub(unembed.Index(m.token(who, w)).Float())
	}
	x := stream.Float().ToDevice(torch.CPU)
	scale := x.Square().Mean().Add(m.config.RMSNormEps).Rsqrt()
	d := direction{of: row.ToDevice(torch.CPU).Mul(m.Param("norm.weight").Float().ToDevice(torch.CPU)).Mul(scale)}
	d.total = d.part(x).Item()
	return d
}

// part is what vectors [… hidden_size] of the stream add to the logit, [ … ].
func (d direction) part(t *Tensor) *Tensor {
	return t.Float().ToDevice(torch.CPU).Mul(d.of).Sum(-1)
}

// LogitDirection is the direction [hidden_size] of the stream that adds to right's
// logit, less wrong's where it is given, for a stream [hidden_size] that enters the
// final norm: the product with any part of that stream is what the part adds.
func (m *Model) LogitDirection(stream *Tensor, right any, wrong ...any) *Tensor {
	if stream.Dim() != 1 || stream.Size(0) != m.HiddenSize {
		panic(argumentErrorf("LogitDirection: a stream of shape %v. Give one position of the last layer_output, [hidden_size]", stream.Shape()))
	}
	return m.direction("LogitDirection", stream, right, wrong).of
}

// HeadContributions are what each head adds directly to right's logit at the last
// position of prompt, less wrong's where it is given: its output through the output
// projection, with the final norm's scale held fixed.
func (m *Model) HeadContributions(prompt, right any, wrong ...any) *Contributions {
	const who = "HeadContributions"
	heads := make([]*Tensor, m.NumLayers)
	d := m.lastStream(who, prompt, right, wrong, func(l *Layer) {
		heads[l.Index] = l.SelfAttn.AttentionHeadOutputs.Value().Index(0, -1).Float().ToDevice(torch.CPU)
	})
	rows := make([]*Tensor, m.NumLayers)
	for i, z := range heads {
		out := m.param(m.Layers[i].SelfAttn.path() + ".o_proj.weight").Float().ToDevice(torch.CPU)
		back := out.T().Matmul(d.of) // what each of the heads' outputs adds
		rows[i] = back.Reshape(m.NumHeads, m.HeadDim).Mul(z).Sum(-1)
		advance("head contributions", i+1, m.NumLayers)
	}
	return &Contributions{d.total, m.perLayer(torch.Stack(0, rows...), "what each head adds to "+m.difference(right, wrong), "head", nil)}
}

// ExpertContributions are what each routed expert adds directly to right's logit at
// the last position of prompt, less wrong's where it is given. An expert that was not
// chosen adds 0.
func (m *Model) ExpertContributions(prompt, right any, wrong ...any) *Contributions {
	experts := m.config.NRoutedExperts
	if experts == 0 {
		panic(&MissingValueError{"expert_outputs", "no block of " + m.name + " is a mixture of experts"})
	}
	indices, outputs := make([]*Tensor, m.NumLayers), make([]*Tensor, m.NumLayers)
	d := m.lastStream("ExpertContributions", prompt, right, wrong, func(l *Layer) {
		if m.config.Sparse(l.Index) {
			indices[l.Index] = l.MLP.ExpertIndices.Value().Index(0, -1)
			outputs[l.Index] = l.MLP.ExpertOutputs.Value().Index(0, -1)
		}
	})
	values := make([]float64, 0, m.NumLayers*experts)
	for i := range m.NumLayers {
		if indices[i] == nil {
			values = append(values, nans(experts)...)
			continue
		}
		row := make([]float64, experts)
		for slot, v := range d.part(outputs[i]).Float64s() {
			row[indices[i].Ints()[slot]] += v
		}
		values = append(values, row...)
	}
	t := torch.FromFloat64s(values, m.NumLayers, experts)
	return &Contributions{d.total, m.perLayer(t, "what each expert adds to "+m.difference(right, wrong), "expert", nil)}
}

// lastStream runs prompt, shows every block in turn, and gives the direction of the
// logit at the last position.
func (m *Model) lastStream(who string, prompt, right any, wrong []any, look func(*Layer)) (d direction) {
	row := m.rowOf(who, prompt)
	for range m.Trace(row) {
		for _, l := range m.Layers {
			look(l)
		}
		d = m.direction(who, m.Layer(-1).LayerOutput.Value().Index(0, -1), right, wrong)
	}
	return d
}

// difference names the logit in words.
func (m *Model) difference(right any, wrong []any) string {
	s := "the logit of " + m.word(m.token("", right))
	for _, w := range wrong {
		s += " less that of " + m.word(m.token("", w))
	}
	return s
}
