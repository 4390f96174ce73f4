package symbols

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/interp/exports"
)

// Every listed package is there, and go/types can make sense of all of it.
func TestPackages(t *testing.T) {
	b, err := os.ReadFile("packages.txt")
	if err != nil {
		t.Fatal(err)
	}
	im := exports.NewImporter()
	im.Add(Packages()...)
	listed := strings.Fields(string(b))
	for _, p := range listed {
		pk, err := im.Import(p)
		if err != nil {
			t.Error(err)
			continue
		}
		if pk.Name() != im.Name(p) || len(pk.Scope().Names()) == 0 {
			t.Errorf("package %s is %s with %d names", p, pk.Name(), len(pk.Scope().Names()))
		}
	}
	listed = append(listed, "syscall") // written by hand
	for _, p := range im.Paths() {
		if !slices.Contains(listed, p) {
			t.Errorf("%s is not in packages.txt", p)
		}
	}
}

func TestDocOf(t *testing.T) {
	for _, c := range []struct{ path, name, decl, text string }{
		{"fmt", "Println", "func Println(a ...any) (n int, err error)", "Println formats"},
		{"bytes", "Buffer.WriteString", "func (b *Buffer) WriteString(s string) (n int, err error)", "WriteString appends"},
		{"strings", "", "package strings", "Package strings"},
		{"gonum.org/v1/gonum/mat", "NewDense", "func NewDense(r, c int, data []float64) *Dense", "NewDense creates"},
	} {
		d, ok := DocOf(c.path, c.name)
		if !ok || d.Decl != c.decl || !strings.HasPrefix(d.Text, c.text) {
			t.Errorf("%s.%s: %+v", c.path, c.name, d)
		}
	}
	if _, ok := DocOf("fmt", "Nope"); ok {
		t.Error("fmt.Nope is documented")
	}
}
