package tables_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The tables are those of the packages as they are.
func TestTablesAreFresh(t *testing.T) {
	fresh := t.TempDir()
	const above = "github.com/gonterp/gonterp/kernel/"
	cmd := exec.Command("go", "run", "../../interp/symbols/generate", "-package", "tables", "-o", fresh, "-as", above+"=", above+"display", above+"comm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, _ := filepath.Glob(filepath.Join(fresh, "*.go"))
	if len(files) != 2 {
		t.Fatalf("generated %v", files)
	}
	for _, f := range files {
		want, _ := os.ReadFile(f)
		if got, err := os.ReadFile(filepath.Base(f)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is stale: run go generate ./kernel/tables", filepath.Base(f))
		}
	}
}
