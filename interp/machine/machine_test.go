package machine

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/gonterp/gonterp/interp/check"
	"github.com/gonterp/gonterp/interp/engine"
	"github.com/gonterp/gonterp/interp/exports"
	"github.com/gonterp/gonterp/interp/symbols"
)

// A session is as much of one as the engine's tests need.
type session struct {
	check *check.Checker
	m     *Machine
	out   lockedBuffer
	panic []engine.Fault
	mu    sync.Mutex
	n     int
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.b.String()
	l.b.Reset()
	return s
}

func newSession(t testing.TB) *session {
	s := &session{}
	im := exports.NewImporter()
	im.Add(symbols.Packages()...)
	s.check = check.New(im)
	var err error
	s.m, err = New(engine.Host{
		Importer: im,
		Writer:   func(w io.Writer) io.Writer { return w },
		Stdout:   &s.out, Stderr: &s.out,
		Panicked: func(f engine.Fault) { s.mu.Lock(); s.panic = append(s.panic, f); s.mu.Unlock() },
		Cell:     func() int { return s.n },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// cell runs a cell and returns what it printed, its value's text, and how it failed.
func (s *session) cell(src string) (out, value string, err error) {
	s.n++
	c, err := s.check.Cell(s.n, src)
	if err != nil {
		return "", "", err
	}
	run, err := s.m.Compile(c)
	if err != nil {
		s.check.Drop(c)
		return "", "", err
	}
	s.check.Commit(c)
	defer func() {
		if v := recover(); v != nil {
			out = s.out.take()
			f := s.m.Fault(v)
			err = fmt.Errorf("%s", f.Text)
			for _, fr := range f.Stack {
				err = fmt.Errorf("%w\n%s %s", err, fr.Func, fr.Pos)
			}
		}
	}()
	var vs []string
	for _, v := range run() {
		vs = append(vs, fmt.Sprint(v.V))
	}
	return s.out.take(), strings.Join(vs, " "), nil
}

func TestFirst(t *testing.T) {
	s := newSession(t)
	for _, src := range []string{
		"x := 40\nx + 2", "fmt.Println(x, \"hi\", 2.5)", "for i := 0; i < 3; i++ { x += i }\nx",
		"type P struct { X int; name string }\nfunc (p P) String() string { return fmt.Sprint(\"P<\", p.X, p.name, \">\") }",
		"p := P{3, \"n\"}\nfmt.Println(p, &p, []P{p}, []any{p, 1}); fmt.Printf(\"%T %+v %#v\\n\", p, p, p)\np",
		"type E struct{ C int }\nfunc (e *E) Error() string { return fmt.Sprint(\"E\", e.C) }\nfunc do() error { return &E{5} }\nvar e *E\nfmt.Println(errors.As(fmt.Errorf(\"w: %w\", do()), &e), e.C, do())",
		"func f(n int) (r int) { defer func() { if e := recover(); e != nil { fmt.Println(e); r = -1 } }(); xs := []int{1}; return xs[n] }\nf(3)",
		"xs := []int{1}\nxs[5]",
		"m := map[string]int{\"a\": 1}\nm[\"b\"]++\nm",
		"go func() { panic(\"gone\") }()\ntime.Sleep(10*time.Millisecond)",
		"ch := make(chan int)\ngo func() { for i := range 3 { ch <- i }; close(ch) }()\nfor v := range ch { fmt.Println(v) }",
		"sort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] })\nslices.Sort(xs)\nslices.Max(xs)",
		"func Map[T, U any](xs []T, f func(T) U) []U { var r []U; for _, x := range xs { r = append(r, f(x)) }; return r }\nMap([]int{1,2}, func(i int) string { return strings.Repeat(\"a\", i) })",
		"type B []string\nfunc (b B) Len() int { return len(b) }\nfunc (b B) Less(i, j int) bool { return len(b[i]) < len(b[j]) }\nfunc (b B) Swap(i, j int) { b[i], b[j] = b[j], b[i] }\nb := B{\"ccc\", \"a\", \"bb\"}\nsort.Sort(b)\nb",
		"reflect.TypeOf(P{}).Name() + fmt.Sprint(reflect.ValueOf(P{4,\"\"}).MethodByName(\"String\").Call(nil)[0])",
	} {
		out, v, err := s.cell(src)
		t.Logf("%s\n  out %q value %q err %v", src, out, v, err)
	}
	t.Log(s.panic)
	_ = reflect.ValueOf
}
