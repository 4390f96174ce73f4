package notebook

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var written = []Cell{{Code: "x := 1"}, {Code: "func f() string {\n\treturn `a\n\n<b>模型`\n}"}, {Code: "f()"}}

func TestWhatIsWrittenIsRead(t *testing.T) {
	for _, name := range []string{"a.go", "a.ipynb"} {
		path := filepath.Join(t.TempDir(), name)
		if err := Write(path, written); err != nil {
			t.Fatal(err)
		}
		got, err := Read(path)
		if err != nil || len(got) != len(written) {
			t.Fatalf("%s: %d cells, %v", name, len(got), err)
		}
		for i, c := range got {
			if strings.TrimSpace(c.Code) != written[i].Code {
				t.Errorf("%s: cell %d is %q, want %q", name, i, c.Code, written[i].Code)
			}
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, cells := range map[string][]Cell{"b.txt": written, "c.go": {{Code: "s := `\n// %% no cell\n`"}}} {
		if err := Write(filepath.Join(dir, name), cells); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v does not name the file", name, err)
		}
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

// TestJupyterReadsIt asks nbformat, which front ends read notebooks with.
func TestJupyterReadsIt(t *testing.T) {
	python := os.Getenv("GONTERP_PYTHON")
	if python == "" {
		t.Skip("GONTERP_PYTHON does not name a Python that has nbformat")
	}
	path := filepath.Join(t.TempDir(), "a.ipynb")
	if err := Write(path, written); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "-c", "import nbformat, sys; nb = nbformat.read(sys.argv[1], 4); nbformat.validate(nb); print(nb.cells[1].source)", path).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != written[1].Code {
		t.Errorf("%v\n%s", err, out)
	}
}
