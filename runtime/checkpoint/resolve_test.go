package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const commit = "0123456789abcdef0123456789abcdef01234567"

// cached makes the layout of the Hugging Face client, in which a snapshot's
// files are links to blobs.
func cached(t *testing.T, hub, id string) string {
	t.Helper()
	repo := filepath.Join(hub, "models--"+strings.ReplaceAll(id, "/", "--"))
	dir := filepath.Join(repo, "snapshots", commit)
	for _, d := range []string{dir, filepath.Join(repo, "blobs"), filepath.Join(repo, "refs")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(filepath.Join(reference, "v3", configName))
	if err != nil {
		t.Fatal(err)
	}
	weights, err := os.ReadFile(filepath.Join(reference, "v3", singleName))
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{configName: data, singleName: weights} {
		if err := os.WriteFile(filepath.Join(repo, "blobs", name+"-blob"), b, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("../../blobs/"+name+"-blob", filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(repo, "refs", "main"), []byte(commit), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestResolve(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, c := range []struct{ variable, value, hub string }{
		{"HF_HUB_CACHE", filepath.Join(home, "a"), filepath.Join(home, "a")},
		{"HF_HOME", filepath.Join(home, "b"), filepath.Join(home, "b", "hub")},
		{"HF_HOME", "~/c", filepath.Join(home, "c", "hub")},
		{"XDG_CACHE_HOME", filepath.Join(home, "d"), filepath.Join(home, "d", "huggingface", "hub")},
		{"HF_HOME", "", filepath.Join(home, ".cache", "huggingface", "hub")},
	} {
		for _, v := range []string{"HF_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"} {
			t.Setenv(v, "")
		}
		t.Setenv(c.variable, c.value)
		want := cached(t, c.hub, "org/some-Model.1")
		got, err := Resolve("org/some-Model.1")
		if err != nil || got != want {
			t.Errorf("%s=%s: %s, %v", c.variable, c.value, got, err)
			continue
		}
		if _, err := ReadConfig(got); err != nil {
			t.Error(err)
		}
		if _, err := Open(got); err != nil {
			t.Error(err)
		}
	}
	if dir, err := Resolve(filepath.Join(reference, "v3")); err != nil || dir != filepath.Join(reference, "v3") {
		t.Errorf("%s, %v", dir, err)
	}
	if dir, err := Resolve(filepath.Join(reference, "v3", configName)); err != nil || dir != filepath.Join(reference, "v3") {
		t.Errorf("%s, %v", dir, err)
	}
}

func TestUnresolved(t *testing.T) {
	hub := t.TempDir()
	t.Setenv("HF_HUB_CACHE", hub)
	_, err := Resolve("deepseek-ai/DeepSeek-V2-Lite")
	var uncached *UncachedError
	if !errors.As(err, &uncached) || !strings.HasSuffix(err.Error(), "run: hf download deepseek-ai/DeepSeek-V2-Lite") || !strings.Contains(err.Error(), hub) {
		t.Error(err)
	}
	for _, name := range []string{"no-such-folder", "../x/y", "a/b/c", "", "a/..", "org/na me"} {
		if dir, err := Resolve(name); err == nil || !strings.Contains(err.Error(), "no such folder") {
			t.Errorf("%q: %s, %v", name, dir, err)
		}
	}
	// A snapshot without weights tells which model to download.
	dir := cached(t, hub, "org/half")
	os.Remove(filepath.Join(dir, singleName))
	if _, err := Open(dir); err == nil || !strings.HasSuffix(err.Error(), "run: hf download org/half") {
		t.Error(err)
	}
	if _, err := Resolve("org/halve"); err == nil || !strings.Contains(err.Error(), "the nearest is org/half;") {
		t.Error(err)
	}
	// A ref that leads out of the folder is refused.
	os.WriteFile(filepath.Join(hub, "models--org--half", "refs", "main"), []byte("../../.."), 0o644)
	if _, err := Resolve("org/half"); err == nil || !strings.Contains(err.Error(), "expected a commit") {
		t.Error(err)
	}
}
