package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The tables in the tree are what would be generated now: of gonterp's own
// packages all, of the others some.
func TestTablesAreNotStale(t *testing.T) {
	for _, c := range []struct {
		dir, name string
		paths     []string
	}{
		{"../project", "project", []string{"github.com/gonterp/gonterp", "github.com/gonterp/gonterp/plotting", "github.com/gonterp/gonterp/runtime/torch", "github.com/gonterp/gonterp/runtime/tokenizer"}},
		{"..", "symbols", []string{"fmt", "math", "sort", "unicode/utf8"}},
	} {
		dir := t.TempDir()
		if err := generate(dir, c.name, "", "", c.paths); err != nil {
			t.Fatal(err)
		}
		for _, p := range c.paths {
			f := "gen_" + identifier(p) + ".go"
			want, err := os.ReadFile(filepath.Join(dir, f))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(filepath.Join(c.dir, f)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("the table of %s is stale; write: go generate ./interp/symbols/...", p)
			}
		}
	}
}

func TestDocument(t *testing.T) {
	var b bytes.Buffer
	if err := document(&b, "sort", []string{"sort"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"sort\t\t\"package sort\"\t\"Package sort provides",
		"sort\tInts\t\"func Ints(x []int)\"\t\"Ints sorts",
		"sort\tInterface.Less\t\"func (Interface) Less(i, j int) bool\"\t\"Less reports",
		"sort\tIntSlice.Sort\t\"func (x IntSlice) Sort()\"\t\"Sort is",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no line %q", want)
		}
	}
}

func TestListed(t *testing.T) {
	f := filepath.Join(t.TempDir(), "p.txt")
	os.WriteFile(f, []byte("a b\n c\n"), 0o666)
	got, err := listed([]string{"x", "@" + f})
	if err != nil || strings.Join(got, ",") != "x,a,b,c" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := listed([]string{"@" + f + "x"}); err == nil {
		t.Error("no error for a file that is not there")
	}
}
