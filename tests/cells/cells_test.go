package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestMain makes the test binary the child of its own cases.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == childFlag {
		if err := child(); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// Every case passes on the default engine; on yaegi nearly all do.
func TestCells(t *testing.T) {
	files, err := filepath.Glob("*.cells")
	if err != nil || len(files) == 0 {
		t.Fatal("no cells", err)
	}
	var cases []*testCase
	for _, f := range files {
		cs, err := parse(f)
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, cs...)
	}
	for _, e := range []struct {
		name    string
		allowed int // failures: what package yaegi says that lowering cannot mend
	}{{"machine", 0}, {"yaegi", 7}} {
		t.Setenv("GONTERP_ENGINE", e.name)
		passed, refused, failed := report(cases, 2*time.Second)
		t.Logf("%s: %d passed, %d refused, %d failed", e.name, passed, refused, failed)
		if failed > e.allowed {
			t.Errorf("%s: %d failed, at most %d may", e.name, failed, e.allowed)
		}
	}
}

func TestParse(t *testing.T) {
	f := filepath.Join(t.TempDir(), "a.cells")
	os.WriteFile(f, []byte("### a | x | note\nx := 1\n//= noerr\n%%\nx\n//= v: 1\n//= out: a\\nb\n### b\npanic(1)\n//= err: 1\n"), 0o666)
	cs, err := parse(f)
	if err != nil || len(cs) != 2 {
		t.Fatalf("%d cases, %v", len(cs), err)
	}
	a := cs[0]
	if a.name != "a" || a.category != "x" || len(a.cells) != 2 || !a.cells[0].noErr || *a.cells[1].value != "1" || *a.cells[1].out != "a\nb" || a.cells[1].src != "x\n" {
		t.Errorf("case a is %+v", a)
	}
	if b := cs[1]; *b.cells[0].err != "1" || b.cells[0].value != nil {
		t.Errorf("case b is %+v", b)
	}
}
