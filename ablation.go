package gonterp

import (
	"fmt"

	"github.com/gonterp/gonterp/runtime/torch"
)

// AblateHeads makes heads add nothing to the stream in the open pass: their outputs
// are zero.
func (a *SelfAttn) AblateHeads(heads ...int) {
	p := a.AttentionHeadOutputs
	z := p.Value()
	mask := marked("AblateHeads", heads, z.Size(2), "heads").ToDevice(z.Device())
	p.Set(z.MaskedFill(onAxis(mask, 2, 4), 0))
}

// AblateExperts makes experts add nothing to the stream in the open pass: the weight
// of every slot that chose one is zero, and the other slots keep theirs.
func (p *MLP) AblateExperts(experts ...int) {
	indices, weights := p.ExpertIndices.Value(), p.ExpertWeights.Value()
	mask := marked("AblateExperts", experts, p.ExpertIndices.core.config.NRoutedExperts, "experts").ToDevice(indices.Device())
	p.ExpertWeights.Set(weights.MaskedFill(mask.Index(indices), 0))
}

// An Ablation says what a metric becomes without one head or expert, for all of them.
// It prints as a table; plotting.Matrix(a.Effect) draws it.
type Ablation struct {
	Plain  float64 // the metric of the prompt as it is
	Metric *Tensor // [layers num_heads] or [layers num_experts]; NaN on a block without experts
	Effect *Tensor // Metric − Plain
}

// String is the changes as a table, under the metric with nothing ablated.
func (a *Ablation) String() string {
	return fmt.Sprintf("%s: metric %s with nothing ablated; below, how much it changes\n%s", a.Effect.Origin().Path, number(a.Plain), gridText(a.Effect))
}

// AblateEachHead zeroes one head after the other over all positions of prompt and
// measures the logits.
func (m *Model) AblateEachHead(prompt any, metric Metric) *Ablation {
	return m.ablate("AblateEachHead", "head", m.NumHeads, prompt, metric, func(l *Layer, first, n int) bool {
		p := l.SelfAttn.AttentionHeadOutputs
		z := p.Value()
		own := torch.Arange(n).Add(first).Reshape(n, 1).Eq(torch.Arange(m.NumHeads)).Reshape(n, 1, m.NumHeads, 1)
		p.Set(z.MaskedFill(own.ToDevice(z.Device()), 0))
		return true
	})
}

// AblateEachExpert leaves out one expert after the other over all positions of prompt
// and measures the logits.
func (m *Model) AblateEachExpert(prompt any, metric Metric) *Ablation {
	experts := m.config.NRoutedExperts
	if experts == 0 {
		panic(&MissingValueError{"expert_weights", "no block of " + m.name + " is a mixture of experts"})
	}
	return m.ablate("AblateEachExpert", "expert", experts, prompt, metric, func(l *Layer, first, n int) bool {
		if !m.config.Sparse(l.Index) {
			return false
		}
		indices, weights := l.MLP.ExpertIndices.Value(), l.MLP.ExpertWeights.Value()
		own := torch.Arange(n).Add(first).Reshape(n, 1, 1).ToDevice(indices.Device())
		l.MLP.ExpertWeights.Set(weights.MaskedFill(indices.Eq(own), 0))
		return true
	})
}

// ablate runs, for each layer, a batch of the prompt that begins at that layer; cut
// leaves unit first+i out of row i, or says that the layer has none.
func (m *Model) ablate(who, columns string, units int, prompt any, metric Metric, cut func(l *Layer, first, n int) bool) *Ablation {
	row := m.rowOf(who, prompt)
	result := &Ablation{}
	streams := make([]*Tensor, m.NumLayers)
	for range m.Trace(row) {
		for i, l := range m.Layers {
			streams[i] = l.LayerInput.Value()
		}
		result.Plain = metric.measure(m.Logits.Value(), 0)
	}
	chunk := max(1, sweepTokens/len(row))
	measured := make([]float64, 0, m.NumLayers*units)
	for i, l := range m.Layers {
		for first := 0; first < units; first += chunk {
			n := min(chunk, units-first)
			for range m.Trace(repeated(row, n)) {
				if i > 0 {
					m.StartAtLayer(i, streams[i])
				}
				if !cut(l, first, n) {
					measured = append(measured, nans(n)...)
					continue
				}
				logits := m.Logits.Value()
				for r := range n {
					measured = append(measured, metric.measure(logits, r))
				}
			}
			advance(columns+" ablation", len(measured), m.NumLayers*units)
		}
	}
	t := torch.FromFloat64s(measured, m.NumLayers, units)
	result.Metric = m.perLayer(t, "metric without each "+columns, columns, nil)
	result.Effect = m.perLayer(t.Sub(result.Plain), "effect of ablating each "+columns, columns, nil)
	return result
}
