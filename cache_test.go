package gonterp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/runtime/trace"
	"github.com/parquet-go/parquet-go"
)

func TestCacheNames(t *testing.T) {
	m := loaded(t)
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"layer_output"}, "[layers.0.layer_output layers.1.layer_output layers.2.layer_output layers.3.layer_output]"},
		{[]string{"layers.*.mlp.router_logits"}, "[layers.1.mlp.router_logits layers.2.mlp.router_logits layers.3.mlp.router_logits]"},
		{[]string{"layers.-1.layer_output", "layers.0.layer_input"}, "[layers.0.layer_input layers.3.layer_output]"},
		{[]string{"layers.1.attention_*"}, "[layers.1.attention_norm_output]"},
		{[]string{"layers.1.**.expert_*"}, "[layers.1.mlp.expert_indices layers.1.mlp.expert_weights layers.1.mlp.expert_neurons layers.1.mlp.expert_outputs]"},
		{[]string{"layers.*.self_attn.q_b_proj.output"}, "[layers.0.self_attn.q_b_proj.output layers.1.self_attn.q_b_proj.output layers.2.self_attn.q_b_proj.output layers.3.self_attn.q_b_proj.output]"},
		{[]string{"logits", "logits"}, "[logits]"},
	} {
		paths, err := m.match(c.names)
		if err != nil || fmt.Sprint(paths) != c.want {
			t.Errorf("%q finds %v, %v, want %s", c.names, paths, err, c.want)
		}
	}
	for name, want := range map[string]string{
		"layer_outptu":               `the nearest is "layer_output"`,
		"layers.1.layer_outptu":      `the nearest is "layers.1.layer_output"`,
		"layers.9.*":                 "there is no value",
		"layers.0.mlp.router_logits": "dense block",
	} {
		if _, err := m.match([]string{name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", name, err, want)
		}
	}
}

func TestCacheEqualsTrace(t *testing.T) {
	m := loaded(t)
	c := m.Cache(maryAndJohn)
	for range m.Trace(maryAndJohn) {
		for _, path := range c.Names() {
			if !Equal(c.At(path), m.At(path).Value()) {
				t.Errorf("the cache's %s differs from the trace's", path)
			}
		}
	}
	stack := c.Stack("router_logits")
	if fmt.Sprint(stack.Shape(), stack.Origin().Axes, stack.Origin().Labels[0]) != "[3 1 15 8] [layer batch seq num_experts] [1 2 3]" {
		t.Errorf("the stack has shape %v, axes %v, labels %v", stack.Shape(), stack.Origin().Axes, stack.Origin().Labels[0])
	}
	if !strings.Contains(c.String(), "layers.3.layer_output") {
		t.Errorf("the cache prints as\n%s", c)
	}
	few := m.Cache(maryAndJohn, "layers.1.layer_output")
	if err := caught(t, func() { few.At("layers.2.layer_output") }); !strings.Contains(err.Error(), "does not hold") {
		t.Errorf("a value that was not asked for: %v", err)
	}
	if err := caught(t, func() { few.At("layers.1.layer_outptu") }); !strings.Contains(err.Error(), "the nearest is") {
		t.Errorf("a misspelt value: %v", err)
	}
}

func TestCacheSave(t *testing.T) {
	m := loaded(t)
	c := m.Cache(maryAndJohn, "layer_output", "expert_indices", "attention_probabilities")
	file := filepath.Join(t.TempDir(), "one.safetensors")
	if err := c.Save(file); err != nil {
		t.Fatal(err)
	}
	read, err := ReadTensors(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(read) != len(c.Names()) {
		t.Errorf("%d tensors were read, %d saved", len(read), len(c.Names()))
	}
	for name, v := range read {
		if !Equal(v, c.At(name)) {
			t.Errorf("%s came back changed", name)
		}
	}
	if err := c.Save(filepath.Join(t.TempDir(), "one.pt")); err == nil || !strings.Contains(err.Error(), ".safetensors or .npz") {
		t.Errorf("another format: %v", err)
	}
}

// streamed are prompts of many lengths, more than fit into one part.
func streamed() []string {
	var prompts []string
	for i := range 60 {
		prompts = append(prompts, fmt.Sprintf("%d+%d=%d\n", i, i, 2*i)+strings.Repeat("The cats near the dog are red.\n", i%4))
	}
	return prompts
}

func TestCacheTo(t *testing.T) {
	m := loaded(t)
	prompts := streamed()
	file := filepath.Join(t.TempDir(), "many.safetensors")
	if err := m.CacheTo(file, prompts, "layers.2.layer_output", "layers.2.mlp.expert_indices", "layers.1.self_attn.attention_keys", "layers.1.self_attn.kv_a_layernorm.output"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file + ".parts"); err == nil {
		t.Error("the parts are left behind")
	}
	read, err := ReadTensors(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, prompt := range prompts {
		rows := read["prompt"].Eq(i)
		if fmt.Sprint(read["input_ids"].Index(rows).Ints()) != fmt.Sprint(m.Tokens(prompt)) {
			t.Fatalf("prompt %d has ids %v", i, read["input_ids"].Index(rows).Ints())
		}
		if i%7 != 0 {
			continue
		}
		for range m.Trace(prompt) {
			closeTo(t, prompt, read["layers.1.self_attn.kv_a_layernorm.output"].Index(rows), m.At("layers.1.self_attn.kv_a_layernorm.output").Value().Index(0), 1e-4)
			closeTo(t, prompt, read["layers.1.self_attn.attention_keys"].Index(rows), m.Layers[1].SelfAttn.AttentionKeys.Value().Index(0).Transpose(0, 1), 1e-4)
			closeTo(t, prompt, read["layers.2.layer_output"].Index(rows), m.Layers[2].LayerOutput.Value().Index(0), 1e-4)
		}
	}
	if err := m.CacheTo(file, prompts, "layer_output"); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("a second time: %v", err)
	}
}

func TestCacheToResumes(t *testing.T) {
	m := loaded(t)
	prompts := streamed()
	dir := t.TempDir()
	whole, broken := filepath.Join(dir, "whole.safetensors"), filepath.Join(dir, "broken.safetensors")
	if err := m.CacheTo(whole, prompts, "layer_output"); err != nil {
		t.Fatal(err)
	}
	steps := 0
	Progress = func(_ string, done, total int) {
		steps++
		if steps == 2 {
			trace.Interrupted.Store(true)
		}
	}
	defer func() { Progress = nil; trace.Interrupted.Store(false) }()
	err := m.CacheTo(broken, prompts, "layer_output")
	var interrupt *trace.InterruptError
	if !errors.As(err, &interrupt) || !strings.Contains(err.Error(), "goes on from there") {
		t.Fatalf("interrupted: %v", err)
	}
	trace.Interrupted.Store(false)
	parts, _ := filepath.Glob(filepath.Join(broken+".parts", "*.safetensors"))
	if len(parts) == 0 {
		t.Fatal("nothing was kept")
	}
	if err := m.CacheTo(broken, prompts[1:], "layer_output"); err == nil || !strings.Contains(err.Error(), "other prompts") {
		t.Errorf("other prompts over the same parts: %v", err)
	}
	before, err := os.Stat(parts[0])
	if err != nil {
		t.Fatal(err)
	}
	Progress = func(label string, done, total int) {
		if after, err := os.Stat(parts[0]); err == nil && !os.SameFile(before, after) {
			t.Error("a finished part was computed again")
		}
	}
	if err := m.CacheTo(broken, prompts, "layer_output"); err != nil {
		t.Fatal(err)
	}
	a, errA := os.ReadFile(whole)
	b, errB := os.ReadFile(broken)
	if errA != nil || errB != nil || string(a) != string(b) {
		t.Errorf("a resumed cache is another file (%v, %v, %d and %d bytes)", errA, errB, len(a), len(b))
	}
}

func TestCacheToParquet(t *testing.T) {
	m := loaded(t)
	file := filepath.Join(t.TempDir(), "many.parquet")
	prompts := streamed()
	if err := m.CacheTo(file, prompts, "layers.2.layer_output"); err != nil {
		t.Fatal(err)
	}
	type row struct {
		Prompt   int64     `parquet:"prompt"`
		Position int64     `parquet:"position"`
		ID       int64     `parquet:"input_ids"`
		Stream   []float32 `parquet:"layers.2.layer_output,list"`
	}
	rows, err := parquet.ReadFile[row](file)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, prompt := range prompts {
		total += len(m.Tokens(prompt))
	}
	if len(rows) != total {
		t.Fatalf("%d rows for %d tokens", len(rows), total)
	}
	last := rows[len(rows)-1]
	for range m.Trace(prompts[len(prompts)-1]) {
		stream := m.Layers[2].LayerOutput.Value().Index(0, -1)
		closeTo(t, "the last row", FromFloats(last.Stream, len(last.Stream)), stream, 1e-4)
	}
	if last.Prompt != int64(len(prompts)-1) || int(last.Position) != len(m.Tokens(prompts[len(prompts)-1]))-1 {
		t.Errorf("the last row is prompt %d position %d", last.Prompt, last.Position)
	}
}

func TestCacheToRefuses(t *testing.T) {
	m := loaded(t)
	dir := t.TempDir()
	for want, f := range map[string]func() error{
		"must end in":                func() error { return m.CacheTo(filepath.Join(dir, "a.csv"), "a", "layer_output") },
		"no values are named":        func() error { return m.CacheTo(filepath.Join(dir, "a.npz"), "a") },
		"two axes that count tokens": func() error { return m.CacheTo(filepath.Join(dir, "a.npz"), "a", "attention_scores") },
		"has no row for each token": func() error {
			return m.CacheTo(filepath.Join(dir, "a.npz"), "a", "layers.*.mlp.router.e_score_correction_bias")
		},
		"the nearest is":         func() error { return m.CacheTo(filepath.Join(dir, "a.npz"), "a", "layer_outptu") },
		"not a directory":        func() error { return m.CacheTo(os.DevNull+"/a.npz", "a", "layer_output") },
		"a float64 is no prompt": func() error { return m.CacheTo(filepath.Join(dir, "a.npz"), 1.5, "layer_output") },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in: %v", want, err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("refused calls left %v", left)
	}
}

// A part cut short is named, and only it is computed anew.
func TestCacheToBrokenPart(t *testing.T) {
	m := loaded(t)
	file := filepath.Join(t.TempDir(), "many.npz")
	prompts := streamed()
	defer func() { Progress = nil }()
	first := filepath.Join(file+".parts", "000000.safetensors")
	Progress = func(_ string, done, total int) {
		if done == total {
			if err := os.Truncate(first, 20000); err != nil {
				t.Error(err)
			}
		}
	}
	err := m.CacheTo(file, prompts, "layer_output")
	if err == nil || !strings.Contains(err.Error(), first) || !strings.Contains(err.Error(), "Delete") {
		t.Fatalf("a part cut short: %v", err)
	}
	Progress = nil
	if err := os.Remove(first); err != nil {
		t.Fatal(err)
	}
	if err := m.CacheTo(file, prompts, "layer_output"); err != nil {
		t.Error(err)
	}
}
