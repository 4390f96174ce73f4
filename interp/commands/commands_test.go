package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/interp/cell"
)

// output keeps what a cell shows.
type output struct{ strings.Builder }

func (o *output) Stream(_ int, _, text string) { o.WriteString(text) }
func (o *output) Display(_ int, b interp.Bundle, _ string, _ bool) {
	fmt.Fprintln(o, b.Data["text/plain"])
}
func (*output) Clear(int, bool)                    {}
func (*output) Input(string, bool) (string, error) { return "", os.ErrClosed }

func newSession(t *testing.T) *Session {
	s, err := interp.New(interp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return New(s)
}

// show runs a cell and returns what it showed, its error last.
func show(s *Session, code string) string {
	var out output
	o := s.Execute(interp.Cell{Code: code}, &out)
	if o.Value != nil {
		fmt.Fprintln(&out, o.Value.Data["text/plain"])
	}
	if o.Err != nil {
		fmt.Fprintln(&out, o.Err)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func TestCommandsCountAsCells(t *testing.T) {
	s := newSession(t)
	for i, code := range []string{"x := 1", "%vars", "?x", "%nothing", "%time x", "%time", "x"} {
		if o := s.Execute(interp.Cell{Code: code}, &output{}); o.Count != i+1 {
			t.Errorf("%s is cell %d, want %d", code, o.Count, i+1)
		}
	}
	if o := s.Execute(interp.Cell{Code: "%vars", Silent: true}, &output{}); o.Count != 8 {
		t.Errorf("a silent command is cell %d", o.Count)
	}
	if got := show(s, "x"); got != "1" {
		t.Errorf("a silent command was counted: %s", got)
	}
}

func TestCommandErrors(t *testing.T) {
	s := newSession(t)
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/empty.go", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for code, says := range map[string]string{
		"%hist":                     "did you mean %help or %history?",
		"%zzz":                      "%help lists them",
		"%":                         "%help lists them",
		"%history -1":               "a number of cells",
		"%save":                     "%save session.go",
		"%save " + dir + "/a.go":    "nothing to save",
		"%run":                      "%run session.go",
		"%run " + dir + "/none.go":  "none.go",
		"%run " + dir + "/empty.go": "no cells",
		"%run " + dir + "/a.txt":    "a.txt",
		"%time":                     "wants code",
		"%time y":                   "undefined: y",
		"%load " + dir + "/a.go 3":  "a.go",
		"%help nothing":             "no command %nothing",
		"?nothing":                  "nothing is known of nothing",
		"%quit":                     "menu",
	} {
		if got := show(s, code); !strings.Contains(got, says) {
			t.Errorf("%s: %q does not say %q", code, got, says)
		}
	}
}

func TestSaveAndRun(t *testing.T) {
	dir := t.TempDir()
	s := newSession(t)
	for _, code := range []string{"x := 1", "y", "%time x += 1", "func f() int {\n\treturn x\n}"} {
		show(s, code)
	}
	for _, name := range []string{"/a.go", "/a.ipynb"} {
		if got := show(s, "%save "+dir+name); !strings.HasPrefix(got, "3 cells") {
			t.Errorf("%s: %s", name, got)
		}
		if got := show(s, "%save "+dir+name); !strings.HasPrefix(got, "3 cells") {
			t.Errorf("%s again: %s", name, got)
		}
		other := newSession(t)
		if got := show(other, "%save "+dir+name); strings.Contains(got, "written") {
			t.Errorf("another session's file is replaced: %s", got)
		}
		if got := show(other, "%run "+dir+name); got != "" {
			t.Errorf("%s: %s", name, got)
		}
		if got := show(other, "f()"); got != "2" {
			t.Errorf("%s: f() is %s", name, got)
		}
		if got := show(other, "%save "+dir+name); !strings.Contains(got, "-f") {
			t.Errorf("%s: %s", name, got)
		}
		if got := show(other, "%save -f "+dir+name); !strings.HasPrefix(got, "4 cells") {
			t.Errorf("%s: %s", name, got)
		}
	}
	var out output
	o := s.Execute(interp.Cell{Code: "%load " + dir + "/a.go 2"}, &out)
	if o.Value == nil || o.Value.Data[InputForm] != "x += 1" {
		t.Errorf("loaded %v", o.Value)
	}
	if got := show(s, "%history 2"); got != "// 3\nx += 1\n// 4\nfunc f() int {\n\treturn x\n}" {
		t.Errorf("history %q", got)
	}
}

// An interrupt ends the file, not only its cell.
func TestInterruptEndsARun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(path, []byte("fmt.Println(1)\n// %%\nfor {}\n// %%\nfmt.Println(3)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := newSession(t)
	out := &interrupting{session: s}
	o := s.Execute(interp.Cell{Code: "%run " + path}, out)
	if o.Err == nil || o.Err.Name != "interrupted" || out.String() != "1\n" {
		t.Errorf("%v after %q", o.Err, out.String())
	}
}

// interrupting interrupts the session some time after it has printed.
type interrupting struct {
	output
	session *Session
}

func (i *interrupting) Stream(cell int, name, text string) {
	i.output.Stream(cell, name, text)
	go i.session.Interrupt()
}

func TestCompletion(t *testing.T) {
	s := newSession(t)
	dir := t.TempDir()
	for _, f := range []string{"b.go", "b.ipynb", "b.txt"} {
		if err := os.WriteFile(filepath.Join(dir, f), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for code, want := range map[string]string{
		"%hi":                   "1-3 history",
		"%ti":                   "1-3 time",
		"%run " + dir + "/b":    fmt.Sprintf("5-%d %s/b.go %s/b.ipynb", 7+len(dir), dir, dir),
		"%time strings.ToValid": "14-21 ToValidUTF8",
		"?strings.ToValid":      "9-16 ToValidUTF8",
		"%vars x":               "7-7",
		"é := strings.ToValid":  "13-20 ToValidUTF8",
	} {
		c := s.Complete(code, len([]rune(code)))
		got := fmt.Sprintf("%d-%d", c.Start, c.End)
		for _, it := range c.Items {
			got += " " + it.Text
		}
		if got != want {
			t.Errorf("%s: %s, want %s", code, got, want)
		}
	}
}

func TestIsComplete(t *testing.T) {
	s := newSession(t)
	for code, want := range map[string]string{
		"%time for {": "incomplete", "%time f()": "complete", "%run a.go": "complete", "?x": "complete", "for {": "incomplete", "x := []{1}": "invalid",
	} {
		if got := s.IsComplete(code).Status; got != want {
			t.Errorf("%s is %s, want %s", code, got, want)
		}
	}
	if b, ok := s.Inspect("%time strings.ToUpper", 15, 0); !ok || !strings.Contains(fmt.Sprint(b.Data["text/plain"]), "ToUpper") {
		t.Errorf("%v", b)
	}
}

// No cell of Go is taken for a command.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"%time x", "?x", "x?", "a %\nb", "`\n?`", "x // why?", "/* %x */ y", "'?'", "%%run a", "??", "%\t\n x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, code string) {
		l, ok := parse(code)
		if status, _ := cell.Complete(code); ok && status == "complete" {
			t.Errorf("%q is Go, and command %+v", code, l)
		}
		if ok && code[l.at:] != "" && !strings.HasPrefix(code[l.at:], l.args) {
			t.Errorf("%q: %q is not at %d", code, l.args, l.at)
		}
	})
}

func TestAsks(t *testing.T) {
	for code, want := range map[string]bool{
		"?fmt.Println": true, " fmt.Println? ": true, "??f": true, "f??": true,
		"": false, "f()": false, "%help": false, "x := 1 // why?": false, "x\ny?": false,
	} {
		if got := Asks(code); got != want {
			t.Errorf("Asks(%q) is %v", code, got)
		}
	}
}
