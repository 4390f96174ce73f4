package gonterp

import (
	"fmt"
	"slices"

	"github.com/gonterp/gonterp/runtime/torch"
)

// A Patching says what a metric becomes when a piece of a clean pass is put into a
// corrupted one, for each layer and position or head. It prints as a table;
// plotting.Matrix(p.Effect) draws it.
type Patching struct {
	Value            string  // what was patched, "layer_output"
	Clean, Corrupted float64 // the metric of the two prompts as they are
	Metric           *Tensor // [layers seq] or [layers num_heads], after patching; NaN where a block has no such value
	Effect           *Tensor // the same with 0 as corrupted and 1 as clean
}

// String is the effects as a table, under the metric of the two prompts.
func (p *Patching) String() string {
	return fmt.Sprintf("%s: metric %s clean, %s corrupted; 1 is as clean, 0 as corrupted\n%s",
		p.Effect.Origin().Path, number(p.Clean), number(p.Corrupted), gridText(p.Effect))
}

// PatchPositions runs corrupted once for each layer and position, each time with that
// position of value taken from clean, and measures the logits (activation patching:
// Meng et al., "Locating and Editing Factual Associations in GPT", 2022). value is any
// value of a block that has a row for each token: "layer_output", "layer_input",
// "attention_output", "mlp_output" and so on. The prompts must have the same number of
// tokens.
//
//	model.PatchPositions("layer_output", clean, corrupted, model.LogitDiff(" Mary", " John"))
func (m *Model) PatchPositions(value string, clean, corrupted any, metric Metric) *Patching {
	s := m.patchSweep("PatchPositions", value, clean, corrupted, metric)
	s.columns, s.labels, s.n = "seq", m.texts(s.corrupted), len(s.corrupted)
	s.mask = s.oneEach("seq", nil)
	return s.run()
}

// PatchHeads is PatchPositions with one head at a time: value has an axis of heads,
// such as "attention_head_outputs" or "attention_probabilities". It patches all
// positions, or the given ones; -1 is the last.
func (m *Model) PatchHeads(value string, clean, corrupted any, metric Metric, positions ...int) *Patching {
	s := m.patchSweep("PatchHeads", value, clean, corrupted, metric)
	s.columns, s.n = "head", m.NumHeads
	s.mask = s.oneEach("num_heads|num_kv_heads", positions)
	return s.run()
}

// A patchSweep patches one cell after the other: each is a row of a batch of corrupted
// prompts that begins at the layer it patches.
type patchSweep struct {
	model            *Model
	who              string
	clean, corrupted []int
	metric           Metric
	points           []*Point // by layer; nil where the block has no such value
	value            string
	axes             []string // of the value

	columns string
	labels  []string
	n       int                       // columns of a layer
	mask    func(from, n int) *Tensor // of n columns: bool, to broadcast with the value

	cleanValues, streams []*Tensor // by layer
	result               *Patching
}

func (m *Model) patchSweep(who, value string, clean, corrupted any, metric Metric) *patchSweep {
	s := &patchSweep{model: m, who: who, value: value, metric: metric, clean: m.rowOf(who, clean), corrupted: m.rowOf(who, corrupted)}
	if len(s.clean) != len(s.corrupted) {
		panic(argumentErrorf("%s: the clean prompt has %d tokens and the corrupted one %d, so their positions do not match. Reword one of them; model.StrTokens(prompt) shows the tokens", who, len(s.clean), len(s.corrupted)))
	}
	s.points, s.axes = m.perBlock(who, value)
	return s
}

// axis is the axis of the value with that name, or with one of those names.
func (s *patchSweep) axis(names string) int {
	at := axisOf(s.axes, names)
	if at < 0 {
		panic(argumentErrorf("%s: %s has axes %v and none of %s", s.who, s.value, s.axes, names))
	}
	return at
}

// at is a bool, to broadcast with the value, for each of the given positions; nil for
// none given, which means all.
func (s *patchSweep) at(positions []int) *Tensor {
	if len(positions) == 0 {
		return nil
	}
	seq := axisOf(s.axes, "seq|query")
	if seq < 0 {
		panic(argumentErrorf("%s: %s has axes %v, none of which counts the tokens that it belongs to; leave the positions out", s.who, s.value, s.axes))
	}
	return onAxis(chosen(s.who, positions, len(s.corrupted)), seq, len(s.axes)).ToDevice(s.model.device)
}

// oneEach makes masks that let column i change index i of the axis of that name, or of
// one of those names, at the given positions or at all.
func (s *patchSweep) oneEach(axis string, positions []int) func(from, n int) *Tensor {
	at, allowed := s.axis(axis), s.at(positions)
	return func(from, n int) *Tensor {
		columns := torch.Arange(n).Add(from).Unsqueeze(1)
		shape := slices.Repeat([]int{1}, len(s.axes))
		shape[0], shape[at] = n, s.n
		mask := columns.Eq(torch.Arange(s.n).Unsqueeze(0)).Reshape(shape...).ToDevice(s.model.device)
		if allowed != nil {
			mask = mask.And(allowed)
		}
		return mask
	}
}

func (s *patchSweep) run() *Patching {
	m := s.model
	s.result = &Patching{Value: s.value}
	s.prepare()
	metric := make([]float64, 0, m.NumLayers*s.n)
	total := m.NumLayers * s.n
	chunk := max(1, sweepTokens/len(s.corrupted))
	for layer, p := range s.points {
		for from := 0; from < s.n; from += chunk {
			n := min(chunk, s.n-from)
			if p == nil {
				metric = append(metric, nans(n)...)
			} else {
				metric = append(metric, s.cells(layer, from, n)...)
			}
			advance(s.result.Value+" patching", len(metric), total)
		}
	}
	s.finish(metric)
	return s.result
}

// prepare runs both prompts as they are.
func (s *patchSweep) prepare() {
	m := s.model
	s.cleanValues, s.streams = make([]*Tensor, m.NumLayers), make([]*Tensor, m.NumLayers)
	for range m.Trace(s.clean) {
		for i, p := range s.points {
			if p != nil {
				s.cleanValues[i] = p.Value()
			}
		}
		s.result.Clean = s.metric.measure(m.Logits.Value(), 0)
	}
	for range m.Trace(s.corrupted) {
		for i, l := range m.Layers {
			s.streams[i] = l.LayerInput.Value()
		}
		s.result.Corrupted = s.metric.measure(m.Logits.Value(), 0)
	}
}

// cells measures n columns of a layer in one pass.
func (s *patchSweep) cells(layer, from, n int) []float64 {
	m := s.model
	measured := make([]float64, n)
	for range m.Trace(repeated(s.corrupted, n)) {
		if layer > 0 {
			m.StartAtLayer(layer, s.streams[layer])
		}
		p := s.points[layer]
		p.Set(torch.Where(s.mask(from, n), s.cleanValues[layer], p.Value()))
		logits := m.Logits.Value()
		for i := range measured {
			measured[i] = s.metric.measure(logits, i)
		}
	}
	return measured
}

// finish scales what was measured and says what its axes are.
func (s *patchSweep) finish(metric []float64) {
	r, m := s.result, s.model
	t := torch.FromFloat64s(metric, m.NumLayers, s.n)
	effect := t.Sub(r.Corrupted).Div(r.Clean - r.Corrupted)
	r.Metric = m.perLayer(t, "metric after patching "+s.value, s.columns, s.labels)
	r.Effect = m.perLayer(effect, "effect of patching "+s.value, s.columns, s.labels)
}
