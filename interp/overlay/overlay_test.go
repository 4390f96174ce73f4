package overlay

import (
	"slices"
	"testing"
)

func TestSource(t *testing.T) {
	if src, whole := Source("slices"); src == "" || !whole {
		t.Error("slices is not whole")
	}
	if src, whole := Source("sync"); src == "" || whole {
		t.Error("sync is not a part")
	}
	if src, _ := Source("fmt"); src != "" {
		t.Error("fmt has source")
	}
	if w := Whole(); !slices.Contains(w, "maps") || slices.Contains(w, "sync") {
		t.Errorf("whole packages %v", w)
	}
}
