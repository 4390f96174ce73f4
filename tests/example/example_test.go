// Package example builds and runs a Go program outside this module.
package example

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

const said = `next:  Mary
layer 3 head 0 looks at:  Mary
without it:  John
capitals: [ Paris  Tokyo]
`

// TestProgramOutside copies the program to a folder of its own, as a user has it.
func TestProgramOutside(t *testing.T) {
	torchtest.Need(t)
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, name := range []string{"go.mod", "main.go"} {
		copyFile(t, filepath.Join("program", name), filepath.Join(folder, name))
	}
	// The checksums of what gonterp needs are those of gonterp itself.
	copyFile(t, filepath.Join(root, "go.sum"), filepath.Join(folder, "go.sum"))
	run(t, folder, "go", "mod", "edit", "-replace", "github.com/gonterp/gonterp="+root)
	run(t, folder, "go", "build", "-mod=mod", "-o", "program", ".")
	if out := run(t, folder, filepath.Join(folder, "program")); out != said {
		t.Errorf("it says\n%s\nwant\n%s", out, said)
	}
	cmd := exec.Command(filepath.Join(folder, "program"), filepath.Join(folder, "no-such-model"))
	out, err := cmd.CombinedOutput()
	if err == nil || strings.Contains(string(out), "goroutine") || len(out) == 0 {
		t.Errorf("a folder that is not there: %v\n%s", err, out)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
