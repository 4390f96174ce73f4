package machine

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

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

// good runs a cell that must not fail and checks what it prints and its value.
func (s *session) good(t *testing.T, src, out, value string) {
	t.Helper()
	o, v, err := s.cell(src)
	if err != nil {
		t.Errorf("%s\n%v", src, err)
	}
	if o != out || v != value {
		t.Errorf("%s\nprinted %q, value %q; want %q, %q", src, o, v, out, value)
	}
}

// bad runs a cell that must fail with a text that contains want.
func (s *session) bad(t *testing.T, src string, want ...string) {
	t.Helper()
	_, _, err := s.cell(src)
	if err == nil {
		t.Errorf("%s\ndid not fail", src)
		return
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s\nfailed with %q, without %q", src, err, w)
		}
	}
}

func TestCellsOverTime(t *testing.T) {
	s := newSession(t)
	s.good(t, "func f() int { return 1 }\nfunc g() int { return f() * 10 }\nk := f\ng()", "", "10")
	s.good(t, "func f() int { return 2 }\ng() + k()", "", "22")
	s.good(t, "x := 1\np := &x\nget := func() int { return x }", "", "")
	s.good(t, "x := 5\n*p + get()", "", "10")
	s.good(t, "x := \"s\"\nfmt.Println(x, *p, get())", "s 5 5\n", "")
	s.good(t, "var n int\nn = 3", "", "")
	s.good(t, "var n int\nn", "", "0")
	s.good(t, "type P struct{ X int }\nfunc (p P) M() int { return p.X }\nq := P{3}\nq.M()", "", "3")
	s.good(t, "func (p P) M() int { return p.X * 100 }\nq.M()", "", "300")
	s.good(t, "type P struct{ X, Y int }\nfmt.Println(q, P{1, 2})", "{3} {1 2}\n", "")
}

func TestMethodAddedLater(t *testing.T) {
	s := newSession(t)
	s.good(t, "type P struct{ X int }\np := P{4}\nvar a any = p\nshow := func() { fmt.Println(p, []P{p}) }\nshow()", "{4} [{4}]\n", "")
	s.good(t, "func (p P) String() string { return \"str\" }\nshow()", "str [str]\n", "")
	s.good(t, "q, ok := a.(P)\n_, is := a.(fmt.Stringer)\nfmt.Println(q, ok, is)", "str true false\n", "")
}

func TestDeferredCallsOfACell(t *testing.T) {
	s := newSession(t)
	s.good(t, "defer func() { fmt.Println(\"recovered\", recover()) }()\ntype S interface{ M() }\nfunc f() { panic(\"boo\") }\nf()", "recovered boo\n", "")
	s.good(t, "defer fmt.Println(\"last\")\nfunc h() int { return 3 }\nfmt.Println(\"first\")\nh()", "first\nlast\n", "3")
}

func TestFaults(t *testing.T) {
	s := newSession(t)
	s.good(t, "func a(n int) int {\n\tif n == 0 {\n\t\tvar p *struct{ x int }\n\t\treturn p.x\n\t}\n\treturn a(n - 1)\n}", "", "")
	s.bad(t, "z := 1\na(2)", "invalid memory address or nil pointer dereference", "a c1:4:", "a c1:6:", " c2:2:")
	s.good(t, "type T struct{}\nfunc (t *T) Boom() { panic(fmt.Errorf(\"boom %d\", 1)) }", "", "")
	s.bad(t, "(&T{}).Boom()", "boom 1", "Boom c3:2:")
	s.bad(t, "xs := []int{1}\nfunc() { sort.Slice(make([]int, 3), func(i, j int) bool {\n\treturn xs[i+5] < 1\n}) }()", "index out of range [6] with length 1", "c5:3:")
	s.bad(t, "var v any = 1\nv.(string)", "interface conversion: interface {} is int, not string")
	s.bad(t, "type S interface{ M() }\nvar v any = T{}\nv.(S)", "interface conversion: main.T is not main.S: missing method M")
	s.bad(t, "i := 0\nxs[1:i:i]", "slice bounds out of range [1:0:]")
	s.bad(t, "func r(n int) int { return r(n+1) + 1 }\nr(0)", "stack overflow")
	s.bad(t, "type R struct{ n int }\nfunc (r R) String() string { return fmt.Sprint(r) }\nfmt.Println(R{1})", "stack overflow")
	s.bad(t, "func two() { defer func() { panic(\"second\") }(); panic(\"first\") }\ntwo()", "first\n\tpanic: second")
	s.good(t, "1 + 1", "", "2")
}

func TestRefusals(t *testing.T) {
	s := newSession(t)
	for src, want := range map[string]string{
		"import \"unsafe\"\nx := 1\nunsafe.Pointer(uintptr(unsafe.Pointer(&x)))": "3:15: not supported here: the conversion of a uintptr to unsafe.Pointer; use unsafe.Add",
	} {
		s.bad(t, src, want)
	}
	s.good(t, "7", "", "7")
}

func TestGoroutines(t *testing.T) {
	s := newSession(t)
	s.good(t, "go func() {\n\tvar m map[string]int\n\tm[\"a\"] = 1\n}()\ntime.Sleep(20 * time.Millisecond)", "", "")
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.panic) != 1 || s.panic[0].Text != "assignment to entry in nil map" || len(s.panic[0].Stack) == 0 || s.panic[0].Stack[0].Pos.Line != 3 {
		t.Errorf("the goroutine's panic: %+v", s.panic)
	}
}

func TestConcurrentMapIsAnError(t *testing.T) {
	s := newSession(t)
	if _, _, err := s.cell("m := map[int]int{}\nvar wg sync.WaitGroup\nfor range 8 { wg.Add(1); go func() { defer wg.Done(); for i := range 200000 { m[i%10] = i } }() }\nwg.Wait()"); err != nil {
		t.Fatal(err)
	}
	for _, f := range s.panic {
		if f.Text != "fatal error: concurrent map writes" {
			t.Errorf("a goroutine ended with %q", f.Text)
		}
	}
	s.good(t, "len(m)", "", "10")
}

func TestInterrupt(t *testing.T) {
	for _, src := range []string{
		"for {}", "for { func() {}() }", "ch := make(chan int)\n<-ch", "ch := make(chan int)\nch <- 1", "select {}", "time.Sleep(time.Hour)",
		"var mu sync.Mutex\nmu.Lock()\nmu.Lock()", "var wg sync.WaitGroup\nwg.Add(1)\nwg.Wait()", "defer func() { for {} }()\nfor {}",
		"for { func() { defer func() { recover() }(); for {} }() }", "slices.IndexFunc([]int{1}, func(int) bool { for {} })", "var c chan int\nfor range c {}",
	} {
		s := newSession(t)
		s.good(t, "n := 1\nin, out := make(chan int), make(chan int)\ngo func() { for v := range in { out <- v * 2 } }()", "", "")
		var at time.Time
		stopped := make(chan bool)
		go func() {
			for s.m.running.Load() == nil {
				time.Sleep(time.Millisecond)
			}
			time.Sleep(20 * time.Millisecond)
			at = time.Now()
			s.m.Interrupt()
			close(stopped)
		}()
		_, _, err := s.cell("n = 2\n" + src)
		<-stopped
		if err == nil || err.Error() != "interrupted" && !strings.HasPrefix(err.Error(), "interrupted\n") {
			t.Errorf("%s ended with %v", src, err)
		}
		if d := time.Since(at); d > time.Second {
			t.Errorf("%s took %v to stop", src, d)
		}
		s.good(t, "in <- 21\nfmt.Println(n)\n<-out", "2\n", "42")
	}
}

func TestDeadlock(t *testing.T) {
	if testing.Short() {
		t.Skip("takes as long as goroutines must sleep to be taken for dead")
	}
	s := newSession(t)
	s.bad(t, "ch := make(chan int)\ngo func() { ch <- <-ch }()\n<-ch", "all goroutines are asleep - deadlock!")
	s.good(t, "done := make(chan bool)\ntime.AfterFunc(6*time.Second, func() { done <- true })\nticks := time.After(7 * time.Second)\nselect { case <-done: case <-ticks: }", "", "")
}

// TestStorage overwrites a large value many times, in cells of their own.
func TestStorage(t *testing.T) {
	s := newSession(t)
	var before, after runtime.MemStats
	for i := range 120 {
		if _, _, err := s.cell("big := make([]float64, 1<<19)"); err != nil {
			t.Fatal(err)
		}
		if i == 20 {
			runtime.GC()
			runtime.ReadMemStats(&before)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 16<<20 {
		t.Errorf("100 values of 4 MB one after the other leave %d MB more", grown>>20)
	}
}

// TestOldCells runs many cells and sees what each leaves behind.
func TestOldCells(t *testing.T) {
	s := newSession(t)
	var before, after runtime.MemStats
	const n = 2000
	for i := range 2 * n {
		if i == n {
			runtime.GC()
			runtime.ReadMemStats(&before)
		}
		if _, _, err := s.cell("x := 1\nfor i := range 3 { x += i }\nx"); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / n
	t.Logf("%d bytes a cell", each)
	if each > 24<<10 {
		t.Errorf("a small cell leaves %d bytes behind", each)
	}
	runtime.KeepAlive(s)
}
