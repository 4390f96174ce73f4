package gonterp

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/gonterp/gonterp"

// order lists the folders from the bottom of the house to its roof, each with why
// it may not import what stands below it in the list. A package may import only
// packages of its own folder and of folders above it here.
var order = []struct{ folder, reason string }{
	{"docs", "pages are text, which any error may name"},
	{"runtime/spelling", "words are compared without knowing what they name"},
	{"runtime/folder", "where files of a person lie is known before anything is opened"},
	{"runtime/torch", "tensors are arrays and know no model"},
	{"runtime/checkpoint", "a checkpoint is files and tensors; it knows no architecture"},
	{"runtime/tokenizer", "a tokenizer maps text to ids and needs no tensor"},
	{"runtime/point", "the vocabulary is shared by those who show and those who look, so it knows neither"},
	{"runtime/nn", "layers are arithmetic; which model they stand in is the family's business"},
	{"families", "a family shows its values to whoever looks; importing the interleaver would tie a new architecture to the tracing engine"},
	{"runtime/trace", "the interleaver runs any forward; importing families would make a tracing feature edit an architecture"},
	{"runtime/doctor", "the doctor reports on libtorch and tools and must work where models don't"},
	{".", "what cells and programs import must not drag in plotting, an interpreter or a kernel"},
	{"plotting", "figures are drawn of tensors, wherever they are shown"},
	{"interp", "a session knows no socket and no terminal: kernel and terminal are thin faces of it"},
	{"kernel", "the Jupyter protocol and the terminal are neighbours that share the session only"},
	{"repl", "the terminal must start without the Jupyter protocol"},
	{"docs/encyclopedia", "it writes a page; nothing imports it"},
	{"cmd", "flags and wiring; nothing imports it"},
	{"tests", "what needs a second process; nothing imports it"},
}

// forbidden are edges that the order allows and that are wrong all the same.
var forbidden = []struct{ from, to, reason string }{
	{"families", "runtime/trace", "both know only runtime/point"},
	{"runtime/trace", "families", "both know only runtime/point"},
	{"runtime/trace", "runtime/nn", "the interleaver knows no layer"},
	{"runtime/trace", "runtime/checkpoint", "the interleaver knows no file"},
	{"runtime/point", "runtime/checkpoint", "names exist without any file"},
	{"runtime/tokenizer", "runtime/torch", "reading a tokenizer must not need libtorch"},
	{"plotting", ".", "a figure takes a tensor, whoever made it"},
	{"repl", "kernel", "the terminal must start without the Jupyter protocol"},
	{"cmd/gonterp/verify", "runtime", "verify proves what a user of the root package can reach"},
	{"cmd/gonterp/verify", "families", "verify proves what a user of the root package can reach"},
}

// place is the entry of order that a package belongs to: the longest folder that
// it lies in.
func place(pkg string) int {
	best, length := -1, -1
	for i, l := range order {
		if within(pkg, l.folder) && len(l.folder) > length {
			best, length = i, len(l.folder)
		}
	}
	return best
}

func within(pkg, folder string) bool {
	return pkg == folder || strings.HasPrefix(pkg, folder+"/")
}

// imports are the packages of the project that every package imports, test files
// left out: a test may look anywhere.
func imports(t *testing.T) map[string]map[string]bool {
	edges := map[string]map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if n := d.Name(); path != "." && (strings.HasPrefix(n, ".") || n == "testdata" || n == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return nil // notebooks are Go cells and no Go files
		}
		from := filepath.ToSlash(filepath.Dir(path))
		for _, spec := range file.Imports {
			to, _ := strconv.Unquote(spec.Path.Value)
			if to != module && !strings.HasPrefix(to, module+"/") {
				continue
			}
			to = strings.TrimPrefix(strings.TrimPrefix(to, module), "/")
			if to == "" {
				to = "."
			}
			if edges[from] == nil {
				edges[from] = map[string]bool{}
			}
			edges[from][to] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return edges
}

func TestArchitecture(t *testing.T) {
	edges := imports(t)
	if len(edges) < 8 {
		t.Fatalf("only %d packages found: the walk is broken", len(edges))
	}
	for from, tos := range edges {
		at := place(from)
		if at < 0 {
			t.Errorf("%s has no place in the order of the house: add it to order, with a reason", from)
			continue
		}
		for to := range tos {
			switch target := place(to); {
			case target > at:
				t.Errorf("%s imports %s, which stands below it: %s", from, to, order[at].reason)
			case target < 0:
				t.Errorf("%s imports %s, which has no place in the order of the house", from, to)
			}
			for _, f := range forbidden {
				if within(from, f.from) && within(to, f.to) && !within(to, f.from) {
					t.Errorf("%s imports %s: %s", from, to, f.reason)
				}
			}
		}
	}
}

// TestOrderIsReal: every folder of the order exists, so that no rule guards nothing.
func TestOrderIsReal(t *testing.T) {
	for _, l := range order {
		if m, _ := filepath.Glob(filepath.Join(l.folder, "*")); len(m) == 0 {
			t.Errorf("%s is in the order and not in the tree", l.folder)
		}
	}
}

// TestGenerated: values.go says what the vocabulary says.
func TestGenerated(t *testing.T) {
	fresh := filepath.Join(t.TempDir(), "values.go")
	if out, err := exec.Command("go", "run", "./runtime/point/fields", "-o", fresh).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want, err := os.ReadFile(fresh)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile("values.go"); string(got) != string(want) {
		t.Error("values.go is stale: run go generate in the root folder")
	}
}
