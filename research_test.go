package gonterp

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/torch/torchtest"
	"github.com/gonterp/gonterp/runtime/trace"
)

// checkpoints are the small reference checkpoints, one of each kind of attention and
// router, in float32.
func checkpoints(t *testing.T) map[string]*Model {
	torchtest.Need(t)
	models := map[string]*Model{}
	for _, name := range []string{"v2-lite", "v2-236b", "v3", "v32"} {
		m, err := Open(filepath.Join("tests", "reference", name), DType("float32"))
		if err != nil {
			t.Fatal(err)
		}
		models[name] = m
	}
	return models
}

var ids = []int{3, 14, 15, 9, 26, 5, 35, 8, 9, 7}

// closeTo compares with a tolerance relative to the largest number.
func closeTo(t *testing.T, what string, got, want *Tensor, tolerance float64) {
	t.Helper()
	if fmt.Sprint(got.Shape()) != fmt.Sprint(want.Shape()) {
		t.Errorf("%s has shape %v, want %v", what, got.Shape(), want.Shape())
		return
	}
	if d, size := got.Sub(want).Abs().Max().Item(), want.Abs().Max().Item(); !(d <= tolerance*max(1, size)) {
		t.Errorf("%s is off by %g, with numbers up to %g", what, d, size)
	}
}

func TestDecompositionSums(t *testing.T) {
	for name, m := range checkpoints(t) {
		logits := m.Forward(ids).Index(0, -1)
		for _, token := range []int{0, 5, m.VocabSize - 1} {
			d := m.Decompose(ids, token)
			if off := math.Abs(d.Sum() - logits.Index(token).Item()); off > 1e-4*max(1, math.Abs(d.Total)) {
				t.Errorf("%s: the parts of token %d's logit sum to %g, the model says %g", name, token, d.Sum(), logits.Index(token).Item())
			}
		}
		d := m.Decompose(ids, 5, 7)
		if want := logits.Index(5).Item() - logits.Index(7).Item(); math.Abs(d.Sum()-want) > 1e-4*max(1, math.Abs(want)) {
			t.Errorf("%s: the parts of a difference sum to %g, want %g", name, d.Sum(), want)
		}
		if len(d.Parts) != 1+2*m.NumLayers {
			t.Errorf("%s: parts %v", name, d.Parts)
		}
	}
}

// Heads and experts add up to what their sublayer adds.
func TestContributionsSum(t *testing.T) {
	for name, m := range checkpoints(t) {
		d := m.Decompose(ids, 5, 7)
		heads, experts := m.HeadContributions(ids, 5, 7), m.ExpertContributions(ids, 5, 7)
		if m.config.AttentionBias {
			t.Errorf("%s: its output projection has a bias, which no head adds", name)
		}
		for i := range m.NumLayers {
			attention, mlp := d.Values.Index(1+2*i).Item(), d.Values.Index(2+2*i).Item()
			if sum := heads.Values.Index(i).Sum().Item(); math.Abs(sum-attention) > 1e-4 {
				t.Errorf("%s: the heads of layer %d add %g, its attention %g", name, i, sum, attention)
			}
			routed := experts.Values.Index(i).Sum().Item()
			if !m.config.Sparse(i) {
				if !math.IsNaN(routed) {
					t.Errorf("%s: experts of the dense layer %d add %g", name, i, routed)
				}
				continue
			}
			for range m.Trace(ids) {
				stream := m.Layer(i).MLP.SharedExpertOutput.Value().Index(0, -1)
				routed += stream.Mul(m.LogitDirection(m.Layer(-1).LayerOutput.Value().Index(0, -1), 5, 7)).Sum().Item()
			}
			if math.Abs(routed-mlp) > 1e-4 {
				t.Errorf("%s: the experts of layer %d add %g with the shared one, its MLP %g", name, i, routed, mlp)
			}
		}
	}
}

// The absorbed matrices give the scores and the attention's output that the forward has.
func TestCircuits(t *testing.T) {
	for name, m := range checkpoints(t) {
		for i, l := range m.Layers {
			a := l.SelfAttn
			for range m.Trace(ids) {
				x := l.AttentionNormOutput.Value().Index(0)
				cQ := x
				if m.config.QLoraRank > 0 {
					cQ = m.At(fmt.Sprintf("layers.%d.self_attn.q_a_layernorm.output", i)).Value().Index(0)
				}
				cKV := m.At(fmt.Sprintf("layers.%d.self_attn.kv_a_layernorm.output", i)).Value().Index(0)
				nope := m.config.QkNopeHeadDim
				q, k := a.AttentionQueries.Value().Index(0), a.AttentionKeys.Value().Index(0)
				pattern := a.AttentionProbabilities.Value().Index(0)
				sum := Zeros(len(ids), m.HiddenSize)
				for h := range m.NumHeads {
					content := q.Index(h, All, Range(0, nope)).Matmul(k.Index(h, All, Range(0, nope)).T())
					closeTo(t, fmt.Sprintf("%s: the scores' content by QK of layer %d head %d", name, i, h), cQ.Matmul(a.QK(h)).Matmul(cKV.T()), content, 1e-4)
					sum = sum.Add(pattern.Index(h).Matmul(cKV).Matmul(a.OV(h)))
					rotaryQ, rotaryK := a.RotaryQK(h)
					// A rotation keeps lengths.
					closeTo(t, fmt.Sprintf("%s: the rotary query's length in layer %d head %d", name, i, h), cQ.Matmul(rotaryQ).Norm(-1), q.Index(h, All, Range(nope, End)).Norm(-1), 1e-3)
					closeTo(t, fmt.Sprintf("%s: the rotary key's length in layer %d", name, i), x.Matmul(rotaryK).Norm(-1), k.Index(h, All, Range(nope, End)).Norm(-1), 1e-3)
				}
				closeTo(t, fmt.Sprintf("%s: the attention of layer %d by OV", name, i), sum, a.AttentionOutput.Value().Index(0), 1e-4)
			}
		}
	}
}

func TestStartAtLayer(t *testing.T) {
	for name, m := range checkpoints(t) {
		var want *Tensor
		for range m.Trace(ids) {
			want = m.Logits.Value()
		}
		for layer := range m.NumLayers {
			stream := m.StopAtLayer(ids, layer)
			for range m.Trace(ids) {
				m.StartAtLayer(layer, stream)
				if !Equal(m.Logits.Value(), want) {
					t.Errorf("%s begun at layer %d is another pass", name, layer)
				}
			}
		}
		for range m.Trace(ids) {
			var shape *trace.ShapeError
			if err := caught(t, func() { m.StartAtLayer(1, Zeros(1, 2, m.HiddenSize)) }); !errors.As(err, &shape) {
				t.Errorf("a stream of another length: %v", err)
			}
		}
		if err := caught(t, func() { m.StartAtLayer(1, want) }); !strings.Contains(err.Error(), "no pass is open") {
			t.Errorf("outside a pass: %v", err)
		}
	}
}

// A patched batch equals a pass with that one write.
func TestPatchingEqualsOneWrite(t *testing.T) {
	other := append([]int{}, ids...)
	other[4] = 30
	for name, m := range checkpoints(t) {
		metric := Metric(func(logits *Tensor) *Tensor { return logits.Index(0, -1, 5).Sub(logits.Index(0, -1, 7)) })
		positions := m.PatchPositions("mlp_output", ids, other, metric)
		heads := m.PatchHeads("attention_head_outputs", ids, other, metric, 4, -1)
		for layer, l := range m.Layers {
			var mlp, z *Tensor
			for range m.Trace(ids) {
				z, mlp = l.SelfAttn.AttentionHeadOutputs.Value(), l.MLP.MLPOutput.Value()
			}
			for range m.Trace(other) {
				l.MLP.MLPOutput.SetAt(mlp.Index(0, 4), 0, 4)
				if got, want := positions.Metric.Index(layer, 4).Item(), metric(m.Logits.Value()).Item(); math.Abs(got-want) > 1e-4 {
					t.Errorf("%s: patching layer %d position 4 gives %g, one write %g", name, layer, got, want)
				}
			}
			for range m.Trace(other) {
				l.SelfAttn.AttentionHeadOutputs.Set(l.SelfAttn.AttentionHeadOutputs.Value().SetAt(z.Index(0, 4, 1), 0, 4, 1).SetAt(z.Index(0, -1, 1), 0, -1, 1))
				if got, want := heads.Metric.Index(layer, 1).Item(), metric(m.Logits.Value()).Item(); math.Abs(got-want) > 1e-4 {
					t.Errorf("%s: patching layer %d head 1 gives %g, one write %g", name, layer, got, want)
				}
			}
		}
	}
}

// The attribution is the slope: for a small difference it equals the patch.
func TestAttributionIsTheSlope(t *testing.T) {
	m := loaded(t)
	diff := m.LogitDiff(" Mary", " John")
	corrupted := strings.Replace(maryAndJohn, "store, John", "store, Mary", 1)
	estimate := m.AttributePositions("layer_output", maryAndJohn, corrupted, diff)
	var clean *Tensor
	for range m.Trace(maryAndJohn) {
		clean = m.Layers[2].LayerOutput.Value()
	}
	const step = 0.01
	for range m.Trace(corrupted) {
		p := m.Layers[2].LayerOutput
		x := p.Value()
		p.Set(x.SetAt(x.Index(0, -1).Add(clean.Sub(x).Index(0, -1).Mul(step)), 0, -1))
		slope := (diff(m.Logits.Value()).Item() - estimate.Corrupted) / step
		if want := estimate.Metric.Index(2, -1).Item() - estimate.Corrupted; math.Abs(slope-want) > 0.05*math.Abs(want) {
			t.Errorf("the slope at layer 2's last position is %g, attribution says %g", slope, want)
		}
	}
}

func TestSweepsReport(t *testing.T) {
	m := loaded(t)
	last := map[string]int{}
	Progress = func(label string, done, total int) {
		if done > total || done <= last[label] {
			t.Errorf("%s went from %d to %d of %d", label, last[label], done, total)
		}
		last[label] = done
		if done == total {
			delete(last, label)
		}
	}
	defer func() { Progress = nil }()
	m.PatchPositions("layer_output", maryAndJohn, maryAndJohn, m.TokenProb(" Mary"))
	m.AblateEachExpert(maryAndJohn, m.TokenProb(" Mary"))
	m.LogitLens(maryAndJohn)
	if len(last) > 0 {
		t.Errorf("unfinished: %v", last)
	}
}

func TestSweepInterrupted(t *testing.T) {
	m := loaded(t)
	Progress = func(string, int, int) { trace.Interrupted.Store(true) }
	defer func() { Progress = nil; trace.Interrupted.Store(false) }()
	var interrupt *trace.InterruptError
	if err := caught(t, func() { m.PatchPositions("layer_output", maryAndJohn, maryAndJohn, m.TokenProb(" Mary")) }); !errors.As(err, &interrupt) {
		t.Errorf("an interrupted sweep: %v", err)
	}
	trace.Interrupted.Store(false)
	Progress = nil
	m.Forward(maryAndJohn) // no pass is left open
	for range m.Trace(maryAndJohn) {
		m.Logits.Value()
	}
}

func TestSteerCountsRealTokens(t *testing.T) {
	m := loaded(t)
	short, long := "The capital of France is", maryAndJohn
	v := torch.Randn(1, m.HiddenSize)
	solo := map[string]*Tensor{}
	for _, prompt := range []string{short, long} {
		for range m.Trace(prompt) {
			m.Steer(1, v, 3, 2, -1)
			solo[prompt] = m.Logits.Value()
		}
	}
	for range m.Trace([]string{short, long}) {
		m.Steer(1, v, 3, 2, -1)
		for i, prompt := range []string{short, long} {
			for range m.Prompt(i) {
				closeTo(t, "steering "+prompt+" in a batch", m.Logits.Value(), solo[prompt], 1e-4)
			}
		}
	}
	alone := m.Forward(long)
	for range m.Trace([]string{short, long}) {
		for range m.Prompt(0) {
			m.Steer(1, v, 3, 2, -1)
			closeTo(t, "steering in a Prompt block", m.Logits.Value(), solo[short], 1e-4)
		}
		for range m.Prompt(1) {
			closeTo(t, "the other prompt", m.Logits.Value(), alone, 1e-4)
		}
	}
	for range m.Trace(short) {
		if err := caught(t, func() { m.Steer(1, v, 1, 6) }); !strings.Contains(err.Error(), "positions 0 to 5") {
			t.Errorf("a position past the end: %v", err)
		}
	}
}

func TestProbeAgainstNormalEquations(t *testing.T) {
	torchtest.Need(t)
	// Both forms of the solution, by more examples than features and by fewer.
	for _, shape := range [][2]int{{40, 5}, {5, 40}} {
		x := torch.Randn(7, shape[0], shape[1])
		labels := make([]int, shape[0])
		for i := range labels {
			labels[i] = i % 3
		}
		p := TrainProbe(x, labels, 0.5)
		// At the optimum the gradient vanishes: (xᵀ)(x wᵀ + b − y) + l2 w = 0, by centred x.
		scores := p.Scores(x)
		y := torch.Zeros(torch.Float32, torch.CPU, shape[0], 3).Sub(1)
		for i, label := range labels {
			y = y.SetAt(1, i, label)
		}
		rest := scores.Sub(y)
		if most := rest.Sum(0).Abs().Max().Item(); most > 1e-3 {
			t.Errorf("%v: the residuals sum to %g, not 0", shape, most)
		}
		gradient := rest.T().Matmul(x.Sub(x.MeanKeep(0))).Add(p.Weight.Mul(0.5))
		if most := gradient.Abs().Max().Item(); most > 1e-3 {
			t.Errorf("%v: the gradient at the solution is up to %g", shape, most)
		}
	}
}

func TestResultsPrintAndCarryLabels(t *testing.T) {
	m := loaded(t)
	lens := m.LogitLens(maryAndJohn)
	corrupted := strings.Replace(maryAndJohn, "store, John", "store, Mary", 1)
	patched := m.PatchPositions("layer_output", maryAndJohn, corrupted, m.LogitDiff(" Mary", " John"))
	for what, tensor := range map[string]*Tensor{"lens": lens.Probs, "patching": patched.Effect} {
		o := tensor.Origin()
		if fmt.Sprint(o.Axes) != "[layer seq]" || len(o.Labels[1]) != 15 || o.Labels[1][2] != " Mary" {
			t.Errorf("%s carries axes %v and labels %v", what, o.Axes, o.Labels)
		}
	}
	for what, text := range map[string]string{
		"lens":     lens.String(),
		"patching": patched.String(),
		"ask":      m.Ask(m.Question("The capital of France is", map[string][]string{"right": {"Paris"}})).String(),
		"top":      m.TopTokens(lens.Logits(3), 2).String(),
		"parts":    m.Decompose(maryAndJohn, " Mary").String(),
	} {
		lines := strings.Split(text, "\n")
		if len(lines) < 2 || strings.Contains(text, "%!") {
			t.Errorf("%s prints as %q", what, text)
		}
	}
	if !strings.Contains(lens.String(), `" Mary" 99.8%`) {
		t.Errorf("the lens prints as\n%s", lens)
	}
}

func TestMisuseIsRefused(t *testing.T) {
	m := loaded(t)
	diff := m.LogitDiff(" Mary", " John")
	for want, f := range map[string]func(){
		"it is one: \" Mary\"":         func() { m.LogitDiff("Mary", " John") },
		"takes one prompt, not 2":      func() { m.LogitLens([]string{"a", "b"}) },
		"their positions do not match": func() { m.PatchPositions("layer_output", maryAndJohn, "The capital of", diff) },
		"the nearest is":               func() { m.PatchPositions("layer_outptu", maryAndJohn, maryAndJohn, diff) },
		"none of num_heads":            func() { m.PatchHeads("layer_output", maryAndJohn, maryAndJohn, diff) },
		"native value":                 func() { m.PatchPositions("self_attn.q_b_proj.output", maryAndJohn, maryAndJohn, diff) },
		"the metric returned a tensor": func() {
			m.PatchPositions("layer_output", maryAndJohn, maryAndJohn, func(l *Tensor) *Tensor { return l })
		},
		"no distribution over":        func() { m.TopTokens(Zeros(3), 1) },
		"ask for 1 or more":           func() { m.TopTokens(Zeros(m.VocabSize), 0) },
		"heads 0 to 3":                func() { m.Layers[0].SelfAttn.OV(4) },
		"two or more classes":         func() { TrainProbe(Zeros(2, 3), []int{1, 1}, 1) },
		"must be more than 0":         func() { TrainProbe(Zeros(2, 3), []int{1, 0}, 0) },
		"layers 0 to 3":               func() { m.StopAtLayer("a", 5) },
		"not a row for each token":    func() { m.LastTokens("a", "layers.1.self_attn.attention_scores") },
		"no token":                    func() { m.Decompose(maryAndJohn, 1.5) },
		"text of a token is empty":    func() { m.TokenProb("") },
		"nothing comes before":        func() { m.NextTokenLoss(maryAndJohn, 0) },
		"of the source prompt, which": func() { m.Patchscope("The", 9, "The", 0, 1) },
	} {
		if err := caught(t, f); !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "(gonterp help ") {
			t.Errorf("want %q and a page in: %v", want, err)
		}
	}
	for range m.Trace(maryAndJohn) {
		if err := caught(t, func() { m.Layers[2].MLP.AblateExperts(8) }); !strings.Contains(err.Error(), "experts 0 to 7") {
			t.Errorf("an expert too many: %v", err)
		}
		if err := caught(t, func() { m.Layers[0].MLP.AblateExperts(1) }); !strings.Contains(err.Error(), "dense block") {
			t.Errorf("an expert of a dense block: %v", err)
		}
	}
}
