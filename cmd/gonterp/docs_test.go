package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/docs"
)

// fence is a block of Go in a page, after the word that says what becomes of it.
var fence = regexp.MustCompile("(?s)(?:(Wrong|Right):\n\n)?```go\n(.*?)```")

// TestErrorPages: what a page calls wrong gives the error that names the page, and what
// it calls right runs.
func TestErrorPages(t *testing.T) {
	n := newCells(t)
	t.Setenv("HF_HUB_CACHE", t.TempDir())
	folder := map[string]string{
		"no-weights":   someOfMini(t, "config.json"),
		"no-tokenizer": someOfMini(t, "config.json", "model.safetensors"),
		"no-model":     someOfMini(t, "config.json", "model.safetensors", "tokenizer.json"),
		"config":       alteredMini(t, "config.json", func(s string) string { return s[:len(s)/2] }),
		"architecture": alteredMini(t, "config.json", func(s string) string { return `{"model_type": "llama", "architectures": ["LlamaForCausalLM"]}` }),
		"checkpoint":   alteredMini(t, "model.safetensors", func(s string) string { return s[:len(s)/2] }),
		"misfit":       alteredMini(t, "config.json", func(s string) string { return strings.Replace(s, `"hidden_size": 128`, `"hidden_size": 256`, 1) }),
	}
	for _, page := range docs.Names() {
		text, err := docs.Page(page)
		if err != nil {
			t.Fatal(err)
		}
		cells := fence.FindAllStringSubmatch(text, -1)
		if len(cells) == 0 && page != "interrupted" && page != "libtorch" { // these come without a cell
			t.Errorf("%s has no cells", page)
		}
		for _, c := range cells {
			code := strings.ReplaceAll(c[2], "a-folder", folder[page])
			switch {
			case c[1] == "Right":
				n.cell(code)
			case c[1] != "Wrong":
				t.Errorf("%s: a cell is neither wrong nor right:\n%s", page, code)
			case page != "deadlock": // a matter of time, between goroutines: TestCrosswiseModels
				n.fails(code, 0, "gonterp help "+page)
			}
		}
	}
}

// someOfMini is a folder with some of the embedded model's files.
func someOfMini(t *testing.T, files ...string) string {
	dir := t.TempDir()
	for _, f := range files {
		data, err := os.ReadFile("../../families/mini/" + f)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, f), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// alteredMini is a folder with the embedded model, one file of it altered.
func alteredMini(t *testing.T, name string, alter func(string) string) string {
	dir := someOfMini(t, "config.json", "model.safetensors", "tokenizer.json")
	file := filepath.Join(dir, name)
	data, err := os.ReadFile(file)
	if err == nil {
		altered := alter(string(data))
		if altered == string(data) {
			t.Fatalf("%s is as it was", name)
		}
		err = os.WriteFile(file, []byte(altered), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestREADME: its cells run in the order they stand, and the last shows a figure.
func TestREADME(t *testing.T) {
	n := newCells(t)
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := ""
	for _, c := range fence.FindAllStringSubmatch(string(text), -1) {
		shown = n.cell(c[2])
	}
	if !strings.Contains(shown, "layers.1.self_attn.attention_probabilities") {
		t.Errorf("the last cell shows %q and no pattern", shown)
	}
}

// code is a piece of Go within a sentence or a table.
var code = regexp.MustCompile("`([^`]+)`")

// starts are what such a piece begins with when it is a statement.
var starts = regexp.MustCompile(`^(with .*\{|for .*\{|model :=|model\.[A-Z]|gonterp\.[A-Z]\w*\()`)

// TestSentencesRun: the statements in the text of the pages run, in a pass where they
// need one.
func TestSentencesRun(t *testing.T) {
	n := newCells(t)
	n.cell(`a, b := "When Mary and John went", "When John and Mary went"`)
	n.cell(`v := gonterp.Randn(1, model.HiddenSize)`)
	for _, file := range []string{"../../README.md", "../../docs/concepts.md", "../../docs/coming-from.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		ran := 0
		for _, line := range strings.Split(fence.ReplaceAllString(string(text), ""), "\n") {
			cells := strings.Split(line, "|") // of a table, the last column is ours
			if len(cells) > 2 {
				line = cells[len(cells)-2]
			}
			for _, m := range code.FindAllStringSubmatch(line, -1) {
				if !starts.MatchString(m[1]) {
					continue
				}
				ran++
				cell := strings.ReplaceAll(m[1], "{ … }", "{ }")
				if strings.Contains(cell, "loss") {
					cell = "loss, point := model.Logits.Value().Sum(), model.Layers[1].LayerOutput\n" + cell
				}
				_, err := n.run(cell)
				if err != nil && strings.Contains(err.Error(), "gonterp help no-pass") {
					_, err = n.run("with model.Trace(prompt, gonterp.Gradients()) {\n" + cell + "\n}")
				}
				if err != nil {
					t.Errorf("%s: %v\n%s", file, err, m[1])
				}
			}
		}
		t.Logf("%s: %d statements", file, ran)
		if ran == 0 {
			t.Errorf("%s has no statements", file)
		}
	}
}
