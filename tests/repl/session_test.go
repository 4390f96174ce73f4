package repl_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

const prompt = `prompt := "When Mary and John went to the store, John gave a drink to"`

// A with block is typed over several lines as a function is.
func TestWithBlock(t *testing.T) {
	torchtest.Need(t)
	p := open(t)
	p.run(`model := gonterp.Load("mini")`, "[2]>")
	p.run(prompt, "[3]>")
	for _, line := range []string{"with model.Trace(prompt) {", "resid := model.Layers[2].LayerOutput.Save()", "if resid.Dim() == 3 {", "fmt.Println(resid.Shape())", "}"} {
		p.typed(line)
		p.keys("Enter")
	}
	p.run("}", "[4]>")
	p.run("resid.Size(1)", "[5]>")
	p.run("with model.Trace(prompt) { model.Layers[9].LayerOutput.Value() }", "[6]>")
	p.run("model.Tokens(prompt)[1]", "[7]>")
	p.golden("with", p.screen())
}

// A pattern is readable at 80 columns, with its tokens.
func TestPatternInHalfBlocks(t *testing.T) {
	torchtest.Need(t)
	p := open(t)
	p.run(`model := gonterp.Load("mini")`, "[2]>")
	p.run(`with model.Trace("When Mary and John went") { pattern := model.Layers[1].SelfAttn.AttentionProbabilities.Save() }`, "[3]>")
	p.keys("C-l")
	p.run("plotting.Pattern(pattern, plotting.Heads(0, 1))", "[4]>")
	p.golden("pattern", p.screen())
	// Colours are there: cells are told apart by them alone.
	shades := map[string]bool{}
	for _, c := range regexp.MustCompile(`48;[25];[0-9;]+m`).FindAllString(p.screen("-e"), -1) {
		shades[c] = true
	}
	if len(shades) < 5 {
		t.Errorf("%d colours", len(shades))
	}
}

func TestCommands(t *testing.T) {
	dir := t.TempDir()
	p := open(t)
	p.run("%help", "[2]>")
	p.golden("help", p.screen())
	p.run("x := 20", "[3]>")
	p.run("y", "[4]>")
	p.run("x + 1", "[5]>")
	p.run("%history", "[6]>")
	p.run("%vars", "[7]>")
	p.run("%frobnicate", "[8]>")
	p.keys("C-l")
	p.wait("[8]>")
	p.run("%time x * 2", "[9]>")
	for _, w := range []string{"\n40\ntook ", " of processors\n"} {
		if s := p.screen(); !strings.Contains(s, w) {
			t.Errorf("no %q in\n%s", w, s)
		}
	}
	p.run("%save "+dir+"/a.go", "3 cells written")
	p.run("%save "+dir+"/a.ipynb", dir+"/a.ipynb\n[11]>")
	p.run("%quit", "ended 0")

	p = reopen(t, p)
	p.run("%run "+dir+"/a.ipynb", "[4]>")
	p.run("x", "[5]>")
	if s := p.screen(); !strings.Contains(s, "[4]> x\n20\n") {
		t.Error(s)
	}
	p.run("%load "+dir+"/a.go 2", "[6]> x + 1")
	p.typed("00")
	p.run("", "[7]>")
	p.wait("[6]> x + 100\n120\n")
	p.typed("%run " + dir + "/a.i")
	p.keys("Tab")
	p.wait("a.ipynb\n")
	p.keys("C-c")
	if err := os.WriteFile(filepath.Join(dir, "bad.go"), []byte("// %%\nz := 1\n// %%\n\nz.foo()\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.run("%run "+dir+"/bad.go", dir+"/bad.go:5")
}

func TestModels(t *testing.T) {
	torchtest.Need(t)
	p := open(t)
	p.run("%models", "[2]>")
	p.wait("no variable holds a model")
	p.run(`small := gonterp.Load("mini")`, "[3]>")
	p.run("%models", "[4]>")
	p.wait("small            mini (deepseek_v32, bfloat16 on cpu)", "\ntensors ", "\nmemory ")
}

// pipe runs the REPL with a text as its standard input.
func pipe(text string, args ...string) (stdout, stderr string, err error) {
	cmd := exec.Command(program, args...)
	cmd.Stdin = strings.NewReader(text)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

func TestPipe(t *testing.T) {
	out, errs, err := pipe("x := 6\n\n// f is seven.\nfunc f() int {\n\n\treturn 7\n}\nx * f()\nfmt.Println(\"模型\")\n%vars\n// %% a title\nfor i := range 2 {\nprint(i)\n}\n'é'\n?f\n%quit\nnever()\n")
	const want = "42\n模型\nx                int\n233\nfunc f() int\n\nf is seven.\n"
	if out != want || errs != "01" && errs != "" || err != nil {
		t.Errorf("output %q, errors %q, %v; want %q", out, errs, err, want)
	}
	if strings.Contains(out+errs, "\x1b") {
		t.Error("there are escapes")
	}
	for text, says := range map[string]string{
		"1\n\nx := []int{}\n\nx[\n3]\n": "cell 3, line 1 (line 5 of the input): panic: runtime error: index out of range",
		"7\n1=1\n8\n":                   "cell 2, line 1 (line 2 of the input): compile error",
		"func f() {\n":                  "cell 1",
	} {
		out, errs, err := pipe(text)
		if e, ok := err.(*exec.ExitError); !ok || e.ExitCode() != 1 || !strings.Contains(errs, says) || strings.Contains(out, "8") {
			t.Errorf("%q: %v, output %q, errors %q; want %q", text, err, out, errs, says)
		}
	}
	if _, errs, err := pipe("1", "-graphics", "vga"); err == nil || !strings.Contains(errs, "kitty") {
		t.Errorf("%v: %q", err, errs)
	}
}
