package point

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/names.txt")

// TestNames: the standard names are the same in every version. A name that people
// write into their notebooks may be added, and never changed.
func TestNames(t *testing.T) {
	var b strings.Builder
	for _, n := range All() {
		i := n.Info()
		fmt.Fprintf(&b, "%s %s %s %v\n", [...]string{"model", "layer", "self_attn", "mlp"}[i.On], i.Name, i.Layout.Name, i.Layout.Axes)
	}
	const golden = "testdata/names.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the vocabulary differs from %s:\n%s", golden, b.String())
	}
}

// TestTableIsWhole: every name has an entry, and its Go field spells the same words.
func TestTableIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, n := range All() {
		i := n.Info()
		if i.Name == "" || i.Layout == nil || i.Doc == "" || !strings.HasSuffix(i.Doc, ".") {
			t.Errorf("name %d has no whole entry: %+v", n, i)
			continue
		}
		if key := fmt.Sprint(i.On, i.Name); seen[key] {
			t.Errorf("%s is listed twice", i.Name)
		} else {
			seen[key] = true
		}
		for _, axis := range i.Layout.Axes {
			if Axis(axis) == "" {
				t.Errorf("nothing says how long the axis %s of %s is", axis, i.Name)
			}
		}
		if i.Derived && i.NoGrad == "" {
			t.Errorf("%s is derived, and nothing says why it has no gradient", i.Name)
		}
		if plain := strings.ReplaceAll(i.Name, "_", ""); !strings.EqualFold(plain, i.Field) && n != SelectionBias {
			t.Errorf("the field of %s is called %s", i.Name, i.Field)
		}
	}
}
