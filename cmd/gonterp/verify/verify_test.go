package verify

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gonterp/gonterp"
	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

const reference = "../../../tests/reference"

// TestReference makes every run of every reference folder.
func TestReference(t *testing.T) {
	torchtest.Need(t)
	dirs, err := filepath.Glob(filepath.Join(reference, "*", "runs.json"))
	if err != nil || len(dirs) < 9 {
		t.Fatalf("%d reference folders, want 9 and more (%v)", len(dirs), err)
	}
	for _, d := range dirs {
		dir := filepath.Dir(d)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			var out bytes.Buffer
			if err := Folders(&out, []string{dir}, nil); err != nil {
				t.Errorf("%v\n%s", err, out.String())
			}
		})
	}
}

// spoiled is a copy of a folder with an expected value changed.
func spoiled(t *testing.T, name, value string, change func(value []byte)) string {
	t.Helper()
	dir := t.TempDir()
	files, err := filepath.Glob(filepath.Join(reference, name, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(f) == "expected.safetensors" {
			spoil(t, data, value, change)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(f)), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestNoticesDifferences: a moved value, and a choice that differs, are failures,
// so the runs above prove something.
func TestNoticesDifferences(t *testing.T) {
	torchtest.Need(t)
	for _, c := range []struct {
		value string
		by    float32
		says  string
	}{
		{"plain/layers.2.layer_output", 0.1, "layers.2.layer_output"},
		{"plain/layers.1.self_attn.attention_probabilities", 1e-3, "attention_probabilities"},
		{"steer/logits", 0.1, "logits"},
	} {
		dir := spoiled(t, "v2-variant", c.value, func(at []byte) {
			binary.LittleEndian.PutUint32(at, math.Float32bits(math.Float32frombits(binary.LittleEndian.Uint32(at))+c.by))
		})
		var out bytes.Buffer
		run, _, _ := strings.Cut(c.value, "/")
		err := Folders(&out, []string{dir}, regexp.MustCompile("^"+run+"$"))
		if err == nil || !strings.Contains(out.String(), "FAIL") || !strings.Contains(out.String(), c.says) {
			t.Errorf("%s moved by %v: error %v, output %s", c.value, c.by, err, out.String())
		}
	}
}

// TestSettlesNearTiesOnly: an expert that the router does not all but choose is a
// failure, whichever it is, also where choices may be settled generously.
func TestSettlesNearTiesOnly(t *testing.T) {
	torchtest.Need(t)
	const value = "plain/layers.2.mlp.expert_indices"
	expected, err := gonterp.ReadTensors(filepath.Join(reference, "v32-bf16", "expected.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	chosen := expected[value].Index(0, 0).Ints()
	experts := expected["plain/layers.2.mlp.router_logits"].Size(2)
	for e := range int64(experts) {
		if slices.Contains(chosen, e) {
			continue
		}
		dir := spoiled(t, "v32-bf16", value, func(at []byte) { binary.LittleEndian.PutUint64(at, uint64(e)) })
		var out bytes.Buffer
		if err := Folders(&out, []string{dir}, regexp.MustCompile("^plain$")); err == nil || !strings.Contains(out.String(), "expert_indices") {
			t.Errorf("expert %d for %d: error %v, output %s", e, chosen[0], err, out.String())
		}
	}
}

// spoil changes a tensor in a safetensors file.
func spoil(t *testing.T, data []byte, name string, change func(value []byte)) {
	t.Helper()
	size := int(data[0]) | int(data[1])<<8 | int(data[2])<<16
	var header map[string]struct {
		Offsets [2]int `json:"data_offsets"`
	}
	if err := json.Unmarshal(data[8:8+size], &header); err != nil {
		t.Fatal(err)
	}
	entry, ok := header[name]
	if !ok {
		t.Fatalf("no %s in the file", name)
	}
	change(data[8+size+entry.Offsets[0] : 8+size+entry.Offsets[1]])
}

func TestIndexElements(t *testing.T) {
	torchtest.Need(t)
	var elements []*indexElement
	if err := json.Unmarshal([]byte(`[null, 3, -1, [2, 6], [3, null]]`), &elements); err != nil {
		t.Fatal(err)
	}
	x := gonterp.Arange(8)
	for i, want := range map[int]string{1: "[3]", 2: "[7]", 3: "[2 3 4 5]", 4: "[3 4 5 6 7]"} {
		to := gonterp.End
		if e := elements[i]; e.to != nil {
			to = *e.to
		}
		if got := x.Index(gonterp.Range(*elements[i].from, to)).Ints(); fmt.Sprint(got) != want {
			t.Errorf("element %d takes %v, want %s", i, got, want)
		}
	}
	if elements[0] != nil {
		t.Error("null is not all")
	}
}
