package machine

import (
	"iter"
	"reflect"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/interp/exports"
)

// elsewhere are compiled functions that call a cell's function on another goroutine.
var elsewhere = exports.Package{Path: "elsewhere", Name: "elsewhere", Symbols: func() map[string]reflect.Value {
	return map[string]reflect.Value{
		// Resume calls f twice on one coroutine, with 0 and 1, and returns the sum.
		"Resume": reflect.ValueOf(func(f func(xs []int, i int) float64) (sum float64) {
			next, stop := iter.Pull(func(yield func(float64) bool) { _ = yield(f(nil, 0)) && yield(f(nil, 1)) })
			defer stop()
			for range 2 {
				v, _ := next()
				sum += v
			}
			return sum
		}),
		// Start calls f on a goroutine and waits for its result.
		"Start": reflect.ValueOf(func(f func(xs []int, i int) (float64, error)) (float64, error) {
			done := make(chan bool)
			var v float64
			var err error
			go func() { v, err = f(nil, 0); close(done) }()
			<-done
			return v, err
		}),
	}
}}

// What a callback panics with on a coroutine reaches the cell, through the compiled
// code that resumed it.
func TestPanicsOfCoroutines(t *testing.T) {
	s := newSession(t)
	s.check.Importer.Add(elsewhere)
	s.good(t, "import \"elsewhere\"\nelsewhere.Resume(func(xs []int, i int) float64 { return float64(i) + 1 })", "", "3")
	s.good(t, "f := func(xs []int, i int) float64 {\n\tif i == 1 {\n\t\treturn float64(xs[7])\n\t}\n\treturn 1\n}", "", "")
	s.bad(t, "\nelsewhere.Resume(f)", "index out of range [7]", "\nfunc1 c2:3:", "\n c3:2:")
	s.good(t, "func() {\n\tdefer func() { fmt.Println(recover()) }()\n\telsewhere.Resume(f)\n}()", "runtime error: index out of range [7] with length 0\n", "")
	s.bad(t, "elsewhere.Resume(func(xs []int, i int) float64 { runtime.Goexit(); return 1 })", "runtime.Goexit()")
	s.bad(t, "elsewhere.Resume(func(xs []int, i int) float64 { return elsewhere.Resume(f) })", "index out of range [7]", "func1 c2:3:", "func1 c6:1:", "\n c6:1:")
	if len(s.panic) > 0 {
		t.Errorf("reported as of a goroutine: %+v", s.panic)
	}
}

// What a sequence panics with reaches the cell that pulls at it.
func TestPanicsOfPulledSequences(t *testing.T) {
	s := newSession(t)
	s.good(t, "seq := func(yield func(int) bool) {\n\tvar xs []int\n\tif yield(1) {\n\t\tyield(xs[3])\n\t}\n\tpanic(\"late\")\n}", "", "")
	s.good(t, "next, stop := iter.Pull(seq)\nfmt.Println(next())", "1 true\n", "")
	s.bad(t, "\nnext()", "index out of range [3]", "\nfunc1 c1:4:", "\n c3:2:")
	s.good(t, "fmt.Println(next())\nstop()", "0 false\n", "")
	s.good(t, "next, stop = iter.Pull(seq)\nfmt.Println(next())\nfunc() {\n\tdefer func() { fmt.Println(recover()) }()\n\tnext()\n}()", "1 true\nruntime error: index out of range [3] with length 0\n", "")
	s.good(t, "next, stop = iter.Pull(seq)\nfmt.Println(next())", "1 true\n", "")
	s.bad(t, "stop()", "late", "\nfunc1 c1:6:", "\n c7:1:")
	if len(s.panic) > 0 {
		t.Errorf("reported as of a goroutine: %+v", s.panic)
	}
}

// A goroutine that compiled code started ends with a report; the function returns zeros.
func TestPanicsOfStrayGoroutines(t *testing.T) {
	s := newSession(t)
	s.check.Importer.Add(elsewhere)
	s.good(t, "import \"elsewhere\"\nelsewhere.Start(func(xs []int, i int) (float64, error) { return float64(xs[7]), nil })", "", "0 <nil>")
	if len(s.panic) != 1 || !strings.Contains(s.panic[0].Text, "index out of range [7]") {
		t.Errorf("reported %+v", s.panic)
	}
}
