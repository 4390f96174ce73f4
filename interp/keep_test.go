package interp

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

// unheard is an Output that keeps nothing.
type unheard struct{}

func (unheard) Stream(int, string, string)         {}
func (unheard) Display(int, Bundle, string, bool)  {}
func (unheard) Clear(int, bool)                    {}
func (unheard) Input(string, bool) (string, error) { return "", nil }

// TestCellsLeaveLittle runs cells that take each other's place, and looks at what is kept of each.
func TestCellsLeaveLittle(t *testing.T) {
	if os.Getenv("GONTERP_ENGINE") == "yaegi" {
		t.Skip("yaegi keeps all that it has ever compiled")
	}
	const cells, limit = 1500, 1 << 10
	turns := func(code ...string) func(int) string {
		return func(i int) string { return code[i%len(code)] }
	}
	for name, code := range map[string]func(int) string{
		"expression":    turns("1 + 2"),
		"variable":      turns("x := 1"),
		"other type":    turns("y := 1", `y := "a"`),
		"use":           turns("x"),
		"print":         turns(`fmt.Println("a", x)`),
		"closure":       turns("f := func() int { return x }\nf()"),
		"function":      turns("func double(a int) int { return 2 * a }\ndouble(x)"),
		"each other":    turns("func even(n int) bool { return n == 0 || odd(n-1) }", "func odd(n int) bool { return n > 0 && even(n-1) }"),
		"type":          turns("type P struct{ X int }\nfunc (p P) Len() int { return p.X }\nP{3}.Len()"),
		"method value":  turns("g := P{1}.Len\ng()"),
		"goroutine":     turns("go func() { x++ }()"),
		"panic":         turns(`panic("on purpose")`),
		"compile error": turns("undefinedName"),
		"statements":    turns("for i := range 3 { fmt.Println(i) }\nvar sb strings.Builder\nsb.WriteString(\"a\")\nsb.String()"),
		"new names":     func(i int) string { return fmt.Sprintf("{ v%d := %d; fmt.Println(v%d) }", i, i, i) },
	} {
		t.Run(name, func(t *testing.T) {
			s := openSession(t)
			run := func(code string) { s.Execute(Cell{Code: code}, unheard{}) }
			run("x := 0")
			run("type P struct{ X int }\nfunc (p P) Len() int { return p.X }")
			run("func even(n int) bool { return true }\nfunc odd(n int) bool { return false }")
			for i := range 200 {
				run(code(i))
			}
			before := live()
			for i := range cells {
				run(code(200 + i))
			}
			if kept := (live() - before) / cells; kept > limit {
				t.Errorf("%d bytes are kept of each cell, more than %d", kept, limit)
			}
			runtime.KeepAlive(s)
		})
	}
}

// live is how much memory is reachable. The first collections find what the last one's clean-ups let go.
func live() int {
	for range 4 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func openSession(t *testing.T) *Session {
	t.Helper()
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestOldCells comes back to what cells have declared long ago.
func TestOldCells(t *testing.T) {
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
	value("x := 1")
	value("f := func() int { return x }\nfails := func(s []int) int {\n\treturn s[x+1]\n}")
	value("func get() int { return x }\nbase := 10")
	value("func helper() int { return base }")
	value("func pair[T any](v T) string { return fmt.Sprint(v, helper(), x) }")
	value("type Acc struct{ n int }\nfunc (a *Acc) Add(k int) int { a.n += k * get(); return a.n }\nacc := &Acc{}\nadd := acc.Add")
	value("type Adder interface{ Add(int) int }\nvar adder Adder = acc")
	value("again := make(chan int)\nanswer := make(chan int)\ngo func() { for k := range again { answer <- k + f() + get() } }()")
	// Other things take their names.
	value(`x := "a"`)
	value("func helper() int { return base + 1 }")
	value(`base := "b"`)
	check := func() {
		t.Helper()
		for code, want := range map[string]string{
			"f()": "1", "get()": "1", "pair(2.5)": `"2.5 11 1"`, `pair("s")`: `"s11 1"`, "pair(x)": `"a11 1"`, "x": `"a"`, "base": `"b"`,
			"acc.n = 0; add(2)": "2", "acc.n = 5; adder.Add(1)": "6", "again <- 5; <-answer": "7",
		} {
			code = strings.ReplaceAll(code, "; ", "\n")
			if got := value(code); got != want {
				t.Errorf("%s is %s, not %s", code, got, want)
			}
		}
		o := s.Execute(Cell{Code: "fails(nil)"}, out)
		yaegi := os.Getenv("GONTERP_ENGINE") == "yaegi" // which names no line of a closure
		if o.Err == nil || !yaegi && !strings.Contains(strings.Join(o.Err.Traceback, "\n"), "cell 2, line 3, in func2\n    return s[x+1]") {
			t.Errorf("fails: %v", o.Err)
		}
	}
	check()
	for i := range 400 {
		value(fmt.Sprintf("z := %d\nfunc now() int { return z }\nnow()", i))
		if i%50 == 0 {
			runtime.GC()
		}
	}
	check()
	value("func (a *Acc) Reset() { a.n = 0 }") // all code is made again
	check()
	value("acc.Reset()\nw := pair([]int{1})")
	value("func get() int { return 3 }")
	if got := value("acc.n = 0\nadd(2)"); got != "6" {
		t.Errorf("add(2) is %s after get is another, not 6", got)
	}
}
