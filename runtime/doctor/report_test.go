package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// emptyHome is a machine on which nothing is installed.
func emptyHome(t *testing.T) string {
	home := t.TempDir()
	for _, name := range []string{"GONTERP_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "LIBTORCH", "JUPYTER_PATH", "JUPYTER_DATA_DIR", "VIRTUAL_ENV", "HF_HOME", "HF_HUB_CACHE"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", home)
	t.Setenv("PATH", home)
	return home
}

func find(t *testing.T, checks []Check, name string) Check {
	for _, c := range checks {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no check named %s", name)
	return Check{}
}

func TestNothingInstalled(t *testing.T) {
	emptyHome(t)
	checks := Report()
	if c := find(t, checks, "libtorch"); c.State != Fault || !strings.Contains(c.Mend, "./install.sh") {
		t.Errorf("libtorch: %v", c)
	}
	if c := find(t, checks, "Jupyter"); c.State != Note || c.Mend == "" {
		t.Errorf("Jupyter: %v", c)
	}
	for _, c := range checks {
		if c.State != OK && c.Mend == "" {
			t.Errorf("%s has a fault and no way to mend it: %v", c.Name, c)
		}
	}
	if Faults(checks) < 1 {
		t.Error("no faults counted")
	}
}

func TestLibtorchVariableNamesAWrongFolder(t *testing.T) {
	home := emptyHome(t)
	t.Setenv("LIBTORCH", home)
	c := find(t, Report(), "libtorch")
	if c.State != Fault || !strings.Contains(c.Found, home) || !strings.Contains(c.Mend, "LIBTORCH") {
		t.Errorf("got %v", c)
	}
}

func TestKernelspec(t *testing.T) {
	home := emptyHome(t)
	dir := filepath.Join(home, ".local", "share", "jupyter", "kernels", "gonterp")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(home, "gonterp")
	for _, c := range []struct {
		spec  string
		there bool // the program
		state State
		says  string
	}{
		{`{"argv": ["` + program + `", "kernel"]}`, false, Fault, "which is not there"},
		{`{"argv": ["` + program + `", "kernel"]}`, true, OK, program},
		{`{"argv": []}`, true, Fault, "names no program"},
		{`{"argv": [`, true, Fault, "does not parse"},
	} {
		os.Remove(program)
		if c.there {
			if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "kernel.json"), []byte(c.spec), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := kernelspec(); got.State != c.state || !strings.Contains(got.Found, c.says) {
			t.Errorf("%s: got %v, want %v saying %q", c.spec, got, c.state, c.says)
		}
	}
}

func TestModelCacheListsIDs(t *testing.T) {
	home := emptyHome(t)
	if err := os.MkdirAll(filepath.Join(home, ".cache", "huggingface", "hub", "models--deepseek-ai--DeepSeek-V2-Lite"), 0o755); err != nil {
		t.Fatal(err)
	}
	if c := modelCache(); !strings.Contains(c.Found, "deepseek-ai/DeepSeek-V2-Lite") {
		t.Errorf("got %v", c)
	}
}
