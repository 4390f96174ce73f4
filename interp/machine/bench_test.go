package machine

import (
	"syscall"
	"testing"
	"time"
)

// The workloads that a cell is likely to wait for. Each runs as a cell of its own.
var workloads = []struct{ name, setup, cell string }{
	{"Loop1e7", "", "s := 0\nfor i := 0; i < 10000000; i++ { s += i }\ns"},
	{"LoopInFunc1e7", "func loop() int { s := 0; for i := 0; i < 10000000; i++ { s += i }; return s }", "loop()"},
	{"Fib25", "func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }", "fib(25)"},
	{"SliceSum1e6", "func sum(xs []int) int { s := 0; for _, x := range xs { s += x }; return s }\nxs := make([]int, 1000000)", "sum(xs)"},
	{"Method1e6", "type C struct{ n int }\nfunc (c *C) Inc(k int) { c.n += k }\nfunc calls() int { var c C; for i := 0; i < 1000000; i++ { c.Inc(i) }; return c.n }", "calls()"},
	{"Interface1e6", "type S interface{ Area() int }\ntype Q int\nfunc (q Q) Area() int { return int(q) * int(q) }\nfunc calls() int { var s S = Q(3); t := 0; for i := 0; i < 1000000; i++ { t += s.Area() }; return t }", "calls()"},
	{"Map1e6", "func count() int { m := map[int]int{}; for i := 0; i < 1000000; i++ { m[i%1000]++ }; return len(m) }", "count()"},
	{"MapString1e6", "func count() int { m := map[string]int{}; ks := []string{\"a\", \"b\", \"c\", \"d\"}; for i := 0; i < 1000000; i++ { m[ks[i%4]]++ }; return len(m) }", "count()"},
	{"HostCall1e6", "func calls() float64 { s := 0.0; for i := 0; i < 1000000; i++ { s += math.Sqrt(float64(i)) }; return s }", "calls()"},
	{"HostMethod1e6", "func calls() int { var b strings.Builder; for i := 0; i < 1000000; i++ { b.WriteByte('a') }; return b.Len() }", "calls()"},
	{"Append1e6", "func app() int { var xs []int; for i := 0; i < 1000000; i++ { xs = append(xs, i) }; return len(xs) }", "app()"},
	{"SortSlice1e5", "func srt() int { xs := make([]int, 100000); for i := range xs { xs[i] = (i * 7919) % 100003 }; sort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] }); return xs[5] }", "srt()"},
	{"Closure1e6", "func clo() int { n := 0; f := func(i int) { n += i }; for i := 0; i < 1000000; i++ { f(i) }; return n }", "clo()"},
	{"Trivial", "", "1 + 2"},
	{"Cell50", "", fifty},
}

const fifty = `type Point50 struct { X, Y float64; Name string }
func (p Point50) Len() float64 { return math.Sqrt(p.X*p.X + p.Y*p.Y) }
func mean(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	s := 0.0
	for _, x := range xs {
		s += x
	}
	return s / float64(len(xs))
}
func spread(xs []float64) float64 {
	m := mean(xs)
	s := 0.0
	for _, x := range xs {
		s += (x - m) * (x - m)
	}
	return math.Sqrt(s / float64(len(xs)))
}
points := []Point50{{1, 2, "a"}, {3, 4, "b"}, {5, 6, "c"}}
lengths := []float64{}
for _, p := range points {
	lengths = append(lengths, p.Len())
}
byName := map[string]Point50{}
for _, p := range points {
	byName[p.Name] = p
}
names := []string{}
for n := range byName {
	names = append(names, n)
}
sort.Strings(names)
var text strings.Builder
for i, n := range names {
	if i > 0 {
		text.WriteString(", ")
	}
	text.WriteString(fmt.Sprintf("%s=%.2f", n, byName[n].Len()))
}
result := struct {
	Mean, Spread float64
	Text         string
}{mean(lengths), spread(lengths), text.String()}
switch {
case result.Mean > 4:
	text.WriteString("!")
case result.Mean > 2:
	text.WriteString("?")
}
result.Text + text.String()`

func BenchmarkCells(b *testing.B) {
	for _, w := range workloads {
		b.Run(w.name, func(b *testing.B) {
			s := newSession(b)
			if w.setup != "" {
				if _, _, err := s.cell(w.setup); err != nil {
					b.Fatal(err)
				}
			}
			if _, _, err := s.cell(w.cell); err != nil {
				b.Fatal(err)
			}
			start, n := processorTime(), 0
			for b.Loop() {
				if _, _, err := s.cell(w.cell); err != nil {
					b.Fatal(err)
				}
				n++
			}
			b.ReportMetric(float64(processorTime()-start)/float64(n)/1e6, "cpu-ms/op")
		})
	}
}

// processorTime is what the process has used; unlike the clock it does not count what other processes take.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		newSession(b)
	}
}
