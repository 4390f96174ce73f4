// Package cache checks that Python's libraries read what gonterp caches.
package cache

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gonterp/gonterp"
	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

// python is an interpreter that has the libraries.
func python(t *testing.T) string {
	const libraries = "numpy, safetensors, pyarrow"
	for _, name := range []string{os.Getenv("GONTERP_PYTHON"), "../../.gonterp/venv/bin/python", "python3"} {
		if name != "" && exec.Command(name, "-c", "import "+libraries).Run() == nil {
			return name
		}
	}
	reason := "no Python with " + libraries + ": set GONTERP_PYTHON to one (pip install numpy safetensors pyarrow)"
	if os.Getenv("CI") == "true" {
		t.Fatal(reason)
	}
	t.Skip(reason)
	return ""
}

func TestPythonReadsTheCache(t *testing.T) {
	torchtest.Need(t)
	interpreter := python(t)
	folder := t.TempDir()
	model, err := gonterp.Open(gonterp.Mini, gonterp.DType("float32"))
	if err != nil {
		t.Fatal(err)
	}
	var prompts []string
	tokens := 0
	for i := range 90 {
		prompt := fmt.Sprintf("%d+%d=%d\nThe capital of Japan is", i, i, 2*i)
		prompts = append(prompts, prompt)
		tokens += len(model.Tokens(prompt))
	}
	for _, format := range []string{"safetensors", "npz", "parquet"} {
		if err := model.CacheTo(filepath.Join(folder, "cache."+format), prompts, "layer_output", "layers.*.mlp.expert_indices", "layers.1.self_attn.attention_queries"); err != nil {
			t.Fatal(err)
		}
	}
	one := model.Cache(prompts[0], "layer_output", "attention_probabilities", "expert_indices")
	for _, format := range []string{"safetensors", "npz"} {
		if err := one.Save(filepath.Join(folder, "pass."+format)); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(interpreter, "check.py", folder).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var said struct {
		Tokens   int
		Checksum float64
	}
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if said.Tokens != tokens {
		t.Errorf("Python counts %d tokens, there are %d", said.Tokens, tokens)
	}
	sum := 0.0
	for _, prompt := range prompts {
		sum += model.Cache(prompt, "layers.2.layer_output").At("layers.2.layer_output").Abs().Sum().Item()
	}
	if math.Abs(said.Checksum-sum) > 1e-3*sum {
		t.Errorf("Python's numbers sum to %g, the passes' to %g", said.Checksum, sum)
	}
}

// A bfloat16 model's values are read exactly: NumPy gets them as float32.
func TestPythonReadsBfloat16(t *testing.T) {
	torchtest.Need(t)
	interpreter := python(t)
	folder := t.TempDir()
	model, err := gonterp.Open(gonterp.Mini)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "half.npz")
	if err := model.CacheTo(file, "The capital of Japan is", "layers.2.layer_output"); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(interpreter, "-c", "import numpy, sys; x = numpy.load(sys.argv[1])['layers.2.layer_output']; print(x.dtype, *x.flatten().tolist())", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dtype, numbers, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if dtype != "float32" {
		t.Errorf("Python reads %q, want float32", dtype)
	}
	read := strings.Fields(numbers)
	values := model.Cache("The capital of Japan is", "layers.2.layer_output").At("layers.2.layer_output").Float64s()
	if len(read) != len(values) {
		t.Fatalf("Python reads %d numbers, there are %d", len(read), len(values))
	}
	for i, v := range values {
		if got, err := strconv.ParseFloat(read[i], 64); err != nil || got != v {
			t.Fatalf("number %d is %s in Python and %g here", i, read[i], v)
		}
	}
}
