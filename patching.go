package gonterp

import (
	"fmt"
	"strings"

	"github.com/gonterp/gonterp/runtime/point"
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
	s.columns, s.labels, s.n = "seq", m.textsOf(s.corrupted), len(s.corrupted)
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

// perBlock finds a value in every block, nil where one has none, and its axes.
func (m *Model) perBlock(who, value string) ([]*Point, []string) {
	points := make([]*Point, m.NumLayers)
	var axes []string
	var last error
	for i := range points {
		path := m.blockPath(i, value)
		if spot, err := m.find(path); err != nil {
			last = err
		} else if layout := m.plan.Site(spot).Layout; layout == nil {
			panic(argumentErrorf("%s: %s is a native value, whose axes have no names. Give the name of a standard value, such as layer_output", who, path))
		} else {
			points[i], axes = m.At(path), layout.Axes
		}
	}
	if axes == nil {
		panic(last)
	}
	return points, axes
}

// blockPath is the path of a standard value, or a path below a block, in block i.
func (m *Model) blockPath(i int, value string) string {
	module := ""
	for _, n := range point.All() {
		if n.String() == value {
			switch n.Info().On {
			case point.OnSelfAttn:
				module = "self_attn."
			case point.OnMLP:
				module = "mlp."
			}
		}
	}
	return fmt.Sprintf("layers.%d.%s%s", i, module, value)
}

// oneEach makes masks that let column i change index i of the axis of that name, or of
// one of those names, at the given positions or at all.
func (s *patchSweep) oneEach(axis string, positions []int) func(from, n int) *Tensor {
	at, seq := axisOf(s.axes, axis), axisOf(s.axes, "seq|query|key")
	if at < 0 {
		panic(argumentErrorf("%s: %s has axes %v and none of %s", s.who, s.value, s.axes, axis))
	}
	var allowed *Tensor
	if len(positions) > 0 {
		if seq < 0 || s.axes[seq] == "key" {
			panic(argumentErrorf("%s: %s has axes %v, none of which counts the tokens that it belongs to; leave the positions out", s.who, s.value, s.axes))
		}
		allowed = onAxis(chosen(s.who, positions, len(s.corrupted)), seq, len(s.axes))
	}
	return func(from, n int) *Tensor {
		columns := torch.Arange(n).Add(from).Unsqueeze(1)
		mask := columns.Eq(torch.Arange(s.n).Unsqueeze(0)) // [n columns]
		shape := make([]int, len(s.axes))
		for d := range shape {
			shape[d] = 1
		}
		shape[0], shape[at] = n, s.n
		mask = mask.Reshape(shape...)
		if allowed != nil {
			mask = mask.And(allowed)
		}
		return mask.ToDevice(s.model.device)
	}
}

// axisOf is the axis of one of the names that are written with | between them, or -1.
func axisOf(axes []string, names string) int {
	for d, a := range axes {
		for _, name := range strings.Split(names, "|") {
			if a == name {
				return d
			}
		}
	}
	return -1
}

// chosen is a bool for each of n positions.
func chosen(who string, positions []int, n int) *Tensor {
	on := make([]bool, n)
	for _, p := range positions {
		if p < -n || p >= n {
			panic(argumentErrorf("%s: position %d; the prompt has positions 0 to %d, or -1 to -%d from the end", who, p, n-1, n))
		}
		on[(p+n)%n] = true
	}
	return torch.FromBools(on, n)
}

// onAxis shapes a vector so that it lies along axis d of dims axes.
func onAxis(v *Tensor, d, dims int) *Tensor {
	shape := make([]int, dims)
	for i := range shape {
		shape[i] = 1
	}
	shape[d] = v.Numel()
	return v.Reshape(shape...)
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

// repeated is n times the same prompt.
func repeated(row []int, n int) [][]int {
	rows := make([][]int, n)
	for i := range rows {
		rows[i] = row
	}
	return rows
}
