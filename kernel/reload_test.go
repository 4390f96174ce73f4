package kernel

import (
	"slices"
	"testing"
)

// TestLoads: a line is run again where it says all that is needed to load a model.
func TestLoads(t *testing.T) {
	var l loads
	l.note("model := gonterp.Load(\"mini\") // the embedded model\nx := 3\n")
	l.note("  big, err := gonterp.Open(\"/models/v3\", gonterp.DType(\"float32\"), gonterp.Threads(2))")
	l.note("model = gonterp.Load(\"other\", gonterp.BOS(false))")
	for _, code := range []string{"m := gonterp.Load(name)", "f(gonterp.Load(\"mini\"))", "// m := gonterp.Load(\"mini\")",
		"m := gonterp.Load(\"mini\").Layers[0]", "m := gonterp.Load(\"mini\"); m.Forward(prompt)"} {
		l.note(code)
	}
	want := []string{"model = gonterp.Load(\"other\", gonterp.BOS(false))",
		"big, err := gonterp.Open(\"/models/v3\", gonterp.DType(\"float32\"), gonterp.Threads(2))"}
	if got := l.cells(); !slices.Equal(got, want) {
		t.Errorf("would run %q, want %q", got, want)
	}
}
