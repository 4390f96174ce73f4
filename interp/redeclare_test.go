package interp

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// TestRedeclaring declares functions, generic functions, variables, methods and
// closures that use each other again and again, and asks for their values.
func TestRedeclaring(t *testing.T) {
	const n = 5
	s := openSession(t)
	out := &recorder{}
	value := func(code string) string {
		t.Helper()
		o := s.Execute(Cell{Code: code}, out)
		if o.Err != nil {
			t.Fatalf("%s: %v\n%s", code, o.Err, strings.Join(o.Err.Traceback, "\n"))
		}
		if o.Value == nil {
			return ""
		}
		return fmt.Sprint(o.Value.Data["text/plain"])
	}
	r := rand.New(rand.NewPCG(1, 2))
	// What the names stand for, worked out here.
	type formula struct{ add, f, v int }
	var vars [n]int
	var funcs, generics, methods, closures [n]formula
	var call func(q formula) int
	call = func(q formula) int {
		if q.f < 0 {
			return q.add + vars[q.v]
		}
		return q.add + vars[q.v] + call(funcs[q.f])
	}
	random := func(below int) formula { return formula{r.IntN(100), r.IntN(below+1) - 1, r.IntN(n)} }
	text := func(q formula) string {
		s := fmt.Sprintf("%d + v%d", q.add, q.v)
		if q.f >= 0 {
			s += fmt.Sprintf(" + f%d()", q.f)
		}
		return s
	}
	declare := func(kind, i int) {
		switch kind {
		case 0:
			vars[i] = r.IntN(1000)
			value(fmt.Sprintf("v%d := %d", i, vars[i]))
		case 1:
			funcs[i] = random(i)
			value(fmt.Sprintf("func f%d() int { return %s }", i, text(funcs[i])))
		case 2:
			generics[i] = random(n)
			value(fmt.Sprintf("func g%d[T any](x T) string { return fmt.Sprintf(\"%%v:%%d\", x, %s) }", i, text(generics[i])))
		case 3:
			methods[i] = random(n)
			value(fmt.Sprintf("type T%d struct{ N int }\nfunc (t T%d) Get() int { return t.N + %s }", i, i, text(methods[i])))
		case 4:
			closures[i] = random(n)
			value(fmt.Sprintf("c%d := func() int { return %s }", i, text(closures[i])))
		}
	}
	for kind := range 5 {
		for i := range n {
			declare(kind, i)
		}
	}
	for i := range n {
		value(fmt.Sprintf("var i%d interface{ Get() int } = T%d{%d}\nm%d := T%d{%d}.Get", i, i, i, i, i, i))
	}
	for step := range 1500 {
		i := r.IntN(n)
		switch kind := r.IntN(12); {
		case kind < 5:
			declare(kind, i)
		case kind == 5:
			value(fmt.Sprintf("{ w%d := %d; fmt.Print(w%d) }", i, step, i))
		default:
			ask, want := "", ""
			switch kind {
			case 6:
				ask, want = fmt.Sprintf("f%d()", i), fmt.Sprint(call(funcs[i]))
			case 7:
				args := []string{"1", `"a"`, "2.5", "[]int(nil)", "T0{}"}
				shown := []string{"1", "a", "2.5", "[]", "{0}"}
				a := r.IntN(len(args))
				ask, want = fmt.Sprintf("g%d(%s)", i, args[a]), fmt.Sprintf("%q", fmt.Sprintf("%s:%d", shown[a], call(generics[i])))
			case 8:
				ask, want = fmt.Sprintf("T%d{7}.Get()", i), fmt.Sprint(7+call(methods[i]))
			case 9:
				ask, want = fmt.Sprintf("c%d()", i), fmt.Sprint(call(closures[i]))
			case 10:
				ask, want = fmt.Sprintf("i%d.Get()", i), fmt.Sprint(i+call(methods[i]))
			case 11:
				ask, want = fmt.Sprintf("m%d()", i), fmt.Sprint(i+call(methods[i]))
			}
			if got := value(ask); got != want {
				t.Fatalf("step %d: %s is %s, not %s", step, ask, got, want)
			}
		}
		switch {
		case step%200 == 150:
			value(fmt.Sprintf("func (t T%d) More%d() int { return t.Get() }", i, step)) // all code is made again
		case step%100 == 0:
			runtime.GC()
		}
	}
}
