package plotting

import (
	"errors"
	"math"
	"strings"
	"testing"
)

var tokens = []string{"<|begin|>", "When", " Mary", " and", " John", " é", "模型", " a\n", "한국"}

// peaked is a causal pattern in which each head looks further back.
func peaked(batch, heads, n int) *values {
	v := &values{shape: []int{batch, heads, n, n}, path: "layers.1.self_attn.attention_probabilities",
		axes: []string{"batch", "num_heads", "query", "key"}}
	for p := range batch * heads {
		for q := range n {
			row, sum := make([]float64, n), 0.0
			for k := 0; k <= q; k++ {
				row[k] = math.Exp(-math.Abs(float64(q - k - p)))
				sum += row[k]
			}
			for _, x := range row {
				v.at = append(v.at, x/sum)
			}
		}
	}
	return v
}

func withTokens(v *values) *values {
	v.labels = make([][]string, len(v.shape))
	v.labels[len(v.shape)-2], v.labels[len(v.shape)-1] = tokens, tokens
	return v
}

// refused is the error that a call panics with.
func refused(t *testing.T, draw func() *Figure) *Error {
	t.Helper()
	var e *Error
	func() {
		defer func() {
			if r := recover(); r != nil {
				err, _ := r.(error)
				if !errors.As(err, &e) {
					t.Fatalf("panicked with %T %v, want *Error", r, r)
				}
			}
		}()
		draw()
	}()
	if e == nil {
		t.Fatal("drew what it should refuse")
	}
	return e
}

func TestRefusals(t *testing.T) {
	p := peaked(1, 4, 9)
	router3 := &values{shape: []int{1, 2, 3}, at: make([]float64, 6)}
	slots := &values{shape: []int{1, 2, 3}, at: make([]float64, 6), axes: []string{"batch", "seq", "top_k"}}
	chosen := func(v *values) Option { return Option{"Chosen", func(s *settings) { s.chosen = v }} }
	for name, c := range map[string]struct {
		draw func() *Figure
		says string
	}{
		"rank 5": {func() *Figure {
			return pattern(&values{shape: []int{1, 1, 1, 1, 1}, at: []float64{1}}, nil)
		}, "plotting.Pattern: found shape [1 1 1 1 1]; expected an attention pattern [batch heads query key], [heads query key] or [query key]; write plotting.Pattern(t.Index(0))"},
		"rank 1": {func() *Figure { return pattern(&values{shape: []int{3}, at: make([]float64, 3)}, nil) }, "found shape [3]"},
		"no elements": {func() *Figure {
			return pattern(&values{shape: []int{0, 3}}, nil)
		}, "no elements"},
		"a residual stream": {func() *Figure {
			return pattern(&values{shape: []int{1, 2, 3}, at: make([]float64, 6), axes: []string{"batch", "seq", "hidden_size"}, path: "layers.2.layer_output"}, nil)
		}, "[batch seq hidden_size] of layers.2.layer_output"},
		"head":            {func() *Figure { return pattern(p, []Option{Heads(4)}) }, "Heads(4); expected a number from 0 to 3"},
		"heads of a head": {func() *Figure { return pattern(&values{shape: []int{1, 1}, at: []float64{1}}, []Option{Heads(0)}) }, "an axis of heads"},
		"prompt":          {func() *Figure { return pattern(p, []Option{Prompts(-1)}) }, "Prompts(-1)"},
		"labels":          {func() *Figure { return pattern(p, []Option{Labels("a")}) }, "1 Labels; expected one for each of 9 keys"},
		"range":           {func() *Figure { return pattern(p, []Option{Range(1, 1)}) }, "Range(1, 1)"},
		"NaN range":       {func() *Figure { return pattern(p, []Option{Range(math.NaN(), 1)}) }, "Range(NaN, 1)"},
		"palette":         {func() *Figure { return pattern(p, []Option{Palette("jet")}) }, "one of blues, greys, fire, viridian, bluered"},
		"size":            {func() *Figure { return pattern(p, []Option{Size(0, 3)}) }, "Size(0, 3)"},
		"size too small":  {func() *Figure { return pattern(p, []Option{Size(1, 1)}) }, "room for 4 panels"},
		"foreign option":  {func() *Figure { return pattern(p, []Option{NumExperts(3)}) }, "option NumExperts; expected one of Title, Range"},
		"too many panels": {func() *Figure { return pattern(peaked(3, 128, 2), nil) }, "384 panels"},
		"slots alone":     {func() *Figure { return router(slots, nil) }, "write plotting.Router(weights, plotting.Chosen(indices))"},
		"other positions": {func() *Figure {
			return router(router3, []Option{chosen(&values{shape: []int{1, 3, 3}, at: make([]float64, 9)})})
		}, "indices for the same prompts and positions"},
		"expert out of range": {func() *Figure {
			return router(slots, []Option{chosen(&values{shape: []int{1, 2, 3}, at: []float64{0, 1, 9, 0, 1, 2}}), NumExperts(8)})
		}, "expert 9; expected expert indices from 0 to 7"},
		"words": {func() *Figure {
			return lens(&values{shape: []int{2, 1}, at: make([]float64, 2)}, [][]string{{"a"}}, nil)
		}, "2 lists of 1 words"},
		"rows": {func() *Figure {
			return matrix(&values{shape: []int{2, 1}, at: make([]float64, 2)}, []Option{Rows("a")})
		}, "one for each of 2 rows"},
	} {
		t.Run(name, func(t *testing.T) {
			if e := refused(t, c.draw); !strings.Contains(e.Error(), c.says) {
				t.Errorf("got  %v\nwant %s", e, c.says)
			}
		})
	}
}

func TestTitlesAndDescription(t *testing.T) {
	f := pattern(withTokens(peaked(1, 4, 9)), []Option{Heads(3, 1)})
	const want = "attention pattern layers.1.self_attn.attention_probabilities: 2 panels, layers.1 head 3 to layers.1 head 1, 9 queries × 9 keys, values "
	if !strings.HasPrefix(f.String(), want) {
		t.Errorf("got  %s\nwant %s…", f, want)
	}
	s := newSettings("Pattern", nil)
	var titles []string
	for _, p := range s.patternPanels(peaked(2, 2, 3)) {
		titles = append(titles, p.title)
	}
	if got := strings.Join(titles, ", "); got != "layers.1 prompt 0 head 0, layers.1 prompt 0 head 1, layers.1 prompt 1 head 0, layers.1 prompt 1 head 1" {
		t.Error(got)
	}
	// A tensor of which only the prompts are left: [batch query key].
	v := peaked(1, 2, 3)
	v.shape, v.axes = []int{2, 3, 3}, []string{"batch", "query", "key"}
	if got := s.patternPanels(v)[1].title; got != "layers.1 prompt 1" {
		t.Error(got)
	}
}

func TestCausalCellsHaveNoValue(t *testing.T) {
	s := newSettings("Pattern", nil)
	panels := s.patternPanels(peaked(1, 1, 4))
	hideFuture(panels)
	for i, v := range panels[0].cells.at {
		if future := i%4 > i/4; math.IsNaN(v) != future {
			t.Errorf("cell %d: %g", i, v)
		}
	}
	// One value above the diagonal: it is no causal pattern, and zeros are zeros.
	p := peaked(1, 1, 4)
	p.at[3] = 0.1
	panels = s.patternPanels(p)
	hideFuture(panels)
	if panels[0].cells.at[1] != 0 {
		t.Error("a zero of a pattern that is not causal lost its value")
	}
	// During generation one query sees all keys.
	panels = []panel{{cells: grid{2, 4, []float64{.2, .3, .5, 0, .1, .2, .3, .4}}}}
	hideFuture(panels)
	if !math.IsNaN(panels[0].cells.at[3]) || math.IsNaN(panels[0].cells.at[7]) {
		t.Errorf("got %v", panels[0].cells.at)
	}
}

func TestScoresOfMaskedKeys(t *testing.T) {
	g := grid{1, 4, []float64{-3.4e38, math.Inf(-1), -65504, -7}}
	unmask(g)
	if !math.IsNaN(g.at[0]) || !math.IsNaN(g.at[1]) || !math.IsNaN(g.at[2]) || g.at[3] != -7 {
		t.Errorf("got %v", g.at)
	}
}

func TestScale(t *testing.T) {
	one := func(v ...float64) []panel { return []panel{{cells: grid{1, len(v), v}}} }
	for _, c := range []struct {
		opts   []Option
		panels []panel
		lo, hi float64
	}{
		{nil, one(0, 0.7), 0, 1},
		{nil, one(0.1, 0.3), 0, 0.3},
		{nil, one(0, 17), 0, 17},
		{nil, one(-1, 4), -4, 4},
		{nil, one(0, 0), 0, 1},
		{nil, one(math.NaN()), 0, 1},
		{nil, one(math.Inf(1), 2), 0, 2},
		{[]Option{Palette("bluered")}, one(1, 4), -4, 4},
		{[]Option{Range(0.2, 0.4)}, one(-1, 4), 0.2, 0.4},
	} {
		s := newSettings("Pattern", c.opts).scaleFor(c.panels)
		if s.lo != c.lo || s.hi != c.hi {
			t.Errorf("%v: %g to %g, want %g to %g", c.panels[0].cells.at, s.lo, s.hi, c.lo, c.hi)
		}
	}
	s := newScale(palettes[0], 0, 1)
	if s.color(-1) != palettes[0].anchors[0] || s.color(9) != palettes[0].anchors[5] || s.color(math.NaN()) != masked {
		t.Error("values past the ends must have the colours of the ends, no value the mask's")
	}
}

// A raster shows cells as they are: no smoothing, and no bright cell lost where
// several share a pixel.
func TestRaster(t *testing.T) {
	s := newScale(palettes[0], 0, 1)
	up := s.raster(grid{1, 3, []float64{0, 1, math.NaN()}}, 9, 2)
	for x := range 9 {
		if want := []uint8{1, shades, 0}[x/3]; up.Pix[x] != want {
			t.Errorf("pixel %d is %d, want %d", x, up.Pix[x], want)
		}
	}
	g := grid{1, 1000, make([]float64, 1000)}
	g.at[777] = 1
	down := s.raster(g, 100, 1)
	for x, p := range down.Pix {
		if (p == shades) != (x == 77) {
			t.Errorf("pixel %d is %d", x, p)
		}
	}
}

func TestRouterSlots(t *testing.T) {
	weights := &values{shape: []int{1, 2, 2}, at: []float64{.7, .3, .6, .4}, path: "layers.2.mlp.expert_weights"}
	indices := &values{shape: []int{1, 2, 2}, at: []float64{3, 0, 1, 3}, whole: true}
	s := newSettings("Router", nil)
	dense := s.spread(indices, weights)
	nan := math.NaN()
	want := []float64{.3, nan, nan, .7, nan, .6, nan, .4}
	for i, w := range want {
		if g := dense.at[i]; g != w && !(math.IsNaN(g) && math.IsNaN(w)) {
			t.Fatalf("got %v, want %v", dense.at, want)
		}
	}
	panels := []panel{{cells: grid{2, 4, make([]float64, 8)}}}
	s.markChosen(panels, indices, 2, 4)
	if m := panels[0].marks; len(m) != 4 || m[0] != (mark{0, 3}) || m[2] != (mark{1, 1}) {
		t.Errorf("marks %v", m)
	}
}

func TestTokenLabels(t *testing.T) {
	for token, want := range map[string]string{
		" the": "␣the", "  ": "␣␣", "a b": "a b", "x ": "x␣", "\n": `\n`, "\t": `\t`, "模型": "模型", "한": "한",
		"\xff": `\xff`, "🙂": `\u{1f642}`, "<|end▁of▁sentence|>": "<|end▁of▁sent…", "": "", "\x00": `\u{0}`, "é": "é",
	} {
		if got := tokenLabel(token); got != want {
			t.Errorf("%q: got %q, want %q", token, got, want)
		}
	}
}

func FuzzTokenLabel(f *testing.F) {
	for _, s := range tokens {
		f.Add(s)
	}
	f.Add("\xff\xfe \x00")
	f.Fuzz(func(t *testing.T, token string) {
		label := tokenLabel(token)
		if n := len([]rune(label)); n > longest {
			t.Errorf("%q has %d characters", label, n)
		}
		for _, r := range label {
			if r != ' ' && letters.of(r) == nil {
				t.Errorf("%q has %q, which no font draws", label, r)
			}
		}
	})
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   string
	}{
		{0, 1, "0 0.25 0.50 0.75 1.00"},
		{-4, 4, "−4 −2 0 2 4"},
		{0, 0.003, "0 0.001 0.002 0.003"},
		{0, 256, "0 100 200"},
		{0, 3e7, "0 1e+07 2e+07 3e+07"},
	} {
		var got []string
		for _, k := range ticks(c.lo, c.hi) {
			got = append(got, k.text)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%g to %g: %s, want %s", c.lo, c.hi, s, c.want)
		}
	}
}

func TestAcross(t *testing.T) {
	for n, want := range map[int]int{1: 1, 3: 3, 4: 4, 6: 3, 8: 4, 16: 4, 64: 8, 128: 16, 7: 3} {
		if got := across(n); got != want {
			t.Errorf("%d panels: %d across, want %d", n, got, want)
		}
	}
}
