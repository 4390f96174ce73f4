package gonterp

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

func TestSaveTensors(t *testing.T) {
	torchtest.Need(t)
	file := filepath.Join(t.TempDir(), "x.safetensors")
	want := map[string]*Tensor{"a": Randn(1, 2, 3), "b": FromInts([]int64{1, 2}), "c": FromBools([]bool{true}, 1, 1)}
	if err := SaveTensors(file, want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadTensors(file)
	if err != nil || len(got) != 3 {
		t.Fatalf("read %d tensors, error %v", len(got), err)
	}
	for name, x := range want {
		if !Equal(x, got[name]) || x.DType() != got[name].DType() {
			t.Errorf("%s came back as %v", name, got[name])
		}
	}
	if err := SaveTensors("x.txt", want); err == nil || !strings.Contains(err.Error(), ".npz") {
		t.Errorf("an unknown ending: %v", err)
	}
	if _, err := ReadTensors("x.npz"); err == nil || !strings.Contains(err.Error(), ".safetensors") {
		t.Errorf("a file that is not read: %v", err)
	}
}
