package torch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fake is a folder that looks like libtorch's, with a version beside it.
func fake(t *testing.T, file, text string) string {
	t.Helper()
	lib := filepath.Join(t.TempDir(), "torch", "lib")
	write(t, filepath.Join(lib, soName), "")
	if file != "" {
		write(t, filepath.Join(filepath.Dir(lib), file), text)
	}
	return lib
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	wheel := fake(t, "version.py", "from typing import Optional\n\n__all__ = ['__version__']\n__version__ = '2.15.0+cu130'\n")
	archive := fake(t, "build-version", "2.12.1+cpu\n")
	data := t.TempDir()
	t.Setenv("GONTERP_HOME", data)

	t.Setenv("LIBTORCH", wheel)
	if l, err := Find(); err != nil || l != (Library{wheel, "2.15.0"}) {
		t.Errorf("$LIBTORCH: %+v, %v", l, err)
	}
	t.Setenv("LIBTORCH", filepath.Dir(wheel))
	if l, err := Find(); err != nil || l.Dir != wheel {
		t.Errorf("$LIBTORCH, the folder above: %+v, %v", l, err)
	}

	t.Setenv("LIBTORCH", "")
	write(t, filepath.Join(data, "libtorch", "torch", "lib", soName), "")
	if l, err := Find(); err != nil || l.Dir != filepath.Join(data, "libtorch", "torch", "lib") || l.Version != "" {
		t.Errorf("the data folder: %+v, %v", l, err)
	}
	write(t, filepath.Join(data, "libtorch.path"), archive+"\n")
	if l, err := Find(); err != nil || l != (Library{archive, "2.12.1"}) {
		t.Errorf("libtorch.path: %+v, %v", l, err)
	}

	t.Setenv("GONTERP_HOME", "")
	t.Setenv("XDG_DATA_HOME", filepath.Join(data, "none"))
	_, err := Find()
	var missing *NotFoundError
	if !errors.As(err, &missing) {
		t.Fatalf("nothing there: %v", err)
	}
	for _, word := range []string{"./install.sh", "LIBTORCH", filepath.Join(data, "none", "gonterp", "libtorch.path")} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the error lacks %q: %v", word, err)
		}
	}
	t.Setenv("LIBTORCH", filepath.Join(data, "nowhere"))
	if _, err := Find(); !errors.As(err, &missing) || !strings.Contains(err.Error(), "nowhere: no libtorch_cpu.so") {
		t.Errorf("a wrong $LIBTORCH: %v", err)
	}
}

func TestTooOld(t *testing.T) {
	t.Setenv("LIBTORCH", fake(t, "version.py", "__version__ = '2.9.1'\n"))
	err := open()
	var old *VersionError
	if !errors.As(err, &old) || old.Found != "2.9.1" || old.Needed != Needed {
		t.Fatalf("got %v", err)
	}
	if s := err.Error(); !strings.Contains(s, "2.9.1") || !strings.Contains(s, Needed) || !strings.Contains(s, "install.sh") {
		t.Error(s)
	}
}

// A file that is not a library is an error that says so, and no crash.
func TestBroken(t *testing.T) {
	lib := fake(t, "version.py", "__version__ = '2.15.0'\n")
	write(t, filepath.Join(lib, "libc10.so"), "this is no library")
	t.Setenv("LIBTORCH", lib)
	if err := open(); err == nil || !strings.Contains(err.Error(), "libc10.so") {
		t.Errorf("got %v", err)
	}
}

func TestOlder(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{"2.9.1", "2.11", true}, {"2.11.0", "2.11", false}, {"3.0", "2.11", false}, {"1.13", "2.11", true}, {"2.15.0a0", "2.11", false}} {
		if older(c.a, c.b) != c.want {
			t.Errorf("older(%q, %q)", c.a, c.b)
		}
	}
}

func TestParse(t *testing.T) {
	for d, f := range dtypes {
		if got, err := ParseDType(f.name); err != nil || got != d || d.String() != f.name || d.Size() == 0 {
			t.Errorf("%s: %v, %v", f.name, got, err)
		}
	}
	if d, err := ParseDType("bf16"); err != nil || d != BFloat16 {
		t.Errorf("bf16: %v, %v", d, err)
	}
	if _, err := ParseDType("float33"); err == nil || !strings.Contains(err.Error(), "float32") {
		t.Errorf("float33: %v", err)
	}
	for s, want := range map[string]Device{"cpu": CPU, "meta": Meta, "cuda": CUDA(0), "cuda:1": CUDA(1)} {
		if got, err := ParseDevice(s); err != nil || got != want {
			t.Errorf("%s: %v, %v", s, got, err)
		}
		if got, err := ParseDevice(want.String()); err != nil || got != want {
			t.Errorf("%s: %v, %v", want, got, err)
		}
	}
	for _, s := range []string{"", "gpu", "cuda:", "cuda:-1", "cuda:999"} {
		if _, err := ParseDevice(s); err == nil {
			t.Errorf("%q was taken for a device", s)
		}
	}
}
