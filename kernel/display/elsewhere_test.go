package display_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/interp/notebook"
)

// collected keeps the forms of what a session shows.
type collected struct {
	shown
	bundles []interp.Bundle
}

func (c *collected) Display(_ int, b interp.Bundle, _ string, _ bool) {
	c.bundles = append(c.bundles, b)
}

// A notebook with each kind of cell that notebooks of other Go kernels have runs, and
// shows what it shows there.
func TestNotebooksFromElsewhere(t *testing.T) {
	s := session(t)
	cells, err := notebook.Read("testdata/elsewhere.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	// What each cell shows: MIME type and beginning, in the order shown.
	want := [][]string{
		{"text/html <b>bold</b>"},
		{"text/markdown *first*", "text/latex $$x^2$$"},
		nil,
		{"image/png \x89PNG"},
		{"image/svg+xml <svg"},
		{"image/png \x89PNG"},
		{"image/jpeg \xff\xd8"},
		{"image/png \x89PNG"},
		nil,
		nil,
		{"text/html <i>by method</i>"},
		{"text/latex $a^2$"},
		{"text/markdown **all of it**"},
		{"text/markdown own names", "text/html <i>by method</i>", "text/latex $m$", "text/markdown own names"},
		{"text/plain 285"},
		{"text/plain ⎡ 7  10⎤"},
	}
	if len(cells) != len(want) {
		t.Fatalf("%d cells, want %d", len(cells), len(want))
	}
	for i, c := range cells {
		out := &collected{}
		o := s.Execute(interp.Cell{Code: c.Code}, out)
		if o.Err != nil {
			t.Errorf("cell %d: %v", i+1, o.Err)
			continue
		}
		if o.Value != nil {
			out.bundles = append(out.bundles, *o.Value)
		}
		if len(out.bundles) != len(want[i]) {
			t.Errorf("cell %d shows %v, want %q", i+1, out.bundles, want[i])
			continue
		}
		for j, b := range out.bundles {
			mime, begin, _ := strings.Cut(want[i][j], " ")
			form, _ := b.Data[mime].(string)
			if raw, ok := b.Data[mime].([]byte); ok {
				form = string(raw)
			}
			if !strings.HasPrefix(form, begin) {
				t.Errorf("cell %d shows %v, want %s %q", i+1, slices.Sorted(maps.Keys(b.Data)), mime, begin)
			}
			if text, ok := b.Data["text/plain"].(string); !ok || text == "" {
				t.Errorf("cell %d has no text: %v", i+1, b.Data)
			}
			if mime == "text/markdown" && strings.Contains(begin, "all of it") && b.Metadata[mime] != "dense" {
				t.Errorf("cell %d: its metadata is lost: %v", i+1, b.Metadata)
			}
		}
	}
}
