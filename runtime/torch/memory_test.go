package torch

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// resident is the process's memory in bytes.
func resident(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("only Linux tells a process's memory: ", err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// live counts the tensors that are left when nobody holds any.
func live(t *testing.T) int {
	t.Helper()
	for range 3 {
		Collect()
	}
	k, _ := LiveTensors()
	return k
}

// A mix of the ways an op can be called, as a user's loop has it.
func someOps(x *Tensor) {
	y := x.Mul(x).Add(1.5)
	y = Cat(0, y, x).Softmax(-1)
	v, _ := y.Topk(1)
	v.Sum(0)
	y.Index(0).RMSNorm(nil, 1e-6)
}

func TestNothingLeaks(t *testing.T) {
	need(t)
	million, some := 1_000_000, 100_000
	if testing.Short() {
		million = some
	}
	const each = 9 // ops in someOps
	x := Randn(1, 4, 8)
	for _, c := range []struct {
		name string
		runs int
		loop func(int)
	}{
		{"the user's", million / each, func(k int) {
			for range k {
				someOps(x)
			}
		}},
		{"an arena's", some / each, func(k int) {
			a := NewArena()
			defer Swap(Swap(a))
			for range k {
				mark := a.Mark()
				someOps(x)
				a.Release(mark)
			}
			a.Free()
		}},
		{"recording", some / 100, func(k int) {
			for range k {
				restore := Recording(true)
				w := x.RequireGrad()
				Gradients(w.Mul(w).Sum(), []*Tensor{w}, false)
				restore()
			}
		}},
		{"failing", some / 2000, func(k int) {
			for range k {
				func() {
					defer func() { recover() }()
					x.Matmul(x)
				}()
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			need(t)
			c.loop(c.runs / 2)
			count, before := live(t), resident(t)
			c.loop(c.runs)
			if now := live(t); now > count {
				t.Errorf("%d tensors are left of %d runs", now-count, c.runs)
			}
			const few = 6 << 20
			if grown := resident(t) - before; grown > few {
				t.Errorf("%d bytes more after %d runs", grown, c.runs)
			}
		})
	}
}

// Large tensors that nobody holds are freed though Go's heap hardly grows.
func TestCollectsByBytes(t *testing.T) {
	need(t)
	defer func(was func() int64) { limit = was }(limit)
	limit = func() int64 { return 64 << 20 }
	before := resident(t)
	most := 0
	for range 100 {
		Zeros(Float32, CPU, 2<<20) // 8 MB
		most = max(most, resident(t)-before)
	}
	if allowed := 3 * 64 << 20; most > allowed {
		t.Errorf("up to %d bytes were held, %d are allowed", most, allowed)
	}
}

func TestArena(t *testing.T) {
	need(t)
	x := floats(1, 2, 3)
	a := NewArena()
	old := Swap(a)
	first := x.Add(1)
	mark := a.Mark()
	dropped, kept, owned := x.Add(2), x.Add(3), x.Add(4)
	mine := owned.Own()
	a.Release(mark, kept)
	is(t, "kept", kept, []float64{4, 5, 6})
	is(t, "before the mark", first, []float64{2, 3, 4})
	panics(t, "dropped", func() { dropped.Add(1) }, "Add", "[3] float32", "freed", "Own")
	panics(t, "dropped", func() { dropped.Floats() }, "freed")
	a.Free()
	if Swap(old) != a || old != nil {
		t.Error("Swap")
	}
	panics(t, "freed", func() { kept.Neg() }, "freed")
	is(t, "owned", mine, []float64{5, 6, 7})
	if k := mine.Shape(); len(k) != 1 || k[0] != 3 {
		t.Errorf("shape %v", k)
	}
}

// An arena takes the results of its own thread only.
func TestArenaIsItsThreads(t *testing.T) {
	need(t)
	a := NewArena()
	defer Swap(Swap(a))
	x := floats(1)
	mark := a.Mark()
	var other *Tensor
	var wait sync.WaitGroup
	wait.Go(func() {
		runtime.LockOSThread()
		other = x.Add(1)
	})
	wait.Wait()
	if a.Mark() != mark {
		t.Error("the arena took another thread's tensor")
	}
	a.Free()
	is(t, "the other thread's", other, []float64{2})
}

// Grad mode is the thread's, whatever other threads do in between.
func TestRecordingIsItsThreads(t *testing.T) {
	need(t)
	defer Recording(true)()
	x := floats(1, 2).RequireGrad()
	ask, answer := make(chan bool), make(chan bool)
	go func() {
		runtime.LockOSThread()
		for range ask {
			answer <- x.Mul(x).RequiresGrad() || IsRecording()
		}
		close(answer)
	}()
	for range 100 {
		if !x.Mul(x).RequiresGrad() {
			t.Fatal("not recorded on the thread that records")
		}
		ask <- true
		if <-answer {
			t.Fatal("recorded on another thread")
		}
	}
	close(ask)
	<-answer
}

func TestManyGoroutines(t *testing.T) {
	need(t)
	x := Randn(1, 4, 8)
	want := x.Linear(x, nil).Softmax(-1).Floats()
	count := live(t)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for i := range 200 {
				got := x.Linear(x, nil).Softmax(-1).Floats()
				if !slices.Equal(got, want) {
					t.Errorf("%v, alone it was %v", got, want)
					return
				}
				if i%50 == 0 { // failing takes milliseconds
					panics(t, "MM", func() { x.MM(x) }, "4x8")
				}
				runtime.Gosched()
			}
		})
	}
	wait.Wait()
	if now := live(t); now > count {
		t.Errorf("%d tensors are left", now-count)
	}
}

// Memory that a tensor wraps lives as long as the tensor and its views.
func TestBlob(t *testing.T) {
	need(t)
	memory := []float32{1, 2, 3, 4, 5, 6}
	b := blob(memory)
	is(t, "Blob", b, []float64{1, 2, 3, 4, 5, 6}, 2, 3)
	memory[0] = 10
	is(t, "Blob shares memory", b.Index(0, 0), []float64{10}, []int{}...)
	view := blob([]float32{1, 2, 3, 4, 5, 6}).T().Index(1)
	for range 3 {
		runtime.GC()
		_ = make([]float32, 6)
	}
	is(t, "a view of a Blob", view, []float64{2, 5})
}

func TestThreads(t *testing.T) {
	need(t)
	before := Threads()
	defer SetThreads(before)
	SetThreads(1)
	if Threads() != 1 {
		t.Errorf("%d threads", Threads())
	}
	var other int
	var wait sync.WaitGroup
	wait.Go(func() {
		runtime.LockOSThread()
		other = Threads()
	})
	wait.Wait()
	if other != 1 {
		t.Errorf("%d threads from another thread", other)
	}
	panics(t, "none", func() { SetThreads(0) }, "at least one")
}
