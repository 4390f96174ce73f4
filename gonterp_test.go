package gonterp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/gonterp/gonterp/runtime/torch/torchtest"
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

func copyFile(t *testing.T, from, to string) {
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o644); err != nil {
		t.Fatal(err)
	}
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
