package gonterp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gonterp/gonterp/runtime/torch/torchtest"
	"github.com/gonterp/gonterp/runtime/trace"
)

const maryAndJohn = "When Mary and John went to the store, John gave a drink to"

// loaded is the embedded model in float32, loaded once for all tests.
func loaded(t testing.TB) *Model {
	torchtest.Need(t)
	m, err := miniModel()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var miniModel = sync.OnceValues(func() (*Model, error) { return Open(Mini, DType("float32")) })

// caught is the error that f panics with.
func caught(t *testing.T, f func()) (err error) {
	t.Helper()
	defer func() {
		t.Helper()
		r := recover()
		e, ok := r.(error)
		if !ok {
			t.Fatalf("panicked with %v, want an error", r)
		}
		err = e
	}()
	f()
	return nil
}

func TestMiniEqualsTransformers(t *testing.T) {
	m := loaded(t)
	expected, err := ReadTensors("testdata/expected.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	// The prompts are in the order of their logits.
	d := json.NewDecoder(bytes.NewReader(data))
	d.Token()
	for i := 0; d.More(); i++ {
		text, _ := d.Token()
		var p struct {
			IDs []int `json:"input_ids"`
		}
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		name := text.(string)
		if got := m.Tokens(name); !slices.Equal(got, p.IDs) {
			t.Errorf("%s: tokens %v, want %v", name, got, p.IDs)
		}
		logits := expected[fmt.Sprintf("%d/logits", i)]
		if logits == nil {
			t.Fatalf("no logits for %q", name)
		}
		want := logits.Reshape(-1).Floats()
		for kind, logits := range map[string]*Tensor{"plain": m.Forward(p.IDs), "traced": tracedLogits(m, p.IDs)} {
			got := logits.Reshape(-1).Floats()
			if len(got) != len(want) {
				t.Fatalf("%s: %d logits, want %d", name, len(got), len(want))
			}
			for i := range want {
				if math.Abs(float64(got[i]-want[i])) > 1e-4*20 {
					t.Fatalf("%s, %s: logit %d is %v, want %v", name, kind, i, got[i], want[i])
				}
			}
		}
	}
}

func tracedLogits(m *Model, prompt any) (logits *Tensor) {
	for m := range m.Trace(prompt) {
		logits = m.Logits.Save()
	}
	return logits
}

func TestMaryGetsTheDrink(t *testing.T) {
	m := loaded(t)
	for m := range m.Trace(maryAndJohn) {
		pattern := m.Layers[1].SelfAttn.AttentionProbabilities.Save()
		probs := m.NextTokenProbs.Value().Index(0)
		if p := probs.Index(m.SingleToken(" Mary")).Item(); p < 0.99 {
			t.Errorf("p( Mary) = %v, want more than 0.99", p)
		}
		if labels := pattern.Origin().Labels; labels[2][2] != " Mary" || labels[3][2] != " Mary" {
			t.Errorf("the pattern's labels are %q", labels)
		}
	}
}

func TestReadingChangesNothing(t *testing.T) {
	m := loaded(t)
	quiet := tracedLogits(m, maryAndJohn)
	for m := range m.Trace(maryAndJohn) {
		for _, path := range m.Points() {
			p := m.At(path)
			v := p.Value()
			if !p.derived() {
				p.Set(v)
			}
		}
		if !Equal(m.Logits.Value(), quiet) {
			t.Error("reading every value and writing it back moved the logits")
		}
	}
}

func TestPromptsTogetherAndAlone(t *testing.T) {
	m := loaded(t)
	prompts := []string{maryAndJohn, "John gave"}
	alone := make([]map[string]*Tensor, len(prompts))
	for i, p := range prompts {
		alone[i] = map[string]*Tensor{}
		for m := range m.Trace(p) {
			for _, path := range m.Points() {
				alone[i][path] = m.At(path).Value()
			}
		}
	}
	old := trace.Notice
	trace.Notice = func(string) {}
	defer func() { trace.Notice = old }()
	for i := range prompts {
		for m := range m.Trace(prompts) {
			for m := range m.Prompt(i) {
				for _, path := range m.Points() {
					if strings.Contains(path, "index") {
						continue // a selection counts keys from the row's start and lists hidden ones in any order
					}
					together, want := m.At(path).Value(), alone[i][path]
					if !slices.Equal(together.Shape(), want.Shape()) {
						t.Fatalf("%s of prompt %d has shape %v together and %v alone", path, i, together.Shape(), want.Shape())
					}
					a, b := together.Float().Floats(), want.Float().Floats()
					for j := range a {
						if hidden := b[j] < -1e30 && a[j] < -1e30; !hidden && math.Abs(float64(a[j]-b[j])) > 1e-4*math.Max(1, math.Abs(float64(b[j]))) {
							t.Fatalf("%s of prompt %d, element %d: %v together, %v alone", path, i, j, a[j], b[j])
						}
					}
				}
			}
		}
	}
}

func TestWritingOnePromptLeavesTheOther(t *testing.T) {
	m := loaded(t)
	prompts := []string{maryAndJohn, "John gave"}
	var before, after *Tensor
	for m := range m.Trace(prompts) {
		for m := range m.Prompt(0) {
			before = m.Logits.Value()
		}
	}
	for m := range m.Trace(prompts) {
		for m := range m.Prompt(1) {
			m.Layers[1].LayerOutput.SetAt(0, All, -1)
			m.Layers[2].MLP.RouterLogits.Set(m.Layers[2].MLP.RouterLogits.Value().Mul(-1))
		}
		for m := range m.Prompt(0) {
			after = m.Logits.Value()
		}
	}
	if d := before.Sub(after).Abs().Max().Item(); d > 1e-6*before.Abs().Max().Item() {
		t.Errorf("a write for prompt 1 moved prompt 0's logits by %v", d)
	}
}

func TestBadInput(t *testing.T) {
	torchtest.Need(t)
	m := loaded(t)
	empty, configOnly := t.TempDir(), t.TempDir()
	copyFile(t, "families/mini/config.json", filepath.Join(configOnly, "config.json"))
	unknown := t.TempDir()
	if err := os.WriteFile(filepath.Join(unknown, "config.json"), []byte(`{"model_type": "llama", "architectures": ["LlamaForCausalLM"]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	open := func(name string, opts ...Option) func() {
		return func() {
			if _, err := Open(name, opts...); err != nil {
				panic(err)
			}
		}
	}
	in := func(f func(*Model)) func() {
		return func() {
			for m := range m.Trace(maryAndJohn) {
				f(m)
			}
		}
	}
	for _, c := range []struct {
		what string
		do   func()
		says []string
	}{
		{"no folder", open("/no/such/folder"), []string{"/no/such/folder"}},
		{"no config.json", open(empty), []string{"config.json"}},
		{"unknown architecture", open(unknown), []string{"llama", "deepseek_v2", "deepseek_v3", "deepseek_v32"}},
		{"unknown dtype", open(Mini, DType("float33")), []string{"float33"}},
		{"option of a pass", open(Mini, Gradients()), []string{"Gradients()", "model.Trace"}},
		{"option of opening", func() { m.Trace("x", DType("float32")).Enter() }, []string{"DType", "gonterp.Load"}},
		{"weights that are not there", func() {
			for range Load(configOnly).Trace([]int{1}) {
			}
		}, []string{"weights", configOnly}},
		{"empty text", func() { m.Trace("").Enter() }, []string{"empty"}},
		{"no prompts", func() { m.Trace([]string{}).Enter() }, []string{"empty"}},
		{"no tokens", func() { m.Trace([]int{}).Enter() }, []string{"empty"}},
		{"token out of range", func() { m.Trace([]int{1, 710}).Enter() }, []string{"710", "709"}},
		{"negative token", func() { m.Trace([]int{-1}).Enter() }, []string{"-1"}},
		{"a prompt of another kind", func() { m.Trace(3.5).Enter() }, []string{"float64", "[]int"}},
		{"no pass", func() { m.Logits.Value() }, []string{"logits", "with model.Trace"}},
		{"a misspelt value", in(func(m *Model) { m.At("layers.1.self_attn.attention_score") }), []string{"layers.1.self_attn.attention_scores"}},
		{"experts of a dense block", in(func(m *Model) { m.Layers[0].MLP.RouterLogits.Value() }), []string{"dense", "layers 1 to 3"}},
		{"neurons of a mixture", in(func(m *Model) { m.Layers[1].MLP.MLPNeurons.Value() }), []string{"layers.1.mlp.shared_experts.mlp_neurons"}},
		{"a write behind the frontier", in(func(m *Model) { m.Layers[2].LayerOutput.Value(); m.Layers[1].LayerOutput.Set(0) }),
			[]string{"layers.1.layer_output", "layers.2.layer_output"}},
		{"a derived value written", in(func(m *Model) { m.NextTokenProbs.Set(0) }), []string{"next_token_probs", "read-only"}},
		{"a pass in a pass", in(func(m *Model) { m.Trace("x").Enter() }), []string{"Prompt(0)"}},
		{"a gradient not recorded", in(func(m *Model) { m.Grad(m.Logits.Value().Sum(), m.TokenEmbeddings) }), []string{"gonterp.Gradients()"}},
		{"a layer out of range", func() { m.Layer(4) }, []string{"0 to 3"}},
		{"a path's layer out of range", func() { m.At("layers.9.layer_output") }, []string{"0 to 3"}},
		{"a token id written", in(func(m *Model) { m.InputIDs.Set(99999) }), []string{"input_ids", "709"}},
		{"an expert that is not there", in(func(m *Model) { m.Layers[1].MLP.ExpertIndices.Set(99) }), []string{"expert_indices", "7"}},
		{"a part of another shape", in(func(m *Model) { m.Layers[1].LayerOutput.SetAt(Ones(127), All, 3) }), []string{"layers.1.layer_output", "[127]"}},
		{"a stand-in of another shape", in(func(m *Model) { m.Layers[1].Skip(Ones(3, 5)); m.Logits.Value() }), []string{"layers.1.layer_output", "[3 5]"}},
		{"a generation read before its steps", func() { m.Generate(maryAndJohn, 2).Enter().Logits.Value() }, []string{"g.Steps()"}},
		{"a temperature that is no number", func() { m.Generate(maryAndJohn, 2, Temperature(math.NaN())).IDs() }, []string{"Temperature"}},
		{"an edit without a function", func() { m.Edit("e", "layers.1.layer_output", nil) }, []string{"nil"}},
		{"a gradient of nothing", in(func(m *Model) { m.Grad(nil, m.TokenEmbeddings) }), []string{"nil"}},
		{"several tokens", func() { m.SingleToken("two words") }, []string{"not one"}},
		{"an empty token", func() { m.SingleToken("") }, []string{"SingleToken", "empty"}},
		{"text without a tokenizer", func() { Load(configOnly).Tokens("a") }, []string{"tokenizer", "[]int", "no-tokenizer"}},
		{"a fraction for an expert", in(func(m *Model) { m.Layers[1].MLP.ExpertIndices.Set(2.5) }), []string{"whole numbers", "2.5", "(gonterp help value)"}},
		{"a string written", in(func(m *Model) { m.Logits.Set("a") }), []string{"string", "logits"}},
	} {
		err := caught(t, c.do)
		CloseOpen()
		if err == nil {
			t.Errorf("%s: no error", c.what)
			continue
		}
		for _, s := range c.says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %q does not say %q", c.what, err, s)
			}
		}
	}
	if o := m.core.current(); o != nil {
		t.Errorf("a pass was left open")
	}
}

func copyFile(t *testing.T, from, to string) {
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestConfigAloneIsScanned(t *testing.T) {
	torchtest.Need(t)
	dir := t.TempDir()
	copyFile(t, "families/mini/config.json", filepath.Join(dir, "config.json"))
	m, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(m.Support().String(), "attention_scores") {
		t.Error("Support lists no attention_scores")
	}
	for m := range m.Scan([]int{1, 2, 3}) {
		if got := m.Layers[2].SelfAttn.AttentionScores.Value().Shape(); !slices.Equal(got, []int{1, 4, 3, 3}) {
			t.Errorf("scores have shape %v", got)
		}
		if err := caught(t, func() { m.Logits.Value().Sum().Item() }); !strings.Contains(err.Error(), "meta") {
			t.Errorf("a number asked of a scan: %v", err)
		}
	}
}

// TestPanicInBody: the model is unharmed by a body that panics.
func TestPanicInBody(t *testing.T) {
	m := loaded(t)
	before := tracedLogits(m, maryAndJohn)
	boom := errors.New("boom")
	if err := caught(t, func() {
		for m := range m.Trace(maryAndJohn) {
			m.Layers[1].LayerOutput.Set(0)
			panic(boom)
		}
	}); err != boom {
		t.Errorf("the panic came out as %v", err)
	}
	if !Equal(before, tracedLogits(m, maryAndJohn)) {
		t.Error("a pass after the panic differs from one before it")
	}
	// The same in a block, which the session closes.
	m.Trace(maryAndJohn).Enter()
	m.Layers[1].LayerOutput.Set(0)
	CloseOpen()
	if !Equal(before, tracedLogits(m, maryAndJohn)) {
		t.Error("a pass after a dropped block differs from one before it")
	}
}

func TestEnterAndExit(t *testing.T) {
	m := loaded(t)
	p := m.Trace(maryAndJohn)
	for range 2 { // a pass can be run again
		v := p.Enter()
		a := v.Layers[1].LayerOutput.Save()
		b := m.Layers[1].LayerOutput.Save() // the bare model is the open pass
		if !Equal(a, b) {
			t.Error("two reads of one value differ")
		}
		p.Exit(true)
		p.Exit(true)
		if a.Sum().Item() != b.Sum().Item() {
			t.Error("a value changed after its pass")
		}
	}
}

func TestGoroutinesWaitTheirTurn(t *testing.T) {
	m := loaded(t)
	want := tracedLogits(m, maryAndJohn)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5 {
				if !Equal(want, tracedLogits(m, maryAndJohn)) {
					t.Error("passes of several goroutines were mixed")
				}
			}
		})
	}
	wg.Wait()
}

func TestSkipAndEdit(t *testing.T) {
	m := loaded(t)
	for m := range m.Trace(maryAndJohn) {
		m.Layers[1].MLP.Skip()
		m.Layers[2].Skip()
		mid := m.Layers[1].LayerMid.Value()
		if !Equal(mid, m.Layers[2].LayerOutput.Value()) {
			t.Error("a skipped MLP or block changed the stream")
		}
	}
	before := tracedLogits(m, maryAndJohn)
	m.Edit("half", "layers.-1.layer_output", func(x *Tensor) *Tensor { return x.Mul(0.5) })
	defer m.ClearEdits()
	var halved *Tensor
	for m := range m.Trace(maryAndJohn) {
		halved = m.Layer(-1).LayerOutput.Value()
	}
	if !Equal(tracedLogits(m, maryAndJohn), m.Forward(maryAndJohn)) {
		t.Error("a plain forward forgets the edits")
	}
	m.ClearEdits("half")
	for m := range m.Trace(maryAndJohn) {
		if !Equal(m.Layer(-1).LayerOutput.Value().Mul(0.5), halved) {
			t.Error("the edit did not halve the value")
		}
	}
	if !Equal(before, tracedLogits(m, maryAndJohn)) {
		t.Error("a cleared edit still acts")
	}
}

func TestGenerate(t *testing.T) {
	m := loaded(t)
	plain := m.Generate(maryAndJohn, 3).IDs()
	if len(plain) != 3 || m.Decode(plain[0]) != " Mary" {
		t.Errorf("generated %q", m.Decode(plain...))
	}
	// Every step equals a whole forward over everything so far.
	g := m.Generate(maryAndJohn, 3)
	ids := m.Tokens(maryAndJohn)
	for step := range g.Steps() {
		got := m.Logits.Value().Index(0, -1)
		want := m.Forward(ids).Index(0, -1)
		if d := got.Sub(want).Abs().Max().Item(); d > 1e-4*want.Abs().Max().Item() {
			t.Errorf("step %d differs from a whole forward by %v", step, d)
		}
		ids = append(ids, plain[step])
		if keys := m.Layers[0].SelfAttn.AttentionKeys; step > 0 && keys.Value().Size(2) != len(ids)-1 {
			t.Errorf("step %d: keys have shape %v, %d tokens are cached", step, keys.Value().Shape(), len(ids)-1)
		}
	}
	// A stop token ends it early, and code after the loop runs.
	after := false
	g = m.Generate(maryAndJohn, 10, StopTokens(plain[1]))
	for range g.Steps() {
	}
	after = true
	if !after || len(g.IDs()) != 2 {
		t.Errorf("stopped after %d tokens, want 2", len(g.IDs()))
	}
	a := m.Generate(maryAndJohn, 5, Temperature(1), Seed(7)).IDs()
	b := m.Generate(maryAndJohn, 5, Temperature(1), Seed(7), TopP(1)).IDs()
	if !slices.Equal(a, b) {
		t.Errorf("the same seed gave %v and %v", a, b)
	}
	if c := m.Generate(maryAndJohn, 5, Temperature(1), TopK(1)).IDs(); !slices.Equal(c[:3], plain) {
		t.Errorf("sampling the likeliest token gave %v, greedy %v", c, plain)
	}
}

// TestIndexer: the scores choose the selection, and a tie at the cut is said.
func TestIndexer(t *testing.T) {
	m := loaded(t)
	for m := range m.Trace(maryAndJohn) {
		attn := m.Layers[1].SelfAttn
		scores, selection := attn.IndexScores.Value(), attn.IndexSelection.Value()
		kept := scores.Gather(-1, selection.Long())
		if least := kept.Index(0, -1).Min().Item(); scores.Index(0, -1).Ge(least).Sum().Item() != 8 {
			t.Errorf("the last query's selection %v is not its eight best of %v", selection.Index(0, -1), scores.Index(0, -1))
		}
		if at := m.At("layers.1.self_attn.indexer.output").Value(); !Equal(at, selection) {
			t.Error("the native name is another value")
		}
		pattern := attn.AttentionProbabilities.Value().Index(0, 0)
		for q := range pattern.Size(0) {
			if n := pattern.Index(q).Gt(0).Sum().Item(); int(n) > min(q+1, 8) {
				t.Errorf("query %d attends to %v keys", q, n)
			}
		}
	}
	for m := range m.Trace(maryAndJohn) {
		attn := m.Layers[1].SelfAttn
		attn.IndexScores.SetAt(1, All, -1) // every key alike, so the cut is a tie and the earlier keys win
		tied := attn.IndexTied.Value()
		if tied.Index(0, -1).Item() != 1 || m.At("layers.1.self_attn.index_tied").Value().Shape()[1] != 15 {
			t.Errorf("tied rows: %v", tied)
		}
		if got := attn.IndexSelection.Value().Index(0, -1).Ints(); got[0] != 0 || got[7] != 7 {
			t.Errorf("among equal scores keys %v were chosen", got)
		}
	}
	v3, err := Open("tests/reference/v3")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"index_scores", "index_tied", "index_selection"} {
		if err := caught(t, func() { v3.At("layers.1.self_attn." + name) }); !strings.Contains(err.Error(), "deepseek_v32") {
			t.Errorf("%s of a model without an indexer: %v", name, err)
		}
	}
}

// TestNonFinite: where NaN comes from is said once.
func TestNonFinite(t *testing.T) {
	m := loaded(t)
	var said []string
	old := trace.Notice
	trace.Notice = func(text string) { said = append(said, text) }
	defer func() { trace.Notice = old }()
	for m := range m.Trace(maryAndJohn) {
		m.Layers[1].MLP.RoutedOutput.SetAt(math.NaN(), 0, 3, 5)
		m.Logits.Value()
		m.NextTokenProbs.Value()
	}
	if len(said) != 1 || !strings.Contains(said[0], "layers.1.mlp.routed_output") {
		t.Errorf("said %q", said)
	}
	for m := range m.Trace(maryAndJohn) {
		m.Logits.Value()
	}
	if len(said) != 1 {
		t.Errorf("a finite pass was said to be something: %q", said[1:])
	}
}

// TestPromptsAreApart: what is done to one prompt among several is done to it alone,
// through whatever name it is reached.
func TestPromptsAreApart(t *testing.T) {
	m := loaded(t)
	prompts := []string{maryAndJohn, "John gave"}
	alone := m.Forward(prompts[1])
	skipped := map[string]func(*Model){
		"a block":      func(m *Model) { m.Layers[1].Skip() },
		"an attention": func(m *Model) { m.Layers[1].SelfAttn.Skip() },
		"an MLP":       func(m *Model) { m.Layers[1].MLP.Skip() },
		"a stand-in":   func(m *Model) { m.Layers[1].Skip(Zeros(1, 15, 128)) },
	}
	for what, skip := range skipped {
		var want, got, other *Tensor
		for m := range m.Trace(prompts[0]) {
			skip(m)
			want = m.Logits.Value()
		}
		for m := range m.Trace(prompts) {
			for m := range m.Prompt(0) {
				skip(m)
				got = m.Logits.Value()
			}
			for m := range m.Prompt(1) {
				other = m.Logits.Value()
			}
		}
		if d := got.Sub(want).Abs().Max().Item(); d > 1e-4*want.Abs().Max().Item() {
			t.Errorf("%s skipped in one prompt: its logits differ from a run alone by %v", what, d)
		}
		if d := other.Sub(alone).Abs().Max().Item(); d > 1e-5*alone.Abs().Max().Item() {
			t.Errorf("%s skipped in one prompt moved the other's logits by %v", what, d)
		}
	}
	for m := range m.Trace(prompts) {
		for a := range m.Prompt(0) {
			for b := range m.Prompt(-1) {
				if n := a.Layers[0].LayerOutput.Value().Size(1); n != 15 {
					t.Errorf("inside another prompt's block the first one has %d positions", n)
				}
				if n := b.At("layers.0.layer_output").Value().Size(1); n != len(m.Tokens(prompts[1])) {
					t.Errorf("the last prompt has %d positions", n)
				}
			}
		}
		func() {
			defer func() { recover() }()
			for range m.Prompt(1) {
				panic("x")
			}
		}()
		if got := m.Layers[1].LayerOutput.Value().Shape(); !slices.Equal(got, []int{2, 15, 128}) {
			t.Errorf("after a recovered panic in a prompt's block values have shape %v", got)
		}
	}
}

// TestEditsAreMadeOnce: an edit that draws anew gives one value to the pass and to
// its replays.
func TestEditsAreMadeOnce(t *testing.T) {
	m := loaded(t)
	old := trace.Notice
	trace.Notice = func(string) {}
	defer func() { trace.Notice = old }()
	n := 0.0
	m.Edit("counts", "layers.1.layer_output", func(x *Tensor) *Tensor { n++; return x.Mul(0).Add(n) })
	defer m.ClearEdits()
	for m := range m.Trace(maryAndJohn) {
		after, before := m.Layers[2].LayerInput.Value(), m.Layers[1].LayerOutput.Value()
		if !Equal(after, before) || n != 1 {
			t.Errorf("the edit ran %v times, and the replay differs from the pass", n)
		}
	}
}

func TestSaveTensors(t *testing.T) {
	torchtest.Need(t)
	file := filepath.Join(t.TempDir(), "x.safetensors")
	want := map[string]*Tensor{"a": Randn(1, 2, 3), "b": FromInts([]int64{1, 2}), "c": FromBools([]bool{true}, 1, 1)}
	if err := SaveTensors(file, want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadTensors(file)
	if err != nil || len(got) != 3 {
		t.Fatalf("read %d tensors, error %v", len(got), err)
	}
	for name, x := range want {
		if !Equal(x, got[name]) || x.DType() != got[name].DType() {
			t.Errorf("%s came back as %v", name, got[name])
		}
	}
	if err := SaveTensors("x.txt", want); err == nil || !strings.Contains(err.Error(), ".npz") {
		t.Errorf("an unknown ending: %v", err)
	}
	if _, err := ReadTensors("x.npz"); err == nil || !strings.Contains(err.Error(), ".safetensors") {
		t.Errorf("a file that is not read: %v", err)
	}
}
