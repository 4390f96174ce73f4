package cell

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

func TestComplete(t *testing.T) {
	for _, c := range []struct{ src, status, indent string }{
		{"1+2", "complete", ""},
		{"", "complete", ""},
		{`x := []{"a"}`, "invalid", ""},
		{"for {", "incomplete", "\t"},
		{"for i := range 3 {\n\tif i > 1 {", "incomplete", "\t\t"},
		{"f(1,", "incomplete", "\t"},
		{"x := 1 +", "incomplete", "\t"},
		{"model.", "incomplete", "\t"},
		{"if x {\n} else", "incomplete", "\t"},
		{"x := `raw", "incomplete", ""},
		{"/* a", "incomplete", ""},
		{`x := "a`, "invalid", ""},
		{"x := 1)", "invalid", ""},
		{"f(]", "invalid", ""},
		{"for {\n\tx := []{\"a\"}", "invalid", ""},
		{"with m.Trace(\"a\") {", "incomplete", "\t"},
		{"with m.Trace(\"a\",", "incomplete", "\t"},
		{"with m.Trace(\"a\") {\n\tx := 1\n}", "complete", ""},
		{"with m.Trace(\"a\")", "invalid", ""},
		{"with m {\n\ta", "incomplete", "\t"},
		{"with m {\n\twith n {\n\t\ta", "incomplete", "\t\t"},
		{"func f() {\n\twith m {\n\t}", "incomplete", "\t"},
		{"with m {\n\tx := []{\"a\"}", "invalid", ""},
		{"func f() {\n}\nx := f", "complete", ""},
		{"type T struct {", "incomplete", "\t"},
		{"switch x := 1; x {\ncase 1:", "incomplete", "\t"},
		{"1=1", "complete", ""},
	} {
		status, indent := Complete(c.src)
		if status != c.status || indent != c.indent {
			t.Errorf("%q: %s %q, want %s %q", c.src, status, indent, c.status, c.indent)
		}
	}
}

func TestSplitKinds(t *testing.T) {
	src := "import \"fmt\"\nx := 1; func f() int { return x }\nfunc (t T) m() {}\nfunc() {}()\nfor i := 0; i < 3; i++ { x++ }\ntype T int; const c = 1\nvar v = 2\nL: for {}"
	items, err := Split(src)
	if err != nil {
		t.Fatal(err)
	}
	want := []Kind{Import, Stmt, Decl, Decl, Stmt, Stmt, Decl, Decl, Stmt, Stmt}
	if len(items) != len(want) {
		t.Fatalf("%d items, want %d: %v", len(items), len(want), items)
	}
	for i, it := range items {
		if it.Kind != want[i] {
			t.Errorf("item %d %q: kind %d, want %d", i, src[it.Start:it.End], it.Kind, want[i])
		}
	}
}

// directives takes line directives out, to compare what is left.
func directives(s string) string {
	for {
		i := strings.Index(s, "/*line ")
		if i < 0 {
			return s
		}
		s = s[:i] + s[i+strings.Index(s[i:], "*/")+2:]
	}
}

// opened and closer are what a block in a function brings with it.
func opened(n, f string) string {
	return strings.NewReplacer("#", n, "@", f).Replace("var pass__open# func(bool); pass__deferred# := false;pass__returned@ := false;")
}

func closer(n, f string) string {
	return strings.NewReplacer("#", n, "@", f).Replace(" pass__open# = pass__#.Exit; if !pass__deferred# { pass__deferred# = true; defer func() { if pass__open# != nil { pass__open#(pass__returned@) } }() };")
}

func TestReplaceWith(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"with m.T() { a }", "pass__1 := (m.T()); pass__1.Enter(); a ; pass__1.Exit(true)"},
		{"with n := m.T() { a }", "pass__1 := (m.T()); n := pass__1.Enter(); a ; pass__1.Exit(true)"},
		{"with m { a } with n { b }", "pass__1 := (m); pass__1.Enter(); a ; pass__1.Exit(true) ; pass__2 := (n); pass__2.Enter(); b ; pass__2.Exit(true)"},
		{"with := 3", "with := 3"},
		{"x.with(1)", "x.with(1)"},
		{"with(1)", "with(1)"},
		{"with m.T(func() int { return 1 }) { a }", "pass__1 := (m.T(func() int { return 1 })); pass__1.Enter(); a ; pass__1.Exit(true)"},
		{"for { with m { if x { break } } }", "for { pass__1 := (m); pass__1.Enter(); if x { pass__1.Exit(true); break } ; pass__1.Exit(true) }"},
		{"for { with m { for { break } } }", "for { pass__1 := (m); pass__1.Enter(); for { break } ; pass__1.Exit(true) }"},
		{"L: for { with m { for { break L } } }", "L: for { pass__1 := (m); pass__1.Enter(); for { pass__1.Exit(true); break L } ; pass__1.Exit(true) }"},
		{"for { with m { switch { default: continue } } }", "for { pass__1 := (m); pass__1.Enter(); switch { default: pass__1.Exit(true); continue } ; pass__1.Exit(true) }"},
		{"func f() { with m { return } }", "func f() {" + opened("1", "4") + " pass__1 := (m); pass__1.Enter();" + closer("1", "4") + " pass__1.Exit(true); pass__open1 = nil; return  }"},
		{"func f() int { with m { return g() } }", "func f() int {" + opened("1", "5") + " pass__1 := (m); pass__1.Enter();" + closer("1", "5") + " pass__returned5 = true; return g()  }"},
		{"with m { for _, i := range []int{1} { break } }", "pass__1 := (m); pass__1.Enter(); for _, i := range []int{1} { break } ; pass__1.Exit(true)"},
		{"with m { for _, i := range []struct{ f func() }{{f}} { if i { continue } } }", "pass__1 := (m); pass__1.Enter(); for _, i := range []struct{ f func() }{{f}} { if i { continue } } ; pass__1.Exit(true)"},
		{"with m { f := func() struct{} { return x } }", "pass__1 := (m); pass__1.Enter(); f := func() struct{} { return x } ; pass__1.Exit(true)"},
		{"for { with m { goto L; L: x(); goto M } }; M:", "for { pass__1 := (m); pass__1.Enter(); goto L; L: x(); pass__1.Exit(true); goto M ; pass__1.Exit(true) }; M:"},
		{"with m { with m.P(0) { a }; with m.P(1) { b } }", "pass__1 := (m); pass__1.Enter(); pass__2 := (m.P(0)); pass__2.Enter(); a ; pass__2.Exit(true); pass__3 := (m.P(1)); pass__3.Enter(); b ; pass__3.Exit(true) ; pass__1.Exit(true)"},
	} {
		got, err := ReplaceWith("c1", c.src)
		if err != nil {
			t.Errorf("%q: %v", c.src, err)
			continue
		}
		if directives(got) != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.src, directives(got), c.want)
		}
	}
	for _, src := range []string{"with m.T()\n{ a }", "with m", "with m {", "with m { a", "with m { with n { a", "with m { for {"} {
		if _, err := ReplaceWith("c1", src); err == nil {
			t.Errorf("%q: no error", src)
		}
	}
}

// Positions after the rewriting are those of the text as typed.
func TestReplaceWithColumns(t *testing.T) {
	src := "with n := m.T() { here() }; there()\nlast()"
	plain, err := ReplaceWith("c1", src)
	if err != nil {
		t.Fatal(err)
	}
	fs := token.NewFileSet()
	f, err := parser.ParseFile(fs, "c1", "package p;func _() {/*line c1:1:1*/"+plain+"\n}", parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"n :", "m.T", "here", "there", "last"} {
		want := strings.Index(src, name)
		line, col := 1, want+1
		if nl := strings.IndexByte(src, '\n'); want > nl {
			line, col = 2, want-nl
		}
		found := false
		eachIdent(f, func(id string, p token.Pos) {
			if id == strings.TrimRight(name, " :.T") {
				q := fs.Position(p)
				found = found || q.Line == line && q.Column == col
			}
		})
		if !found {
			t.Errorf("%s: not at %d:%d in %s", name, line, col, plain)
		}
	}
}

func FuzzComplete(f *testing.F) {
	for _, s := range []string{"with m { a }", "x := []{", "for i := 0; i < 3; i++ {", "func (a) b() {", "L: with", "with x := y {return 1}", "}{"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		status, _ := Complete(src)
		if status != "complete" && status != "incomplete" && status != "invalid" {
			t.Fatalf("status %q", status)
		}
		items, err := Split(src)
		if err != nil {
			return
		}
		at := 0
		for _, it := range items {
			if it.Start < at || it.End < it.Start || it.End > len(src) {
				t.Fatalf("item %+v after %d in %q", it, at, src)
			}
			at = it.End
		}
	})
}
