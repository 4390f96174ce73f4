package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

// cells runs cells in one session and returns what the last one showed.
type cells struct {
	t       *testing.T
	session interp.Sessions
	out     strings.Builder
}

func newCells(t *testing.T) *cells {
	torchtest.Need(t)
	s, err := newSession()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	n := &cells{t: t, session: s}
	n.cell(`model := gonterp.Load("mini", gonterp.DType("float32"))`)
	n.cell(`prompt := "When Mary and John went to the store, John gave a drink to"`)
	return n
}

func (n *cells) Stream(_ int, _, text string) { n.out.WriteString(text) }
func (n *cells) Display(_ int, b interp.Bundle, _ string, _ bool) {
	fmt.Fprintln(&n.out, b.Data["text/plain"])
}
func (n *cells) Clear(int, bool)                    {}
func (n *cells) Input(string, bool) (string, error) { return "", os.ErrClosed }

// run runs a cell.
func (n *cells) run(code string) (shown string, err *interp.CellError) {
	n.out.Reset()
	o := n.session.Execute(interp.Cell{Code: code}, n)
	if o.Value != nil {
		fmt.Fprint(&n.out, o.Value.Data["text/plain"])
	}
	return n.out.String(), o.Err
}

// cell runs a cell that ends well.
func (n *cells) cell(code string) string {
	n.t.Helper()
	shown, err := n.run(code)
	if err != nil {
		n.t.Fatalf("cell failed: %v\n%s\n%s", err, strings.Join(err.Traceback, "\n"), code)
	}
	return shown
}

// fails runs a cell that ends in an error which says all of says, at a line.
func (n *cells) fails(code string, line int, says ...string) {
	n.t.Helper()
	_, err := n.run(code)
	if err == nil {
		n.t.Errorf("no error:\n%s", code)
		return
	}
	if line > 0 && err.Line != line {
		n.t.Errorf("the error points at line %d, want %d: %v\n%s", err.Line, line, err, code)
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			n.t.Errorf("%q does not say %q", err, s)
		}
	}
}

// TestBlocks: however a block is written, its values are the same.
func TestBlocks(t *testing.T) {
	n := newCells(t)
	want := n.cell("with model.Trace(prompt) { a := model.Layers[1].LayerOutput.Save().Sum().Item() }\na")
	for what, code := range map[string]string{
		"several lines": "with model.Trace(prompt) {\n\tb := model.Layers[1].LayerOutput.Save()\n}\nb.Sum().Item()",
		"odd indents":   "   with   model.Trace( prompt )  {\n b := model.\n\t\tLayers[1].LayerOutput.\n  Save()\n      }\nb.Sum().Item()",
		"a name":        "with m := model.Trace(prompt) {\n\tb := m.Layers[1].LayerOutput.Save()\n}\nb.Sum().Item()",
		"in a function": "func read() float64 {\n\twith model.Trace(prompt) {\n\t\treturn model.Layers[1].LayerOutput.Value().Sum().Item()\n\t}\n\treturn 0\n}\nread()",
		"in a loop":     "var last float64\nfor i := 0; i < 3; i++ {\n\twith model.Trace(prompt) {\n\t\tlast = model.Layers[1].LayerOutput.Value().Sum().Item()\n\t}\n}\nlast",
		"in a closure":  "f := func(i int) float64 {\n\twith model.Trace(prompt) {\n\t\tx := model.Layers[i].LayerOutput.Value()\n\t}\n\treturn x.Sum().Item()\n}\nf(1)",
		"a range":       "var r float64\nfor m := range model.Trace(prompt) {\n\tr = m.Layers[1].LayerOutput.Value().Sum().Item()\n}\nr",
		"token ids":     "with model.Trace(model.Tokens(prompt)) { b := model.Layers[1].LayerOutput.Save() }\nb.Sum().Item()",
		"a comment":     "with model.Trace(prompt) { // } not the end\n\tb := model.Layers[1].LayerOutput.Save() /* } */\n}\nb.Sum().Item()",
	} {
		for range 2 { // a cell can be run again
			if got := n.cell(code); got != want {
				t.Errorf("%s: %s, want %s\n%s", what, got, want, code)
			}
		}
	}
}

// TestControlFlowInBlocks: values in a block are real.
func TestControlFlowInBlocks(t *testing.T) {
	n := newCells(t)
	for code, want := range map[string]string{
		"with model.Trace(prompt) {\n\tx := model.Layers[0].LayerOutput.Value()\n\tif x.Size(1) == 15 {\n\t\tfmt.Print(\"fifteen\")\n\t}\n}":                                                         "fifteen",
		"with model.Trace(prompt) {\n\tn := 0\n\tfor _, l := range model.Layers {\n\t\tif l.LayerOutput.Value().Dim() == 3 { n++ }\n\t}\n}\nn":                                                       "4",
		"with model.Trace(prompt) {\n\tswitch k := model.Layers[1].MLP.ExpertIndices.Value().Size(2); k {\n\tcase 2:\n\t\tfmt.Print(\"two\")\n\tdefault:\n\t\tfmt.Print(k)\n\t}\n}":                  "two",
		"for i := 0; i < 5; i++ {\n\twith model.Trace(prompt) {\n\t\tif i == 2 { break }\n\t\tmodel.Layers[i].LayerOutput.Value()\n\t}\n\tfmt.Print(i)\n}":                                           "01",
		"model.Decode(int(model.Forward(prompt).Index(0, -1).Argmax(-1).Item()))":                                                                                                                    `" Mary"`,
		"var at []int\nwith g := model.Generate(prompt, 5, gonterp.StopTokens(model.SingleToken(\" Mary\"))) {\n\tfor step := range g.Steps() { at = append(at, step) }\n}\nfmt.Print(at, g.Text())": "[0] Mary",
	} {
		if got := n.cell(code); strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("got %q, want %q\n%s", got, want, code)
		}
	}
}

// TestErrorsInBlocks: an error is said at its line, and nothing is lost by it.
func TestErrorsInBlocks(t *testing.T) {
	n := newCells(t)
	n.cell("with model.Trace(prompt) { before := model.Logits.Save() }")
	for _, c := range []struct {
		code string
		line int
		says []string
	}{
		{"x := 1\nmodel.Layers[1].LayerOutput.Value()", 2, []string{"layers.1.layer_output", "with model.Trace"}},
		{"with model.Trace(prompt) {\n\tmodel.Layers[2].LayerOutput.Value()\n\tmodel.Layers[1].LayerOutput.Set(0)\n}", 3, []string{"layers.1.layer_output (cell 5, line 3)", "layers.2.layer_output (cell 5, line 2)"}},
		{"with model.Trace(prompt) {\n\n\tmodel.Layers[0].MLP.RouterLogits.Value()\n}", 3, []string{"dense"}},
		{"with model.Trace(prompt) {\n\tmodel.Layers[9].LayerOutput.Value()\n}", 2, []string{"index out of range"}},
		{"with model.Trace(prompt) {\n\tx := model.Layers[1].LayerOutput.Value()\n\tx.Matmul(x)\n}", 3, []string{"Matmul"}},
		{"with model.Trace(prompt) {\n\tmodel.Layers[1].LayerOutpt.Value()\n}", 2, []string{"LayerOutpt"}},
		{"with model.Trace(prompt) {\n\tpanic(\"mine\")\n}", 2, []string{"mine"}},
		{"with model.Trace(prompt) {\n\twith model.Trace(prompt) {\n\t}\n}", 2, []string{"Prompt(0)"}},
		{"with model.Trace(\"\") {\n}", 1, []string{"empty"}},
		{"with model.Trace(prompt, gonterp.DType(\"float32\")) {\n}", 1, []string{"Load"}},
		{"with model.Trace(prompt) {\n\tmodel.At(\"layers.1.self_attn.attention_score\").Value()\n}", 2, []string{"attention_scores"}},
	} {
		n.fails(c.code, c.line, c.says...)
	}
	if got := n.cell("with model.Trace(prompt) { after := model.Logits.Save() }\ngonterp.Equal(before, after)"); got != "true" {
		t.Errorf("logits before and after the errors are equal: %s", got)
	}
}

// TestBlocksThatPanic: a block that is left by a panic, recovered or not, is closed,
// and so is the view of one prompt.
func TestBlocksThatPanic(t *testing.T) {
	n := newCells(t)
	for code, want := range map[string]string{
		"func() {\n\tdefer func() { fmt.Print(recover(), \" \") }()\n\twith model.Trace(prompt) { panic(\"x\") }\n}()\nwith model.Trace(prompt) { fmt.Print(model.Logits.Value().Size(1)) }":                "x 15",
		"with m := model.Trace([]string{prompt, prompt}) {\n\tfunc() {\n\t\tdefer func() { recover() }()\n\t\twith m.Prompt(1) { panic(\"x\") }\n\t}()\n\tfmt.Print(m.Logits.Value().Size(0))\n}":           "2",
		"var wg sync.WaitGroup\nwg.Add(1)\ngo func() { defer wg.Done(); with model.Trace(prompt) { runtime.Goexit() } }()\nwg.Wait()\nwith model.Trace(prompt) { fmt.Print(model.Logits.Value().Size(1)) }": "15",
		"func() {\n\tdefer func() { recover(); with model.Trace(prompt) { fmt.Print(model.Logits.Value().Size(1)) } }()\n\twith model.Trace(prompt) { panic(model.Logits.Value()) }\n}()":                   "15",
		"func size() int {\n\tfor {\n\t\twith model.Trace(prompt) { return model.Logits.Value().Size(1) }\n\t}\n}\nfmt.Print(size() + size())":                                                              "30",
		"with model.Trace(prompt) { l := model.Logits.Value() }\nfirst := l\nwith model.Trace([]string{prompt, prompt}) { l := model.Logits.Value() }\nfmt.Print(first.Size(0), l.Size(0))":                 "1 2",
	} {
		if got := n.cell(code); got != want {
			t.Errorf("got %q, want %q\n%s", got, want, code)
		}
	}
}

// TestPanicsOfEdits: what an edit panics with ends the cell whose forward runs it.
func TestPanicsOfEdits(t *testing.T) {
	n := newCells(t)
	n.cell("model.Edit(\"e\", \"layers.1.layer_output\", func(t *gonterp.Tensor) *gonterp.Tensor {\n\treturn t.Index(0, 99)\n})")
	n.fails("\nmodel.Forward(prompt)", 2, "index 99 is out of range")
	if strings.Contains(n.out.String(), "goroutine") {
		t.Errorf("shown: %s", n.out.String())
	}
	n.cell("model.ClearEdits()\nmodel.Forward(prompt)")
}
