package checkpoint

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

// What is often found in place of a checkpoint's files is called by its name.
func TestForeignFiles(t *testing.T) {
	for _, c := range []struct{ name, data, says string }{
		{"a pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n", "git lfs pull"},
		{"a page", "<!DOCTYPE html><html></html>", "a web page; download it again"},
		{"GGUF", "GGUF\x03\x00\x00\x00\x00\x00\x00\x00", "a GGUF file"},
		{"PyTorch", "PK\x03\x04\x14\x00\x00\x00\x00\x00", "save it again as safetensors"},
		{"a pickle", "\x80\x02}q", "save it again as safetensors"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range []string{configName, singleName, indexName} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(c.data), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			_, config := ReadConfig(dir)
			_, weights := Open(dir)
			if err := os.Remove(filepath.Join(dir, singleName)); err != nil {
				t.Fatal(err)
			}
			_, index := Open(dir)
			for name, err := range map[string]error{configName: config, singleName: weights, indexName: index} {
				if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), filepath.Join(dir, name)) {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

// A device might never end, and a pipe might never begin.
func TestEndlessFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("has no /dev/zero")
	}
	dir := t.TempDir()
	for _, name := range []string{configName, singleName} {
		if err := os.Symlink("/dev/zero", filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	_, config := ReadConfig(dir)
	_, weights := Open(dir)
	for name, err := range map[string]error{configName: config, singleName: weights} {
		if err == nil || !strings.Contains(err.Error(), name+": expected a file, found a device") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Remove(filepath.Join(dir, configName)); err != nil {
		t.Fatal(err)
	}
	large, err := os.Create(filepath.Join(dir, configName))
	if err != nil {
		t.Fatal(err)
	}
	defer large.Close()
	if err := large.Truncate(textLimit + 1); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadConfig(dir); err == nil || !strings.Contains(err.Error(), "at most 256 MB") {
		t.Errorf("%v", err)
	}
}

func TestWeightsAreFloats(t *testing.T) {
	torchtest.Need(t)
	s, err := OpenBytes("x", file(`{"a":{"dtype":"I16","shape":[2],"data_offsets":[0,4]}}`, 4))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Tensor("a", torch.Float32); err == nil || !strings.Contains(err.Error(), "x: tensor a: stored as I16, where weights are floats") {
		t.Errorf("%v", err)
	}
	if _, err := s.Tensor("a", torch.Int16); err != nil {
		t.Error(err)
	}
}
