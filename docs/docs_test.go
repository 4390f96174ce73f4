package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestPagesAndErrors: every page that an error names exists, and every page is
// named by an error.
func TestPagesAndErrors(t *testing.T) {
	used := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return nil // a notebook of cells
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || f.Sel.Name != "See" {
				return true
			}
			if pkg, ok := f.X.(*ast.Ident); !ok || pkg.Name != "docs" {
				return true
			}
			if lit, ok := call.Args[0].(*ast.BasicLit); ok {
				name, _ := strconv.Unquote(lit.Value)
				used[name] = true
			} else {
				t.Errorf("%s: docs.See wants a literal name, so that this test can read it", path)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range used {
		if _, err := Page(name); err != nil {
			t.Errorf("an error names the page %q: %v", name, err)
		}
	}
	for _, name := range Names() {
		if !used[name] {
			t.Errorf("no error names the page %q", name)
		}
	}
}

func TestPagesAreWhole(t *testing.T) {
	for _, name := range Names() {
		text, err := Page(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"# ", "**Symptom.**", "**Cause.**"} {
			if !strings.Contains(text, part) {
				t.Errorf("page %s has no %q", name, part)
			}
		}
	}
}
