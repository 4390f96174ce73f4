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
	if err != nil || len(dirs) != 9 {
		t.Fatalf("%d reference folders, want 9 (%v)", len(dirs), err)
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

// spoiled is a copy of a folder with one number of one expected value moved.
func spoiled(t *testing.T, name, value string, by float32) string {
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
			spoil(t, data, value, by)
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
		dir := spoiled(t, "v2-variant", c.value, c.by)
		var out bytes.Buffer
		run, _, _ := strings.Cut(c.value, "/")
		err := Folders(&out, []string{dir}, regexp.MustCompile("^"+run+"$"))
		if err == nil || !strings.Contains(out.String(), "FAIL") || !strings.Contains(out.String(), c.says) {
			t.Errorf("%s moved by %v: error %v, output %s", c.value, c.by, err, out.String())
		}
	}
}

// spoil adds to the first element of a float32 tensor in a safetensors file.
func spoil(t *testing.T, data []byte, name string, by float32) {
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
	at := data[8+size+entry.Offsets[0]:]
	binary.LittleEndian.PutUint32(at, math.Float32bits(math.Float32frombits(binary.LittleEndian.Uint32(at))+by))
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
