package interp

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// recorder is an Output that keeps what it gets.
type recorder struct {
	mu    sync.Mutex
	text  strings.Builder
	cells map[int]bool // which wrote something
}

func (r *recorder) Stream(cell int, name, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text.WriteString(text)
	if r.cells == nil {
		r.cells = map[int]bool{}
	}
	r.cells[cell] = true
}
func (r *recorder) Display(cell int, b Bundle, id string, update bool) {
	r.Stream(cell, "display", fmt.Sprint(b.Data["text/plain"]))
}
func (r *recorder) Clear(cell int, wait bool) {}
func (r *recorder) Input(prompt string, password bool) (string, error) {
	return "typed", nil
}

// wait waits until text has been written, and returns all.
func (r *recorder) wait(text string) string {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if strings.Contains(r.String(), text) {
			break
		}
	}
	return r.String()
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// TestMain runs everything on both engines, or the one that GONTERP_ENGINE names.
func TestMain(m *testing.M) {
	engines := []string{"machine", "yaegi"}
	if e := os.Getenv("GONTERP_ENGINE"); e != "" {
		engines = []string{e}
	}
	for _, e := range engines {
		os.Setenv("GONTERP_ENGINE", e)
		if code := m.Run(); code != 0 {
			fmt.Println("engine", e)
			os.Exit(code)
		}
	}
}

func newTestSession(t *testing.T, opt Options) *Session {
	t.Helper()
	s, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// show runs cells and returns what the last one gave: its output, then its value or error.
func show(s *Session, cells ...string) string {
	var out recorder
	var o Outcome
	for _, c := range cells {
		out = recorder{}
		done := make(chan bool)
		go func() {
			select {
			case <-done:
			case <-time.After(10 * time.Second):
				s.Interrupt()
			}
		}()
		o = s.Execute(Cell{Code: c}, &out)
		close(done)
	}
	text := out.String()
	if o.Value != nil {
		text += fmt.Sprint(o.Value.Data["text/plain"])
	}
	if o.Err != nil {
		text += o.Err.Error()
	}
	return text
}

func TestCells(t *testing.T) {
	for _, c := range []struct {
		cells []string
		want  string
	}{
		{[]string{"6*7"}, "42"},
		{[]string{"fmt.Println(7)"}, "7\n"},
		{[]string{"x := 1", "x = 100", "x"}, "100"},
		{[]string{"x := 1"}, ""},
		{[]string{`"a"`}, `"a"`},
		{[]string{"func f() int { return 1 }\nfunc g() int { return f() * 10 }", "func f() int { return 2 }", "g()"}, "20"},
		{[]string{"x := 1\nh := func() int { return x }", "x := 5", "h()"}, "5"},
		{[]string{"x := 1\nh := func() int { return x }", `x := "s"`, "h()"}, "1"},
		{[]string{"type P struct{ X int }\nfunc (p P) M() int { return p.X }\nold := P{3}", "func (p P) M() int { return p.X * 100 }", "old.M()"}, "300"},
		{[]string{"type P struct{ X int }\nfunc (p P) M() int { return p.X }", "func (p P) M() string { return \"\" }"}, "compile error: not supported here: method P.M with another signature; declare the type again in this cell"},
		{[]string{"type P struct{ X int }\nfunc (p P) M() int { return p.X }", "p := P{3}\nfunc f(p P) int { return p.M() }", "type P struct{ X int }\nfunc (p P) M() int { return p.X * 2 }", "f(p)"}, "6"},
		{[]string{"x := 1", "x := \"s\"\ny := nope", "x + 1"}, "2"},
		{[]string{"1=1", "3"}, "3"},
		{[]string{"fmt.Fprintln(os.Stdout, 1)\nfmt.Println(2)\nos.Stderr.WriteString(\"3\\n\")\nprintln(4)\nlog.SetFlags(0)\nlog.Print(5)\nos.Stdout.WriteString(\"6\\n\")"}, "1\n2\n3\n4\n5\n6\n"},
		{[]string{"var s string\nfmt.Scan(&s)\ns"}, `"typed"`},
		{[]string{"os.Exit(3)", "2"}, "2"},
		{[]string{"log.Fatal(1)", "2"}, "2"},
		{[]string{"runtime.Goexit()", "2"}, "2"},
		{[]string{"os.Exit(3)"}, "exit: os.Exit(3) ended the cell; the session goes on"},
		{[]string{"func d(xs []int) int {\n\treturn xs[3]\n}", "d(nil)"}, "panic: runtime error: index out of range"},
		{[]string{"panic(errors.New(\"boom\"))"}, "error: boom"},
		{[]string{"var e error\ne"}, ""},
		{[]string{"[]int{1, 2}"}, "[]int{1, 2}"},
		{[]string{"type P struct{ X int }\nP{1}"}, "main.P{X:1}"},
		{[]string{"time.Duration(1500)*time.Millisecond"}, "1.5s"},
		{[]string{"f := func() (int, error) { return 1, nil }\nf()"}, "1, <nil>"},
		{[]string{"rand.Intn(1)"}, `compile error: undefined: rand (write import "crypto/rand" or import "math/rand" or import "math/rand/v2")`},
		{[]string{"func g() int { return h() }\nx := g()\nfunc h() int { return 5 }\nx"}, "5"},
		{[]string{"const k = 1\nfunc f() int { return k }", "const k = 2", "f()"}, "2"},
		{[]string{"type D struct{}\nfunc (D) M() int\nfunc f([]byte) error // listed\nfunc g() D", "fmt.Sprint(g == nil)"}, `"false"`},
		{[]string{"func f([]byte) error", "f(nil)"}, "panic: f has no body"},
		{[]string{"type D struct{}\nfunc (D) M() int", "func (D) N() int", "D{}.N()"}, "panic: N has no body"},
		{[]string{"type K int\nfunc f() K", "type K string", "f()"}, "panic: f has no body"},
		{[]string{"func f() int", "func f() int { return 3 }", "f()"}, "3"},
		{[]string{"p, err := plot.New()", "import \"gonum.org/v1/plot\"\np, err := plot.New()\np != nil && err == nil"}, "true"},
		{[]string{"import \"gonum.org/v1/plot\"\nfunc make() *plot.Plot { p, err := plot.New(); if err != nil { panic(err) }; return p }\np := plot.New()\nmake() != p"}, "true"},
		{[]string{"type shop struct{}\nfunc (shop) New() int { return 1 }\nplot := shop{}\np, err := plot.New()"}, "compile error: assignment mismatch: 2 variables but plot.New returns 1 value"},
		{[]string{"type P struct{ X int }\nfunc f(p P) int { return p.X }\nfunc g(x int) int { return f(P{X: x}) }", "type P struct{ X, Y int }", "f(P{1, 2}) + g(10)"}, "11"},
		{[]string{"const k = 1\nfunc f() int { return k }", "const k = \"s\"", "f()"}, "1"},
		{[]string{"func f() int { return 1 }\nfunc g() int { return f() }", "func f() string { return \"s\" }", "g()"}, "1"},
		{[]string{"func f() int { return 1 }\nfunc g() string { return fmt.Sprint(f()) }", "func f() string { return \"s\" }", "g()"}, `"s"`},
		{[]string{"x := 5\nfunc f() int { return x }\nx++\nf()"}, "6"},
	} {
		t.Run(c.cells[len(c.cells)-1], func(t *testing.T) {
			s := newTestSession(t, Options{})
			got, _, _ := strings.Cut(show(s, c.cells...), " [3] with length") // which yaegi does not say
			if got != c.want {
				t.Errorf("%q:\n got %q\nwant %q", c.cells, got, c.want)
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		s, err := New(Options{})
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

func BenchmarkTrivialCell(b *testing.B) {
	s, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	out := &recorder{}
	for b.Loop() {
		s.Execute(Cell{Code: "1+1"}, out)
	}
}
