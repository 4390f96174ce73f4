package check

import (
	"errors"
	"go/ast"
	"go/types"
	"reflect"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/interp/exports"
)

type writer interface{ Write([]byte) (int, error) }

func newTestChecker() *Checker {
	im := exports.NewImporter(exports.Table{
		"fmt/fmt": {
			"Println": reflect.ValueOf(func(...any) (int, error) { return 0, nil }),
			"Writer":  reflect.ValueOf((*writer)(nil)),
		},
		"sort/sort":      {"Slice": reflect.ValueOf(func(any, func(i, j int) bool) {}), "SliceStable": reflect.ValueOf(func(any, func(i, j int) bool) {}), "Search": reflect.ValueOf(func(int, func(int) bool) int { return 0 })},
		"math/rand/rand": {"Int": reflect.ValueOf(func() int { return 0 })},
		"x/rand/rand":    {"Int": reflect.ValueOf(func() int { return 0 })},
	})
	return New(im)
}

// checkAll checks cells, commits those that are right, and returns the last result.
func checkAll(c *Checker, cells ...string) (x *Cell, err error) {
	for i, src := range cells {
		if x, err = c.Cell(i+1, src); err == nil {
			c.Commit(x)
		}
	}
	return x, err
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		cells []string
		want  string // of the last cell
	}{
		{[]string{"x := 1\ny := nope + x"}, "2:6: undefined: nope"},
		{[]string{"a := 1; b := nope; c := no2"}, "1:14: undefined: nope\n1:25: undefined: no2"},
		{[]string{"func f() int { return x }\nvar y string = 3"}, "1:23: undefined: x\n2:16: cannot use 3 (untyped int constant) as string value in variable declaration"},
		{[]string{"x := 1\nx := 2"}, "2:3: no new variables on left side of :="},
		{[]string{"1 +"}, "1:4: expected operand, found the end of the cell"},
		{[]string{"for {\n  é()\n\n"}, "2:7: expected '}', found the end of the cell"},
		{[]string{"x := []{\"a\"}"}, "1:8: expected type, found '{'"},
		{[]string{"package main\nfunc main() {}"}, "1:1: a cell has no package clause; leave this line out"},
		{[]string{"1=1"}, "1:1: cannot assign to 1 (neither addressable nor a map index expression)"},
		{[]string{"import \"nope\""}, "1:8: package \"nope\" is not built in; cells can import the standard library, gonum and gonterp's own packages"},
		{[]string{"import \"y/fmt\""}, "1:8: package \"y/fmt\" is not built in; did you mean \"fmt\"?"},
		{[]string{"import . \"fmt\""}, "1:8: a dot import is not supported here; import the package under a name"},
		{[]string{"fmt.Nope()"}, "1:5: undefined: fmt.Nope"},
		{[]string{"fmt.Prntln()"}, "1:5: undefined: fmt.Prntln; the nearest is Println"},
		{[]string{"model := 1", "modle + 1"}, "1:1: undefined: modle; the nearest is model"},
		{[]string{"func f(length int) int { return lenght }"}, "1:33: undefined: lenght; the nearest is length"},
		{[]string{"fmtt.Println()"}, "1:1: undefined: fmtt; the nearest is fmt"},
		{[]string{"append2(1)"}, "1:1: undefined: append2; the nearest is append"},
		{[]string{"retrun := 1", "retrn"}, "1:1: undefined: retrn; the nearest is retrun"},
		{[]string{"fro"}, "1:1: undefined: fro"},
		{[]string{"type T struct{ LayerOutput int }\nfunc (T) Value() {}\nvar t T", "t.LayerOutptu"}, "1:3: t.LayerOutptu undefined (type main.T has no field or method LayerOutptu); the nearest is LayerOutput"},
		{[]string{"type T struct{ LayerOutput int }\nfunc (T) Value() {}\nvar t T", "t.Valeu()"}, "1:3: t.Valeu undefined (type main.T has no field or method Valeu); the nearest is Value"},
		{[]string{"type T struct{ LayerOutput int }\ntype E struct{ T }", "var e *E\ne.LayerOuput"}, "2:3: e.LayerOuput undefined (type *main.E has no field or method LayerOuput); the nearest is LayerOutput"},
		{[]string{"type T struct{ LayerOutput int }", "T{LayerOtput: 1}"}, "1:3: unknown field LayerOtput in struct literal of type main.T; the nearest is LayerOutput"},
		{[]string{"with 3 { }"}, "1:6: with needs a value that has the methods Enter() and Exit(bool), which int has not"},
		{[]string{"x := 3; with m"}, "1:9: with: { is missing on the line of with"},
		{[]string{"x := 1", "x.foo()"}, "1:3: x.foo undefined (type int has no field or method foo)"},
		{[]string{"x := 1; bad", "x"}, "1:1: undefined: x"},
		{[]string{"type T int", "func (t T) M() {}\nnope", "T(1).M()"}, "1:6: undefined: M (its cell failed; run it again)"},
		{[]string{"type T int\nfunc (t T) M() {}", "func (t T) M() int { return 1 }"}, "1:12: not supported here: method T.M with another signature; declare the type again in this cell"},
		{[]string{"type T struct{ M int }", "func (t T) M() {}"}, "1:12: field and method with the same name M"},
		{[]string{"for {\n\tbreak L\n}"}, "2:8: invalid break label L"},
	} {
		_, err := checkAll(newTestChecker(), c.cells...)
		var errs Errors
		if !errors.As(err, &errs) {
			t.Errorf("%q: %v", c.cells, err)
			continue
		}
		if got := errs.Error(); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.cells, got, c.want)
		}
	}
}

func TestRightCells(t *testing.T) {
	for _, cells := range [][]string{
		{"x := 1\nfunc f() int { return x + g() }\ny := 2\nfunc g() int { return 3 }\nf()"},
		{"type T struct{ next *T }\nfunc (t *T) N() *T { return t.next }", "type T struct{ next *T }\nfunc (t *T) N() *T { return t.next }"},
		{"x := 1", "x := \"s\"", "x + \"t\""},
		{"import r \"math/rand\"", "r.Int()"},
		{"xs := []int{2, 1}\nslices.Sort(xs)\nfor i, x := range slices.All(xs) { fmt.Println(i, x) }"},
		{"unused := 3\nfunc f() { x := 1 }"},
		{"type T int", "func (t T) M() {}\nnope", "func (t T) M() {}", "T(1).M()"},
		{""},
		{"// only a comment"},
	} {
		c := newTestChecker()
		for i, src := range cells {
			x, err := c.Cell(i+1, src)
			if err == nil {
				c.Commit(x)
			} else if !strings.Contains(src, "nope") {
				t.Errorf("%q, cell %d: %v", cells, i+1, err)
			}
		}
	}
}

// A type that is declared again as it was stays the same type; another is another.
func TestTypesAreKept(t *testing.T) {
	const first = "type A struct{ b *B }\ntype B struct{ a A }\nfunc (a A) M() int { return 1 }"
	for _, c := range []struct {
		again string
		same  bool
	}{
		{first, true},
		{"type A struct{ b *B }", true},
		{"type B struct{ a A; n int }\ntype A struct{ b *B }", false},
		{"type A struct{ b *B }\ntype B struct{ a A }\nfunc (a A) M() string { return \"\" }", false},
	} {
		k := newTestChecker()
		if _, err := checkAll(k, first); err != nil {
			t.Fatal(err)
		}
		before := k.Universe()["A"]
		if _, err := checkAll(k, c.again); err != nil {
			t.Fatalf("%q: %v", c.again, err)
		}
		if same := k.Universe()["A"] == before; same != c.same {
			t.Errorf("%q: the same type: %v, want %v", c.again, same, c.same)
		}
	}
}

func TestUnits(t *testing.T) {
	c := newTestChecker()
	x, err := checkAll(c, "x := 1", "func f() int { return x }\nx := 2\ny, z := f(), x\ny")
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Units) != 2 || x.Units[0].Kind != Declarations || x.Units[1].Kind != Statements {
		t.Fatalf("units %+v", x.Units)
	}
	u := x.Units[1]
	if !u.Value || len(u.Vars) != 3 || u.Vars[0].Local.Name() != "x" || u.Vars[0].Old == nil || u.Vars[1].Old != nil {
		t.Errorf("statements %+v", u.Vars)
	}
	if p := x.Fset.Position(u.Body()[1].Pos()); p.Filename != "c2" || p.Line != 3 || p.Column != 1 {
		t.Errorf("y, z stands at %v", p)
	}
	if x, _ := checkAll(c, "fmt.Println(1)"); x.Units[0].Value {
		t.Error("what Println returns is shown")
	}
}

// A constant that becomes another one reaches the functions that use it.
func TestDependents(t *testing.T) {
	c := newTestChecker()
	x, err := checkAll(c, "const k = 1\nfunc f() int { return k }\nfunc g() int { return f() }\nfunc h() int { return 0 }", "const k = 2")
	if err != nil {
		t.Fatal(err)
	}
	var again []string
	for _, u := range x.Units[1:] {
		for _, d := range u.File.Decls {
			again = append(again, d.(*ast.FuncDecl).Name.Name)
		}
		if p := x.Fset.Position(u.File.Decls[0].Pos()); p.Filename != "c1" || p.Line != 2 {
			t.Errorf("f stands at %v", p)
		}
	}
	if strings.Join(again, " ") != "f" {
		t.Errorf("checked again: %v, want f", again)
	}
}

func TestProbeChangesNothing(t *testing.T) {
	c := newTestChecker()
	checkAll(c, "type T int\nx := T(1)")
	units := c.Probe("func (t T) M() {}\ny := x.\nz := (")
	if c.Universe()["y"] != nil {
		t.Error("y is there")
	}
	m, _, _ := types.LookupFieldOrMethod(c.Universe()["x"].Type(), true, nil, "M")
	if m != nil {
		t.Error("T has M")
	}
	_ = units
}

func FuzzCell(f *testing.F) {
	for _, s := range []string{
		"x := 1\nfunc f() int { return x }\nf()", "type T[P any] struct{ x P }\nfunc (t T[P]) M() {}", "with x { }", "const k = 1\nconst k = 2",
		"import \"fmt\"\nfmt.Println(1)", "func (t *T) M() {}", "L: for { goto L }", "var x, y = f()", "func f[T ~int](x T) {}\nf(1)",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		c := newTestChecker()
		x, err := c.Cell(1, src)
		if err == nil {
			c.Commit(x)
			if _, err := c.Cell(2, src); err != nil && !strings.Contains(err.Error(), "with another signature") && !strings.Contains(err.Error(), "undefined") {
				t.Logf("the second run of %q: %v", src, err)
			}
			return
		}
		lines := strings.Count(src, "\n") + 1
		for _, d := range err.(Errors) {
			if d.Line < 1 || d.Line > lines+1 {
				t.Fatalf("%q: error at line %d of %d: %s", src, d.Line, lines, d.Text)
			}
		}
		c.Probe(src)
	})
}
