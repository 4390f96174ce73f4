package gonterp

import "github.com/gonterp/gonterp/runtime/torch"

// AttributePositions estimates what PatchPositions measures, in three passes instead
// of one for each cell: the difference of clean and corrupted times the metric's gradient
// in the corrupted pass (Nanda, "Attribution Patching", 2023). The estimate is linear:
// it is good for small pieces and poor where the rest of the model saturates.
func (m *Model) AttributePositions(value string, clean, corrupted any, metric Metric) *Patching {
	s := m.patchSweep("AttributePositions", value, clean, corrupted, metric)
	s.columns, s.labels, s.n = "seq", m.texts(s.corrupted), len(s.corrupted)
	return s.attribute("seq", nil)
}

// AttributeHeads estimates what PatchHeads measures.
func (m *Model) AttributeHeads(value string, clean, corrupted any, metric Metric, positions ...int) *Patching {
	s := m.patchSweep("AttributeHeads", value, clean, corrupted, metric)
	s.columns, s.n = "head", m.NumHeads
	return s.attribute("num_heads|num_kv_heads", positions)
}

// attribute sums difference × gradient over all axes of the value but the named one.
func (s *patchSweep) attribute(axis string, positions []int) *Patching {
	at, allowed := s.axis(axis), s.at(positions)
	others := make([]int, 0, len(s.axes))
	for d := range s.axes {
		if d != at {
			others = append(others, d)
		}
	}
	s.result = &Patching{Value: s.value}
	s.prepare()
	metric := make([]float64, 0, len(s.points)*s.n)
	for layer, g := range s.gradients() {
		if g == nil {
			metric = append(metric, nans(s.n)...)
			continue
		}
		product := g[0].Float().Mul(s.cleanValues[layer].Float().Sub(g[1].Float()))
		if allowed != nil {
			product = torch.Where(allowed, product, torch.Scalar(0, torch.Float32).ToDevice(s.model.device))
		}
		for _, v := range product.Sum(others...).Float64s() {
			metric = append(metric, s.result.Corrupted+v)
		}
	}
	s.finish(metric)
	return s.result
}

// gradients are, by layer, the metric's gradient in the corrupted pass and the value
// there; nil where a block has no such value.
func (s *patchSweep) gradients() [][]*Tensor {
	m := s.model
	found := make([][]*Tensor, m.NumLayers)
	var points []*Point
	for _, p := range s.points {
		if p != nil {
			points = append(points, p)
		}
	}
	for range m.Trace(s.corrupted, Gradients()) {
		for i, p := range s.points {
			if p != nil {
				found[i] = []*Tensor{nil, p.Value().Detach()}
			}
		}
		grads := m.Grad(s.metric.of(m.Logits.Value()), points...)
		for i := range found {
			if found[i] != nil {
				found[i][0], grads = grads[0], grads[1:]
			}
		}
	}
	return found
}
