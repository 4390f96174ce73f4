package interp

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gonterp/gonterp/interp/engine"
)

// begin runs a cell in a shell and returns where its outcome comes.
func begin(s *Session, shell, code string) (<-chan Outcome, *recorder) {
	ended, out := make(chan Outcome, 1), &recorder{}
	go func() { ended <- s.Execute(Cell{Code: code, Shell: shell}, out) }()
	return ended, out
}

func await(t *testing.T, what string, ended <-chan Outcome) Outcome {
	t.Helper()
	select {
	case o := <-ended:
		return o
	case <-time.After(10 * time.Second):
		t.Fatalf("%s does not end", what)
		return Outcome{}
	}
}

func parallel(t *testing.T) *Session {
	t.Helper()
	s := newTestSession(t, Options{})
	if _, ok := s.engine.(engine.Parallel); !ok {
		t.Skip("this engine runs one cell at a time")
	}
	return s
}

// Cells of two shells run at the same time, share what cells declare, and are
// interrupted each for itself.
func TestShellsRunAtTheSameTime(t *testing.T) {
	s := parallel(t)
	show(s, "ch := make(chan string)\nfunc twice(n int) int { return 2*n }")
	main, out := begin(s, "", "s := <-ch\nfmt.Println(\"main got\", s)\ntime.Sleep(time.Hour)")
	other, _ := begin(s, "a", "ch <- fmt.Sprint(twice(21))\nfunc thrice(n int) int { return 3*n }")
	if o := await(t, "the other shell's cell", other); o.Err != nil {
		t.Fatal(o.Err)
	}
	// A cell that fails, and one that is interrupted, are nothing to the main one.
	other, _ = begin(s, "a", "var p *int\n*p = 1")
	if o := await(t, "a cell that fails", other); o.Err == nil || o.Err.Line != 2 {
		t.Errorf("a nil pointer: %+v", o.Err)
	}
	other, _ = begin(s, "a", "for {}")
	time.Sleep(50 * time.Millisecond)
	s.InterruptShell("a")
	if o := await(t, "an interrupted cell", other); o.Err == nil || o.Err.Name != "interrupted" {
		t.Errorf("the interrupted cell: %+v", o.Err)
	}
	select {
	case o := <-main:
		t.Fatalf("the main cell ended with it: %+v", o)
	case <-time.After(50 * time.Millisecond):
	}
	s.Interrupt()
	o := await(t, "the main cell", main)
	if o.Err == nil || o.Err.Name != "interrupted" || o.Err.Line != 3 {
		t.Errorf("the main cell: %+v", o.Err)
	}
	if got := out.String(); got != "main got 42\n" {
		t.Errorf("the main cell wrote %q", got)
	}
	if got := show(s, "thrice(4)"); got != "12" {
		t.Errorf("what the other shell declared gives %s", got)
	}
	s.CloseShell("a")
	if got := show(s, "twice(4)"); got != "8" {
		t.Errorf("after the shell was closed: %s", got)
	}
}

// Cells of several shells declare, redeclare, fail and share maps, and each gets its
// own number, output and error.
func TestShellsTogether(t *testing.T) {
	s := parallel(t)
	show(s, "shared := map[int]int{}\nvar mu sync.Mutex\nfunc f() int { return 0 }\ntype T struct{ A int }")
	const each = 40
	var all sync.WaitGroup
	var mu sync.Mutex
	numbers := map[int]bool{}
	for i, shell := range []string{"", "a", "b"} {
		all.Go(func() {
			for j := range each {
				out := &recorder{}
				code := fmt.Sprintf("x%[1]d_%[2]d := 0\nfor i := range 1000 { x%[1]d_%[2]d += i }\nmu.Lock()\nshared[%[1]d]++\nmu.Unlock()\nfmt.Print(\"out%[1]d_%[2]d\")\nx%[1]d_%[2]d", i, j)
				want := "499500"
				switch j % 4 {
				case 1:
					code, want = fmt.Sprintf("func f() int { return %d }\nfunc g%d() int { return f() - f() }\ng%d()", i, i, i), ""
				case 2:
					code, want = fmt.Sprintf("a%[1]d := []int{1}\nfmt.Print(\"out%[1]d_%[2]d\")\na%[1]d[%[1]d+5]", i, j), "fails"
				case 3:
					code, want = fmt.Sprintf("func (t T) M%d_%d() int { return t.A }\nT{7}.M%d_%d()", i, j, i, j), "7"
				}
				o := s.Execute(Cell{Code: code, Shell: shell}, out)
				mu.Lock()
				if numbers[o.Count] {
					t.Errorf("number %d twice", o.Count)
				}
				numbers[o.Count] = true
				mu.Unlock()
				switch {
				case want == "fails":
					if o.Err == nil || !strings.Contains(o.Err.Value, fmt.Sprintf("index out of range [%d]", i+5)) || o.Err.Line != 3 {
						t.Errorf("shell %d: %+v", i, o.Err)
					}
				case o.Err != nil:
					t.Errorf("shell %d, cell %d: %v\n%s", i, j, o.Err, code)
				case want != "" && fmt.Sprint(o.Value.Data["text/plain"]) != want:
					t.Errorf("shell %d, cell %d: %v", i, j, o.Value)
				}
				if text := out.String(); (j%4 == 0 || j%4 == 2) && text != fmt.Sprintf("out%d_%d", i, j) {
					t.Errorf("shell %d, cell %d wrote %q", i, j, text)
				}
			}
		})
	}
	all.Wait()
	if got, want := show(s, "shared"), fmt.Sprintf("map[int]int{0:%d, 1:%[1]d, 2:%[1]d}", each/4); got != want {
		t.Errorf("shared is %s, want %s", got, want)
	}
}

// A front end's comm message runs like a cell without a number: behind the cells of
// its shell, with output, errors and interrupts of its own.
func TestCommMessages(t *testing.T) {
	handle := func(CommMessage) {}
	s := newTestSession(t, Options{Comm: func(m CommMessage) { handle(m) }})
	deliver := func(id string) (*CellError, *recorder) {
		out := &recorder{}
		return s.Comm("", CommMessage{Kind: "message", ID: id}, out), out
	}
	handle = func(m CommMessage) {
		if m.ID == "loop" {
			s.sleep(time.Hour)
		}
		Show("shown " + m.ID)
	}
	if err, out := deliver("x"); err != nil || out.String() != `"shown x"` {
		t.Errorf("%v, %s", err, out)
	}
	if count := s.Execute(Cell{Code: "1"}, &recorder{}).Count; count != 1 {
		t.Errorf("the next cell is number %d", count)
	}
	go func() {
		time.Sleep(50 * time.Millisecond)
		s.Interrupt()
	}()
	if err, _ := deliver("loop"); err == nil || err.Name != "interrupted" {
		t.Errorf("an interrupted handler: %v", err)
	}
	handle = func(CommMessage) { panic("in a handler") }
	if err, _ := deliver("x"); err == nil || err.Value != "in a handler" {
		t.Errorf("a panicking handler: %v", err)
	}
	if err := SendComm(CommMessage{}); err == nil {
		t.Error("a message went out where no cell is")
	}
}

// What goroutines are about to write when their cell ends comes with the cell; those
// that wait or go on do not hold it up.
func TestGoroutinesAtTheEndOfACell(t *testing.T) {
	s := parallel(t)
	for _, c := range []struct {
		code string
		want int
	}{
		{"for range 20 { go fmt.Println(`end`) }", 20},
		{"done := make(chan int)\nfor i := range 3 { go func() { time.Sleep(5*time.Millisecond); done <- i; fmt.Println(`end`) }() }\nfor range 3 { <-done }", 3},
		{"go func() { defer fmt.Println(`end`); var p *int; *p = 1 }()", 1},
		{"go func() { go func() { go fmt.Println(`end`) }() }()", 1},
		{"go func() { for {} }()\ngo func() { <-make(chan int) }()\ngo time.Sleep(time.Minute)", 0},
	} {
		out := &recorder{}
		began := time.Now()
		o := s.Execute(Cell{Code: c.code}, out)
		if o.Err != nil {
			t.Fatal(o.Err)
		}
		if got := strings.Count("\n"+out.String(), "\nend"); got != c.want {
			t.Errorf("%s: %d lines came with the cell, want %d", c.code, got, c.want)
		}
		if took := time.Since(began); took > 2*time.Second { // 0.1 s and what the machine adds
			t.Errorf("%s took %v", c.code, took)
		}
	}
}
