package plotting_test

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/plotting"
	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

// The examples are documentation, tests and golden images: TestExamples runs each
// in a folder of its own and compares what it saved with testdata.

var update = flag.Bool("update", false, "write the golden images anew")

var words = []string{"<|begin|>", "When", " Mary", " and", " John", " went", " to", " the", " store", ",", " John", " gave", " a", " drink", " to"}

// traced is a pattern as a trace hands it out: it knows its path, its axes and the
// tokens along them.
func traced(heads int) *torch.Tensor {
	n := len(words)
	var at []float32
	for h := range heads {
		for q := range n {
			row, sum := make([]float64, n), 0.0
			for k := 0; k <= q; k++ {
				row[k] = math.Exp(-math.Abs(float64(q-k-3*h)) / 1.5)
				if k == 0 {
					row[k] += 0.4
				}
				sum += row[k]
			}
			for _, x := range row {
				at = append(at, float32(x/sum))
			}
		}
	}
	return torch.FromFloats(at, 1, heads, n, n).WithOrigin(&torch.Origin{
		Model: "mini", Path: "layers.1.self_attn.attention_probabilities",
		Axes: []string{"batch", "num_heads", "query", "key"}, Labels: [][]string{nil, nil, words, words},
	})
}

// routed are router logits over 16 experts, and the 4 largest of each token.
func routed() (logits, weights, indices *torch.Tensor) {
	n, experts := len(words), 16
	var at []float32
	for i := range n * experts {
		at = append(at, float32(3*math.Sin(float64(i*i%97))))
	}
	axes := []string{"batch", "seq", "num_experts"}
	labels := [][]string{nil, words, nil}
	logits = torch.FromFloats(at, 1, n, experts).WithOrigin(&torch.Origin{Path: "layers.2.mlp.router_logits", Axes: axes, Labels: labels})
	weights, indices = logits.Sigmoid().Topk(4)
	slots := []string{"batch", "seq", "top_k"}
	weights = weights.WithOrigin(&torch.Origin{Path: "layers.2.mlp.expert_weights", Axes: slots, Labels: labels})
	return logits, weights, indices.WithOrigin(&torch.Origin{Path: "layers.2.mlp.expert_indices", Axes: slots, Labels: labels})
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// A grid of heads, with the tokens that the tensor carries.
func ExamplePattern() {
	pattern := traced(4) // model.Layers[1].SelfAttn.AttentionProbabilities.Save()
	check(plotting.Pattern(pattern).Save("pattern.png"))
}

// One head, for print.
func ExamplePattern_head() {
	figure := plotting.Pattern(traced(4), plotting.Heads(3), plotting.Title("Nine words back"), plotting.Palette("greys"), plotting.Range(0, 1), plotting.Size(4, 3.6))
	check(figure.Save("pattern_head.png"))
}

// A tensor made by hand has no tokens: Labels gives them.
func ExamplePattern_labels() {
	pattern := torch.FromFloats([]float32{1, 0, 0, .5, .5, 0, .1, .2, .7}, 3, 3)
	check(plotting.Pattern(pattern, plotting.Labels("深", "度", " seek")).Save("pattern_labels.png"))
}

// Above 64×64 cells a panel is a raster; cells stay sharp.
func ExamplePattern_long() {
	n := 150
	at := make([]float32, n*n)
	for q := range n {
		for k := 0; k <= q; k++ {
			at[q*n+k] = float32(math.Exp(-float64(q-k)/9) + 0.5*math.Exp(-math.Abs(float64(q-k-75))))
		}
	}
	check(plotting.Pattern(torch.FromFloats(at, n, n), plotting.Palette("fire")).Save("pattern_long.png"))
}

// What the router thinks of every expert, the chosen ones outlined.
func ExampleRouter() {
	logits, _, indices := routed() // model.Layers[2].MLP.RouterLogits.Save(), …
	check(plotting.Router(logits, plotting.Chosen(indices)).Save("router_logits.png"))
}

// What the chosen experts' outputs are scaled by.
func ExampleChosen() {
	_, weights, indices := routed()
	check(plotting.Router(weights, plotting.Chosen(indices), plotting.NumExperts(16)).Save("expert_weights.png"))
}

// The word that each layer would say next, and how sure it is.
func ExampleLens() {
	said := [][]string{{" a", " the", "s"}, {" and", " is", " in"}, {" and", " and", " to"}, {" and", " Mary", " Mary"}}
	sure := torch.FromFloats([]float32{.02, .01, .04, .1, .2, .1, .5, .3, .2, .9, .8, .97}, 4, 3)
	check(plotting.Lens(sure, said, plotting.Labels(" store", ",", " John"), plotting.Rows("layers.0", "layers.1", "layers.2", "logits")).Save("lens.png"))
}

// Any two axes: a change of the logits for each layer and position patched.
func ExampleMatrix() {
	effect := torch.FromFloats([]float32{0, .1, 2.5, -.2, 0, .3, 1.4, -1, 0, 0, .2, -2.2}, 3, 4)
	figure := plotting.Matrix(effect, plotting.Axes("layer", "position"), plotting.Labels("When", " Mary", " and", " John"), plotting.Title("Logit difference after patching"))
	check(figure.Save("matrix.png"))
}

// The residual stream's norm after each layer, at three positions.
func ExampleLines() {
	norms := torch.FromFloats([]float32{1, 2, 2.5, 4, 9, 1, 1.5, 2.2, 3, 5, 8, 8.1, 8.3, 9, 11}, 3, 5)
	figure := plotting.Lines(norms, plotting.Rows("When", " Mary", "<|begin|>"), plotting.Axes("norm of the residual stream", "layer"))
	check(figure.Save("lines.png"))
}

// What each expert adds to a logit difference.
func ExampleBars() {
	parts := torch.FromFloats([]float32{.3, -.1, 1.4, 0, -.8, .2, .1, 0}, 8)
	check(plotting.Bars(parts, plotting.Axes("logit difference", "expert"), plotting.Title("layers.2")).Save("bars.png"))
}

func TestExamples(t *testing.T) {
	torchtest.Need(t)
	golden, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for name, example := range map[string]func(){
		"pattern": ExamplePattern, "pattern_head": ExamplePattern_head, "pattern_labels": ExamplePattern_labels, "pattern_long": ExamplePattern_long,
		"router_logits": ExampleRouter, "expert_weights": ExampleChosen, "lens": ExampleLens, "matrix": ExampleMatrix, "lines": ExampleLines, "bars": ExampleBars,
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			example()
			got, err := os.ReadFile(name + ".png")
			if err != nil {
				t.Fatal(err)
			}
			want := filepath.Join(golden, name+".png")
			if *update {
				if err := os.WriteFile(want, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			compare(t, got, want)
		})
	}
}

// compare fails where more than a few pixels are clearly another colour. Other
// machines round the edges of letters and lines differently.
func compare(t *testing.T, got []byte, want string) {
	t.Helper()
	text, err := os.ReadFile(want)
	if err != nil {
		t.Fatalf("%v; write it with: go test ./plotting -update", err)
	}
	a, b := decode(t, got), decode(t, text)
	if a.Bounds() != b.Bounds() {
		t.Fatalf("the picture is %v, the golden one %v", a.Bounds(), b.Bounds())
	}
	other := 0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			r, g, bl, _ := a.At(x, y).RGBA()
			r2, g2, bl2, _ := b.At(x, y).RGBA()
			far := func(a, b uint32) bool { return math.Abs(float64(a)-float64(b)) > 0x1800 }
			if far(r, r2) || far(g, g2) || far(bl, bl2) {
				other++
			}
		}
	}
	if pixels := a.Bounds().Dx() * a.Bounds().Dy(); other*2000 > pixels {
		t.Errorf("%d of %d pixels differ from %s; look at it, then write it with: go test ./plotting -update", other, pixels, filepath.Base(want))
	}
}

func decode(t *testing.T, b []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestMIMEBundle(t *testing.T) {
	torchtest.Need(t)
	f := plotting.Pattern(traced(2))
	b := f.MIMEBundle()
	img := decode(t, b["image/png"].([]byte))
	if img.Bounds() != f.Image().Bounds() {
		t.Error("Image and image/png differ in size")
	}
	if b["text/plain"] != f.String() {
		t.Errorf("text/plain is %q", b["text/plain"])
	}
	if _, there := b["image/svg+xml"]; there {
		t.Error("a notebook would draw the SVG, which it does not fit to the page")
	}
	svg := f.SVG()
	wellFormed(t, svg)
	for _, s := range []string{"␣Mary", "layers.1 head 1", "attention_probabilities", "DejaVu Sans"} {
		if !strings.Contains(svg, s) {
			t.Errorf("the SVG has no %q", s)
		}
	}
}

func wellFormed(t *testing.T, svg string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("the SVG is not well-formed: %v", err)
		}
	}
}

func TestSave(t *testing.T) {
	torchtest.Need(t)
	dir := t.TempDir()
	f := plotting.Pattern(traced(1))
	for name, begins := range map[string]string{"a.png": "\x89PNG", "a.PNG": "\x89PNG", "a.svg": "<?xml", "a.pdf": "%PDF"} {
		if err := f.Save(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.HasPrefix(string(b), begins) {
			t.Errorf("%s begins with %q (%v)", name, b[:min(8, len(b))], err)
		}
	}
	for _, name := range []string{"a.jpg", "a", "png"} {
		if err := f.Save(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), ".png, .svg or .pdf") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := f.Save(filepath.Join(dir, "no", "such", "folder.png")); err == nil || !strings.Contains(err.Error(), "folder.png") {
		t.Errorf("got %v", err)
	}
}

// A large pattern's files stay small in every format.
func TestLargeFiles(t *testing.T) {
	torchtest.Need(t)
	dir := t.TempDir()
	f := plotting.Pattern(torch.Randn(1, 1024, 1024).Tril(0).Abs())
	for _, ext := range []string{"png", "svg", "pdf"} {
		path := filepath.Join(dir, "a."+ext)
		if err := f.Save(path); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() > 3<<20 {
			t.Errorf("%s: %d bytes (%v)", ext, info.Size(), err)
		}
	}
}

// Every kind of number can be drawn; what has no numbers is refused.
func TestKinds(t *testing.T) {
	torchtest.Need(t)
	for _, d := range []torch.DType{torch.Float16, torch.BFloat16, torch.Float64, torch.Int64, torch.Int32, torch.Bool} {
		if f := plotting.Pattern(torch.Ones(d, torch.CPU, 2, 2)); !strings.Contains(f.String(), "values 1 to 1") {
			t.Errorf("%s: %s", d, f)
		}
	}
	for name, x := range map[string]*torch.Tensor{"nil": nil, "meta": torch.Empty(torch.Float32, torch.Meta, 2, 2), "complex64": torch.Zeros(torch.Complex64, torch.CPU, 2, 2)} {
		func() {
			defer func() {
				if _, ok := recover().(*plotting.Error); !ok {
					t.Errorf("%s is not refused", name)
				}
			}()
			fmt.Fprint(io.Discard, plotting.Pattern(x))
		}()
	}
}
