package install

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gonterp/gonterp/runtime/torch"
)

// A machine is a home folder and what a run of install.sh finds there.
type machine struct {
	t    *testing.T
	home string
	env  []string
}

// newMachine has nothing installed and no way to download anything.
func newMachine(t *testing.T) *machine {
	t.Helper()
	for _, tool := range []string{"bash", "go", "python3"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is not installed", tool)
			}
			t.Skipf("%s is not installed", tool)
		}
	}
	m := &machine{t: t, home: t.TempDir()}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	// Go's own caches stay, so that a build takes a second.
	m.env = []string{
		"HOME=" + m.home, "PATH=" + filepath.Join(m.home, "tools") + ":" + os.Getenv("PATH"),
		"GOCACHE=" + goEnv(t, "GOCACHE", filepath.Join(cache, "go-build")), "GOMODCACHE=" + goEnv(t, "GOMODCACHE", ""),
		"GOTELEMETRY=off", "PIP_NO_INDEX=1", "PYTHONPATH=" + filepath.Join(m.home, "site"),
	}
	seed(t, filepath.Join(m.home, ".local", "bin", "gonterp"))
	// A torch that this machine's Python has must not be found.
	m.write("site/sitecustomize.py", "import sys\nsys.modules['torch'] = None\n", 0o644)
	return m
}

var built struct {
	sync.Once
	program []byte
	err     error
}

// seed puts a program there that install.sh's build finds up to date: each test would
// link it anew otherwise.
func seed(t *testing.T, path string) {
	t.Helper()
	built.Do(func() {
		file := filepath.Join(t.TempDir(), "gonterp")
		cmd := exec.Command("go", "build", "-trimpath", "-o", file, "../../cmd/gonterp")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w\n%s", err, out)
			return
		}
		built.program, built.err = os.ReadFile(file)
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, built.program, 0o755); err != nil {
		t.Fatal(err)
	}
}

func goEnv(t *testing.T, name, otherwise string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if v := strings.TrimSpace(string(out)); err == nil && v != "" {
		return v
	}
	return otherwise
}

func (m *machine) tool(name, text string) {
	m.t.Helper()
	m.write(filepath.Join("tools", name), text, 0o755)
}

func (m *machine) write(path, text string, mode fs.FileMode) {
	m.t.Helper()
	path = filepath.Join(m.home, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) read(path string) string {
	m.t.Helper()
	text, err := os.ReadFile(filepath.Join(m.home, path))
	if err != nil {
		m.t.Fatal(err)
	}
	return string(text)
}

// install runs install.sh and says what it printed and whether it succeeded.
func (m *machine) install(args ...string) (string, bool) {
	m.t.Helper()
	cmd := exec.Command("bash", append([]string{"../../install.sh"}, args...)...)
	cmd.Env = m.env
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.t.Fatal(err)
	}
	return string(out), err == nil
}

// want fails the test where the output lacks one of the texts.
func want(t *testing.T, out string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(out, text) {
			t.Errorf("the output does not say %q:\n%s", text, out)
		}
	}
}

// doctor is what the installed program says of itself.
func (m *machine) doctor() string {
	m.t.Helper()
	cmd := exec.Command(filepath.Join(m.home, ".local", "bin", "gonterp"), "doctor")
	cmd.Env = m.env
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.t.Fatal(err)
	}
	return string(out)
}

func realLibtorch(t *testing.T) string {
	t.Helper()
	lib, err := torch.Find()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return lib.Dir
}

// A folder of one's own is used as it is, nothing is copied, and a second run is harmless.
func TestOwnLibtorch(t *testing.T) {
	lib := realLibtorch(t)
	m := newMachine(t)
	m.env = append(m.env, "LIBTORCH="+lib)
	for range 2 {
		out, ok := m.install()
		if !ok {
			t.Fatalf("install.sh failed:\n%s", out)
		}
		want(t, out, "using $LIBTORCH", "a first trace", "gonterp doctor")
	}
	if got := strings.TrimSpace(m.read(".local/share/gonterp/libtorch.path")); got != lib {
		t.Errorf("libtorch.path names %s, want %s", got, lib)
	}
	if _, err := os.Stat(filepath.Join(m.home, ".local/share/gonterp/libtorch")); err == nil {
		t.Error("libtorch was copied")
	}
	if pictures, _ := filepath.Glob(filepath.Join(m.home, ".local/share/gonterp/first-trace/*.png")); len(pictures) == 0 {
		t.Error("the first trace left no picture")
	}
	// From now on the variable is not needed.
	m.env = m.env[:len(m.env)-1]
	want(t, m.doctor(), "ok     libtorch", lib, "ok     Jupyter kernel")
}

// fakeTorch is a Python package named torch of some version.
func (m *machine) fakeTorch(version string) {
	m.write("site/sitecustomize.py", "", 0o644)
	m.write("site/torch/__init__.py", "raise ImportError('install.sh must not import torch')\n", 0o644)
	m.write("site/torch/version.py", "__version__ = '"+version+"+cu130'\n", 0o644)
	m.write("site/torch/lib/libtorch_cpu.so", "not a library", 0o644)
}

func TestTorchOfPythonIsUsed(t *testing.T) {
	m := newMachine(t)
	m.fakeTorch("2.12.1")
	out, _ := m.install()
	want(t, out, "using the torch of", "torch 2.12.1")
	if got := strings.TrimSpace(m.read(".local/share/gonterp/libtorch.path")); got != filepath.Join(m.home, "site/torch/lib") {
		t.Errorf("libtorch.path names %s", got)
	}
}

func TestOldTorchOfPythonIsPassedOver(t *testing.T) {
	m := newMachine(t)
	m.fakeTorch("2.9.0")
	out, ok := m.install()
	if ok {
		t.Error("install.sh says that all is done")
	}
	want(t, out, "is torch 2.9.0; 2.11 or newer is needed")
}

// Without a network the program and the kernel are there all the same, and the
// command to repeat is printed with its arguments.
func TestNoDownload(t *testing.T) {
	m := newMachine(t)
	out, ok := m.install()
	if ok {
		t.Fatalf("install.sh says that all is done:\n%s", out)
	}
	want(t, out, "Not everything is done", "Repeat: (cd ", "./install.sh)")
	want(t, m.doctor(), "FAULT  libtorch", "./install.sh", "ok     Jupyter kernel")
}

func TestNoTorch(t *testing.T) {
	m := newMachine(t)
	out, ok := m.install("--no-torch")
	if !ok {
		t.Fatalf("install.sh failed:\n%s", out)
	}
	want(t, out, "left out, as asked")
	m.write("cells.go", "// %%\n6 * 7\n", 0o644)
	cmd := exec.Command(filepath.Join(m.home, ".local/bin/gonterp"), "run", filepath.Join(m.home, "cells.go"))
	cmd.Env = m.env
	cells, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("a cell without tensors failed: %v\n%s", err, cells)
	}
	want(t, string(cells), "42")
}

// pinned reads the script's own list for this machine.
func pinned(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../install.sh")
	if err != nil {
		t.Fatal(err)
	}
	arch, err := exec.Command("uname", "-m").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, line := range strings.Split(string(text), "\n") {
		f := strings.Fields(line)
		if len(f) == 4 && len(f[2]) == 64 && strings.Contains(f[3], strings.TrimSpace(string(arch))) {
			files[f[0]] = f[3]
		}
	}
	if len(files) != 3 {
		t.Fatalf("install.sh pins %d wheels for this machine, want 3", len(files))
	}
	return files
}

func TestDamagedWheelIsRefused(t *testing.T) {
	m := newMachine(t)
	name := pinned(t)["torch"]
	m.write(name, "PK, but not much else", 0o644)
	out, ok := m.install("--wheel", filepath.Join(m.home, name))
	if ok {
		t.Error("install.sh says that all is done")
	}
	want(t, out, "is damaged: its sha256 is not", "--wheel")
	if _, err := os.Stat(filepath.Join(m.home, ".local/share/gonterp/libtorch")); err == nil {
		t.Error("a damaged wheel was installed")
	}
}

// Wheels of one's own are unpacked: the libraries that a CPU needs, nothing else,
// nothing outside the folder.
func TestOwnWheels(t *testing.T) {
	m := newMachine(t)
	var args []string
	for name, files := range map[string][]string{
		"torch-2.14.0-cp313-cp313-linux_x86_64.whl": {"torch/version.py", "torch/lib/libtorch_cpu.so", "torch/lib/libc10.so", "torch/lib/libgomp.so.1",
			"torch/lib/libtorch_cuda.so", "torch/nn/functional.py", "../../torch/lib/libc10.so"},
		"nvidia_cuda_runtime-13.2.99-py3-none-any.whl": {"nvidia/cu13/lib/libcudart.so.13", "nvidia/cu13/lib/libcudart_static.a"},
		"nvidia_cuda_cupti-13.2.99-py3-none-any.whl":   {"nvidia/cu13/lib/libcupti.so.13"},
	} {
		path := filepath.Join(m.home, name)
		writeWheel(t, path, files)
		args = append(args, "--wheel", path)
	}
	out, _ := m.install(args...)
	want(t, out, "is not the pinned", "its hash is not checked")
	var got []string
	root := filepath.Join(m.home, ".local/share/gonterp")
	err := filepath.WalkDir(filepath.Join(root, "libtorch"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(root, path)
			got = append(got, rel)
		}
		return err
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	expected := []string{"libtorch/complete", "libtorch/nvidia/cu13/lib/libcudart.so.13", "libtorch/nvidia/cu13/lib/libcupti.so.13",
		"libtorch/torch/lib/libc10.so", "libtorch/torch/lib/libgomp.so.1", "libtorch/torch/lib/libtorch_cpu.so", "libtorch/torch/version.py"}
	if fmt.Sprint(got) != fmt.Sprint(expected) {
		t.Errorf("installed %v\nwant      %v", got, expected)
	}
	for i := 1; i < len(args); i += 2 {
		if _, err := os.Stat(args[i]); err != nil {
			t.Errorf("a wheel of the user's was deleted: %v", err)
		}
	}
}

func writeWheel(t *testing.T, path string, files []string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	for _, name := range files {
		e, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		text := name
		if name == "torch/version.py" {
			text = "__version__ = '2.14.0+cpu'"
		}
		fmt.Fprintln(e, text)
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestBadArguments(t *testing.T) {
	m := newMachine(t)
	for _, args := range [][]string{{"--frobnicate"}, {"--wheel"}, {"--wheel", "/nonexistent.whl"}} {
		out, ok := m.install(args...)
		if ok {
			t.Errorf("%v is accepted:\n%s", args, out)
		}
		want(t, out, args[len(args)-1])
	}
}

func TestOldGo(t *testing.T) {
	m := newMachine(t)
	m.tool("go", "#!/bin/sh\n[ \"$1 $2\" = 'env GOVERSION' ] && echo go1.19.8\n")
	out, ok := m.install()
	if ok {
		t.Error("install.sh says that all is done")
	}
	want(t, out, "go1.19.8 is too old", "./install.sh")
}
