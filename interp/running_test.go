package interp

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gonterp/gonterp/tests/cells/host/tables"
)

// interrupted runs a cell, interrupts it after a while and returns how long it then took to end.
func interrupted(t *testing.T, s *Session, code string) (Outcome, time.Duration) {
	t.Helper()
	ended := make(chan Outcome)
	go func() { ended <- s.Execute(Cell{Code: code}, &recorder{}) }()
	time.Sleep(100 * time.Millisecond)
	start := time.Now()
	s.Interrupt()
	select {
	case o := <-ended:
		return o, time.Since(start)
	case <-time.After(10 * time.Second):
		t.Fatalf("%s does not stop", code)
		return Outcome{}, 0
	}
}

func TestInterrupt(t *testing.T) {
	s := newTestSession(t, Options{})
	show(s, "n := 41\nf := func() int { n++; return n }\nch := make(chan int)")
	s.Interrupt() // while idle: nothing
	for _, code := range []string{
		"for {}",
		"for { n = n }",
		"time.Sleep(time.Hour)",
		"for { time.Sleep(time.Millisecond) }",
		"<-ch",
		"ch <- 1",
		"select {}",
		"select { case <-ch: case ch <- 2: }",
		"for range ch {}",
		"func spin() { for {} }\nspin()",
	} {
		o, d := interrupted(t, s, code)
		if o.Err == nil || o.Err.Name != "interrupted" {
			t.Errorf("%s: outcome %+v", code, o.Err)
		}
		if e := o.Err; e != nil && os.Getenv("GONTERP_ENGINE") == "machine" && !strings.Contains(code, "for {}") && e.Line != 1 {
			t.Errorf("%s: stopped in line %d: %q", code, e.Line, e.Traceback)
		}
		if d > 2*time.Second { // it is milliseconds where nothing else runs: BenchmarkInterrupt
			t.Errorf("%s: took %v to stop", code, d)
		}
	}
	if got := show(s, "f()"); got != "42" {
		t.Errorf("a closure gives %q afterwards, want 42", got)
	}
}

// A host call that blocks for ever is left behind, and the session goes on.
func TestInterruptOfABlockedHostCall(t *testing.T) {
	s := newTestSession(t, Options{})
	show(s, "n := 1")
	o, d := interrupted(t, s, "var mu sync.Mutex\nmu.Lock()\nmu.Lock()")
	if o.Err == nil || o.Err.Name != "interrupted" || d > 5*time.Second {
		t.Errorf("outcome %+v after %v", o.Err, d)
	}
	if got := show(s, "n + 1"); got != "2" {
		t.Errorf("got %q, want 2", got)
	}
}

// A program that a cell waits for ends with the cell, and so does what holds its output.
func TestInterruptOfACommand(t *testing.T) {
	s := newTestSession(t, Options{})
	for _, code := range []string{
		`exec.Command("sleep", "1000").Run()`,
		`exec.Command("sh", "-c", "sleep 20; echo").CombinedOutput()`,
	} {
		o, d := interrupted(t, s, code)
		if o.Err == nil || o.Err.Value != "the cell was interrupted" || d > patience {
			t.Errorf("%s: outcome %+v after %v", code, o.Err, d)
		}
	}
	if got := show(s, "c := exec.Command(\"sh\", \"-c\", \"sleep 0.3; echo later\")\nr, _ := c.StdoutPipe()\nc.Start()", "b, err := io.ReadAll(r)\nfmt.Sprint(string(b), c.Wait())"); !strings.Contains(got, "later\\n<nil>") {
		t.Errorf("got %q", got)
	}
}

func TestOutputOfAGoroutineBelongsToItsCell(t *testing.T) {
	s := newTestSession(t, Options{})
	first := &recorder{}
	s.Execute(Cell{Code: "go func() { for i := range 3 { time.Sleep(200*time.Millisecond); fmt.Println(i) } }()"}, first)
	second := &recorder{}
	s.Execute(Cell{Code: "fmt.Println(\"second\")"}, second)
	if first.String() == "0\n1\n2\n" {
		t.Error("the second cell waited for the first one's goroutine")
	}
	if got := first.wait("2\n"); got != "0\n1\n2\n" {
		t.Errorf("the first cell wrote %q", got)
	}
	if got := second.String(); got != "second\n" {
		t.Errorf("the second cell wrote %q", got)
	}
	if !first.cells[1] || len(first.cells) != 1 {
		t.Errorf("output of cells %v, want cell 1", first.cells)
	}
}

func TestPanicInAGoroutine(t *testing.T) {
	s := newTestSession(t, Options{})
	out := &recorder{}
	s.Execute(Cell{Code: "go func() {\n\tvar xs []int\n\t_ = xs[3]\n}()"}, out)
	got := out.wait("cell 1, line")
	if !strings.Contains(got, "panic in a goroutine: runtime error: index out of range") || !strings.Contains(got, "cell 1, line") {
		t.Errorf("got %q", got)
	}
	if got := show(s, "2"); got != "2" {
		t.Errorf("got %q afterwards", got)
	}
}

func TestErrorsNameTheLine(t *testing.T) {
	s := newTestSession(t, Options{})
	show(s, "func deep(xs []int) int {\n\tn := 0\n\treturn xs[n+3]\n}")
	o := s.Execute(Cell{Code: "a := 1\nb := deep([]int{a})"}, &recorder{})
	if o.Err == nil || o.Err.Line != 2 || o.Err.Cell != 2 {
		t.Fatalf("error %+v", o.Err)
	}
	text := strings.Join(o.Err.Traceback, "\n")
	for _, want := range []string{"panic: runtime error: index out of range", "cell 1, line 3, in deep", "return xs[n+3]", "cell 2, line 2", "b := deep([]int{a})"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestCompileErrors(t *testing.T) {
	s := newTestSession(t, Options{})
	o := s.Execute(Cell{Code: "x := 1\ny := nope + x\nvar é string = 3\nimport \"nosuch/thing\""}, &recorder{})
	if o.Err == nil || len(o.Err.Diagnostics) != 3 {
		t.Fatalf("error %+v", o.Err)
	}
	for i, want := range []Diagnostic{
		{2, 6, "undefined: nope"},
		{3, 16, "cannot use 3 (untyped int constant) as string value in variable declaration"},
		{4, 8, `package "nosuch/thing" is not built in; cells can import the standard library, gonum and gonterp's own packages`},
	} {
		if got := o.Err.Diagnostics[i]; got != want {
			t.Errorf("diagnostic %d is %+v, want %+v", i, got, want)
		}
	}
	if e := o.Err; e.Value != "undefined: nope (and 2 more)" || e.Line != 2 || e.Column != 6 || e.Traceback[0] != "2:6: undefined: nope" {
		t.Errorf("the error is %q at %d:%d, with %q", e.Value, e.Line, e.Column, e.Traceback)
	}
	if got := show(s, "x"); !strings.Contains(got, "undefined: x") {
		t.Errorf("a failed cell left x behind: %q", got)
	}
	if got := show(s, "with 3 {\n}"); !strings.Contains(got, "with needs a value that has the methods Enter() and Exit(bool)") {
		t.Errorf("got %q", got)
	}
}

func TestWith(t *testing.T) {
	var after []bool
	s := newTestSession(t, Options{Packages: tables.Packages(), AfterCell: func(ok bool) { after = append(after, ok) }})
	show(s, "import \"lab/host/trace\"\nm := trace.NewModel(3)")
	for _, c := range []struct{ code, want string }{
		{"with m.Trace(\"a\") {\n\tv := m.Layers[1].LayerOutput.Save()\n}\nv.Sum()", "13.5"},
		{"v.Sum()", "13.5"},
		{"with m.Trace(\"a\") { w := m.Layers[0].MLPOutput.Get() }; w.Sum()", "3"},
		{"with tr := m.Trace(\"a\") { m.Layers[0].LayerOutput.Set(v) }\ntr.Output.Sum()", "30.375"},
		{"for i := range 3 { with m.Trace(\"a\") { if i == 1 { continue }; fmt.Print(i, m.Layers[i].LayerOutput.Get().Sum(), \";\") } }", "0 9;2 20.25;"},
		{"func sum(i int) float32 { with m.Trace(\"a\") { return m.Layers[i].LayerOutput.Get().Sum() } }\nsum(1)", "13.5"},
		{"func sum2(i int) float32 { with m.Trace(\"a\") { return m.Layers[i].LayerOutput.Get().Sum() }; return 0 }\nfmt.Print(sum2(0), sum2(1))", "9 13.5"},
		{"m.Open()", "false"},
		{"func() { defer func() { fmt.Print(recover(), \" \", m.Open()) }(); with m.Trace(\"a\") { panic(\"x\") } }(); fmt.Print(\" \", m.Open())", "x false false"},
		{"func twice() (s float32) { for i := range 2 { with m.Trace(\"a\") { s += m.Layers[i].LayerOutput.Get().Sum() } }; return }\ntwice()", "22.5"},
		{"with m.Trace(\"a\") { u := m.Layers[0].LayerOutput.Get() }\nwith m.Trace(\"a\") { u := m.Layers[1].LayerOutput.Get() }\nu.Sum()", "13.5"},
		{"with m.Trace(\"a\") { for _, i := range []int{0, 1} { if i == 0 { continue }; fmt.Print(m.Layers[i].LayerOutput.Get().Sum()) } }", "13.5"},
	} {
		if got := show(s, c.code); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.code, got, c.want)
		}
	}
	after = nil
	show(s, "with m.Trace(\"a\") { panic(1) }")
	if fmt.Sprint(after) != "[false]" {
		t.Errorf("AfterCell got %v, want [false]", after)
	}
}

func TestStorageIsReused(t *testing.T) {
	s := newTestSession(t, Options{})
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	show(s, "x := make([]byte, 4<<20)")
	before := heap()
	for range 50 {
		if got := show(s, "x := make([]byte, 4<<20)"); got != "" {
			t.Fatal(got)
		}
	}
	if after := heap(); after > before+20<<20 {
		t.Errorf("the heap grew from %d to %d MB", before>>20, after>>20)
	}
}

func TestManyLines(t *testing.T) {
	s := newTestSession(t, Options{})
	out := &recorder{}
	s.Execute(Cell{Code: "for i := range 20000 { fmt.Println(i) }"}, out)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 20000 || lines[19999] != "19999" {
		t.Errorf("%d lines", len(lines))
	}
}

func TestShow(t *testing.T) {
	s := newTestSession(t, Options{})
	for _, c := range []struct{ code, mime, want string }{
		{"image.NewGray(image.Rect(0, 0, 2, 3))", "image/png", "\x89PNG"},
		{"type F struct{}\nfunc (F) MIMEBundle() map[string]any { return map[string]any{\"text/html\": \"<b>f</b>\"} }\nF{}", "text/html", "<b>f</b>"},
		{"type H struct{}\nfunc (H) HTML() string { return \"<i>h</i>\" }\nH{}", "text/html", "<i>h</i>"},
		{"func (H) PNG() []byte { return []byte(\"\\x89PNG\") }\n&H{}", "image/png", "\x89PNG"},
		{"func (H) JSON() map[string]any { return map[string]any{\"a\": 1} }\nH{}", "application/json", "map[a:%!s(int=1)]"},
		{"type L struct{}\nfunc (L) SimpleRender() map[string]any { return map[string]any{\"text/latex\": \"$x$\"} }\nL{}", "text/plain", "$x$"},
		{"type R struct{}\nfunc (R) Render() (d struct{ Data, Metadata, Transient map[string]any }) { d.Data = map[string]any{\"text/html\": \"r\"}; return }\nR{}", "text/html", "r"},
		{"type N struct{ n int }\nfunc (N) HTML() int { return 65 }\nfunc (N) SVG(int) string { return \"\" }\nfunc (N) PNG() ([]byte, error) { return nil, nil }\nN{3}", "text/plain", "main.N{n:3}"},
		{"json.RawMessage(\"[1]\")", "text/plain", "[1]"},
		{"type J struct{}\nfunc (J) MIMEBundle() map[string]any { return map[string]any{\"application/json\": []int{1}} }\nJ{}", "application/json", "[%!s(int=1)]"},
		{"time.Unix(0, 0).UTC()", "text/plain", "1970-01-01 00:00:00 +0000 UTC"},
		{"type G struct{}\nfunc (G) GoString() string { return \"a G\" }\nG{}", "text/plain", "a G"},
		{"errors.New(\"e\")", "text/plain", "e"},
		{"func double(int) string { return \"\" }\ndouble", "text/plain", "func(int) string"},
		{"func() {}", "text/plain", "func()"},
		{"fmt.Println", "text/plain", "func(...any) (int, error)"},
		{"make(chan int)", "text/plain", "chan int"},
	} {
		o := s.Execute(Cell{Code: c.code}, &recorder{})
		if o.Err != nil || o.Value == nil {
			t.Errorf("%s: %v", c.code, o.Err)
			continue
		}
		if got := fmt.Sprintf("%s", o.Value.Data[c.mime]); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s is %.40q, want %q (have %v)", c.code, c.mime, got, c.want, o.Value.Data)
		}
		if _, ok := o.Value.Data["text/plain"].(string); !ok {
			t.Errorf("%s: no text", c.code)
		}
	}
}

// What encodes itself as JSON has said nothing of how it wants to be shown.
func TestMarshalersAreNotTrees(t *testing.T) {
	s := newTestSession(t, Options{})
	for _, code := range []string{"time.Now()", "json.RawMessage(\"{}\")", "big.NewInt(3)", "type M struct{}\nfunc (M) MarshalJSON() ([]byte, error) { return []byte(\"1\"), nil }\nM{}"} {
		o := s.Execute(Cell{Code: code}, &recorder{})
		if o.Err != nil || o.Value == nil {
			t.Errorf("%s: %v", code, o.Err)
			continue
		}
		if _, ok := o.Value.Data["application/json"]; ok || len(o.Value.Data) != 1 {
			t.Errorf("%s shows as %v", code, o.Value.Data)
		}
	}
}

func TestMatrices(t *testing.T) {
	s := newTestSession(t, Options{})
	for _, c := range []struct{ code, text, table string }{
		{"mat.NewDense(2, 2, []float64{1, 2, 3, 4.5})", "*mat.Dense 2×2\n⎡1    2⎤\n⎣3  4.5⎦", "<tr><td>3</td><td>4.5</td></tr>"},
		{"mat.NewVecDense(2, []float64{1, 2})", "*mat.VecDense 2×1\n⎡1⎤\n⎣2⎦", "<tr><td>2</td></tr>"},
		{"mat.NewDense(2, 3, nil).T()", "mat.Transpose 3×2\n⎡0  0⎤\n⎢0  0⎥\n⎣0  0⎦", "3×2"},
		{"mat.NewDiagDense(1, []float64{7})", "*mat.DiagDense 1×1\n[7]", "<td>7</td>"},
		{"&mat.Dense{}", "*mat.Dense 0×0", ""},
		{"var none *mat.Dense\nnone", "(*mat.Dense)(nil)", ""},
	} {
		o := s.Execute(Cell{Code: c.code}, &recorder{})
		if o.Err != nil || o.Value == nil {
			t.Errorf("%s: %v", c.code, o.Err)
			continue
		}
		if got := o.Value.Data["text/plain"]; got != c.text {
			t.Errorf("%s: %q, want %q", c.code, got, c.text)
		}
		table, _ := o.Value.Data["text/html"].(string)
		if !strings.Contains(table, c.table) || (table == "") != (c.table == "") {
			t.Errorf("%s: the table is %q, want %q in it", c.code, table, c.table)
		}
	}
	o := s.Execute(Cell{Code: "mat.NewDense(100, 50, nil)"}, &recorder{})
	text := fmt.Sprint(o.Value.Data["text/plain"])
	if !strings.HasPrefix(text, "*mat.Dense 100×50\n") || strings.Count(text, "\n") > 20 {
		t.Errorf("a large matrix shows as %s", text)
	}
	if _, ok := o.Value.Data["text/html"]; ok {
		t.Error("a large matrix has a table")
	}
}

func TestWaitingFunctions(t *testing.T) {
	s := newTestSession(t, Options{})
	if got := show(s, "func g() int { return h() }"); got != "not defined yet: this cell takes effect when h is there\n" {
		t.Errorf("got %q", got)
	}
	if got := show(s, "func h() int { return 7 }", "g()"); got != "7" {
		t.Errorf("got %q", got)
	}
	if got := show(s, "func k() int { return lenn(nil) }"); got != "not defined yet: this cell takes effect when lenn (the nearest is len) is there\n" {
		t.Errorf("got %q", got)
	}
	if got := show(s, "func p() { fmt.Prntln() }"); got != "compile error: undefined: fmt.Prntln; the nearest is Println" { // no cell can mend that
		t.Errorf("got %q", got)
	}
}

// What a cell takes to stop: a loop, here.
func BenchmarkInterrupt(b *testing.B) {
	s, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for b.Loop() {
		ended := make(chan bool)
		go func() {
			s.Execute(Cell{Code: "for {}"}, &recorder{})
			close(ended)
		}()
		b.StopTimer()
		time.Sleep(20 * time.Millisecond)
		b.StartTimer()
		s.Interrupt()
		<-ended
	}
}

// A cell of fifty lines: checking and compiling are nearly all of it.
func BenchmarkFiftyLines(b *testing.B) {
	var code strings.Builder
	for i := range 16 {
		fmt.Fprintf(&code, "func f%d(xs []int) int {\n\tfor i, x := range xs { xs[i] = x + %d }\n\treturn len(fmt.Sprint(xs))\n}\n", i, i)
	}
	code.WriteString("t := 0\nfor i := range 3 { t += f1([]int{i}) }\nt")
	s, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for b.Loop() {
		if o := s.Execute(Cell{Code: code.String()}, &recorder{}); o.Err != nil {
			b.Fatal(o.Err)
		}
	}
}

func BenchmarkPrint(b *testing.B) {
	s, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for b.Loop() {
		s.Execute(Cell{Code: "for range 1000 { fmt.Println(1) }"}, &recorder{})
	}
}
