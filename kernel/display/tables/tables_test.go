package tables_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The tables are those of the package as it is.
func TestTablesAreFresh(t *testing.T) {
	fresh := t.TempDir()
	const display = "github.com/gonterp/gonterp/kernel/display"
	cmd := exec.Command("go", "run", "../../../interp/symbols/generate", "-package", "tables", "-o", fresh, "-as", display+"=display", display)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, _ := filepath.Glob(filepath.Join(fresh, "*.go"))
	if len(files) != 1 {
		t.Fatalf("generated %v", files)
	}
	want, _ := os.ReadFile(files[0])
	if got, err := os.ReadFile(filepath.Base(files[0])); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is stale: run go generate ./kernel/display/tables", filepath.Base(files[0]))
	}
}
