package gonterp

import (
	"fmt"
	"math"

	"github.com/gonterp/gonterp/runtime/torch"
)

// A Decomposition is a logit, or a difference of two, as the sum of what the
// embedding and every attention and MLP add to it.
type Decomposition struct {
	Parts  []string // "token_embeddings", "layers.0.self_attn", "layers.0.mlp", …
	Values *Tensor  // [parts]
	Total  float64  // the logit as the model has it: what the parts sum to
}

// Decompose is the logit of right at the last position of prompt, less wrong's where
// it is given, by what writes to the residual stream. The final norm's scale is held
// fixed at that of the whole stream, so that the parts add up (Elhage et al., "A
// Mathematical Framework for Transformer Circuits", 2021): exactly but for the
// rounding of the model's dtype.
func (m *Model) Decompose(prompt, right any, wrong ...any) *Decomposition {
	var vectors []*Tensor
	c := &Decomposition{}
	add := func(part string, p *Point) {
		c.Parts = append(c.Parts, part)
		vectors = append(vectors, p.Value().Index(0, -1).Float())
	}
	d := m.lastStream("Decompose", prompt, right, wrong, func(l *Layer) {
		if l.Index == 0 {
			add(m.TokenEmbeddings.Path(), m.TokenEmbeddings)
		}
		add(fmt.Sprintf("layers.%d.self_attn", l.Index), l.SelfAttn.AttentionOutput)
		add(fmt.Sprintf("layers.%d.mlp", l.Index), l.MLP.MLPOutput)
	})
	c.Total = d.total
	c.Values = d.part(torch.Stack(0, vectors...)).WithOrigin(&torch.Origin{Model: m.name, Path: m.difference(right, wrong),
		Axes: []string{"part"}, Labels: [][]string{c.Parts}})
	return c
}

// Sum is the sum of the parts.
func (c *Decomposition) Sum() float64 { return c.Values.Double().Sum().Item() }

// String is a line for each part, with a bar.
func (c *Decomposition) String() string {
	values := c.Values.Float64s()
	most := 0.0
	for _, v := range values {
		most = max(most, math.Abs(v))
	}
	table := &textTable{}
	for i, part := range c.Parts {
		table.add(part, fmt.Sprintf("%8.2f", values[i]), bar(values[i], most))
	}
	table.add("sum", fmt.Sprintf("%8.2f", c.Sum()))
	return fmt.Sprintf("%s at the last position: %s\n%s", c.Values.Origin().Path, number(c.Total), table)
}

// barWidth is the width of the longest bar.
const barWidth = 24

func bar(v, most float64) string {
	if most == 0 {
		return ""
	}
	s := ""
	for range int(math.Round(math.Abs(v) / most * barWidth)) {
		if v < 0 {
			s += "-"
		} else {
			s += "+"
		}
	}
	return s
}
