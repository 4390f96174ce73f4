package notebook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFromText(t *testing.T) {
	got := FromText("x := 1\n// %% second\n\n  y := 2\r\nz := 3\n// %%\n \n// %%\nx")
	want := []Cell{{"x := 1", 1}, {"\n  y := 2\nz := 3", 3}, {"x", 9}}
	if len(got) != len(want) {
		t.Fatalf("%d cells, want %d: %+v", len(got), len(want), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("cell %d is %+v, want %+v", i, got[i], want[i])
		}
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cells, err := Read(write("a.ipynb", `{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": "# x"},
		{"cell_type": "code", "source": ["a := 1\n", "a"]}, {"cell_type": "code", "source": "b"}, {"cell_type": "code", "source": []}]}`))
	if err != nil || len(cells) != 2 || cells[0].Code != "a := 1\na" || cells[1].Code != "b" {
		t.Errorf("cells %+v, error %v", cells, err)
	}
	for name, text := range map[string]string{
		"b.ipynb": "{", "c.ipynb": `{"nbformat": 3}`, "d.ipynb": `{"nbformat": 4, "cells": [{"cell_type": "code", "source": 7}]}`, "e.txt": "x",
	} {
		if _, err := Read(write(name, text)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v does not name the file", name, err)
		}
	}
}

func FuzzFromText(f *testing.F) {
	f.Add("a\n// %%\nb")
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range FromText(text) {
			if strings.TrimSpace(c.Code) == "" || c.Line < 1 {
				t.Errorf("cell %+v of %q", c, text)
			}
		}
	})
}
