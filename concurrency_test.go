package gonterp

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/gonterp/gonterp/runtime/trace"
)

// ends fails the test when work does not end: a deadlock.
func ends(t *testing.T, limit time.Duration, work func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		work()
	}()
	select {
	case <-done:
	case <-time.After(limit):
		t.Fatalf("still running after %v", limit)
	}
}

// Passes, generations, plain forwards and sweeps of several goroutines on two models:
// each result is what it is alone.
func TestGoroutinesAreIsolated(t *testing.T) {
	one := loaded(t)
	two, err := Open(Mini, DType("float32"))
	if err != nil {
		t.Fatal(err)
	}
	prompts := []string{"The capital of France is", "27+45=", "Then Mary went to the park because", maryAndJohn}
	traced := func(m *Model, prompt string) string {
		var s string
		for m := range m.Trace(prompt) {
			m.Layers[1].MLP.MLPOutput.Set(m.Layers[1].MLP.MLPOutput.Value().Mul(0.5))
			s = fmt.Sprint(m.Layers[2].LayerOutput.Value().Sum().Item(), m.Logits.Value().Sum().Item())
		}
		return s
	}
	kinds := []func(m *Model, prompt string) string{
		traced,
		func(m *Model, prompt string) string { return fmt.Sprint(m.Generate(prompt, 3).IDs()) },
		func(m *Model, prompt string) string { return fmt.Sprint(m.Forward(prompt).Sum().Item()) },
		func(m *Model, prompt string) string { return fmt.Sprint(m.Decompose(prompt, 5).Values.Floats()) },
		func(m *Model, prompt string) string {
			var s string
			for m := range m.Trace(prompt, Gradients()) {
				s = fmt.Sprint(m.Grad(m.Logits.Value().Index(0, -1, 5), m.Layers[1].LayerOutput)[0].Sum().Item())
			}
			return s
		},
	}
	want := map[string]string{}
	for k, kind := range kinds {
		for _, prompt := range prompts {
			want[fmt.Sprint(k, prompt)] = kind(one, prompt)
		}
	}
	ends(t, 2*time.Minute, func() {
		var wg sync.WaitGroup
		for g := range 6 {
			wg.Go(func() {
				m := []*Model{one, two}[g%2]
				for i := range 8 {
					k, prompt := (g+i)%len(kinds), prompts[(g+3*i)%len(prompts)]
					if got := kinds[k](m, prompt); got != want[fmt.Sprint(k, prompt)] {
						t.Errorf("goroutine %d got %s of kind %d on %q, alone it is %s", g, got, k, prompt, want[fmt.Sprint(k, prompt)])
					}
				}
			})
		}
		wg.Wait()
	})
}

// A goroutine reads a point of a pass that is not its own.
func TestAnotherGoroutinesPass(t *testing.T) {
	m := loaded(t)
	for m := range m.Trace(maryAndJohn) {
		m.Layers[0].LayerOutput.Value()
		errs := make(chan error)
		go func() {
			errs <- caught(t, func() { m.Layers[1].LayerOutput.Value() })
		}()
		var none *NoPassError
		if err := <-errs; !errors.As(err, &none) {
			t.Errorf("reading in another goroutine: %v", err)
		}
		m.Logits.Value()
	}
}

// A tensor outlives its pass, and may be used by any goroutine.
func TestTensorsMoveBetweenGoroutines(t *testing.T) {
	m := loaded(t)
	tensors := make(chan *Tensor)
	sums := make(chan float64)
	go func() {
		for v := range tensors {
			sums <- v.Mul(2).Sum().Item()
		}
		close(sums)
	}()
	for m := range m.Trace(maryAndJohn) {
		for _, l := range m.Layers {
			v := l.LayerOutput.Value()
			tensors <- v
			if got, want := <-sums, v.Mul(2).Sum().Item(); got != want {
				t.Errorf("another goroutine sums to %g, this one to %g", got, want)
			}
		}
	}
	close(tensors)
}

// The turn passes on when a block panics, and when a loop is left.
func TestTurnIsGivenBack(t *testing.T) {
	m := loaded(t)
	ends(t, time.Minute, func() {
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				for i := range 5 {
					func() {
						defer func() { recover() }()
						for m := range m.Trace(maryAndJohn) {
							m.Layers[i%4].LayerOutput.Value()
							switch (g + i) % 3 {
							case 0:
								panic("boom")
							case 1:
								return
							}
						}
					}()
					for step := range m.Generate(maryAndJohn, 3).Steps() {
						if step == 1 {
							break
						}
					}
				}
			})
		}
		wg.Wait()
	})
	m.Forward(maryAndJohn)
}

// Waiting for another goroutine's pass can be interrupted.
func TestWaitingIsInterrupted(t *testing.T) {
	m := loaded(t)
	open, leave := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(open)
		for m := range m.Trace(maryAndJohn) {
			m.Layers[0].LayerOutput.Value()
			open <- struct{}{}
			<-leave
		}
	}()
	<-open
	errs := make(chan error)
	go func() {
		errs <- caught(t, func() {
			for m := range m.Trace(maryAndJohn) {
				m.Logits.Value()
			}
		})
	}()
	time.Sleep(50 * time.Millisecond)
	trace.Interrupted.Store(true)
	var interrupt *trace.InterruptError
	if err := <-errs; !errors.As(err, &interrupt) {
		t.Errorf("the waiting pass: %v", err)
	}
	trace.Interrupted.Store(false)
	close(leave)
	<-open
	m.Forward(maryAndJohn)
}

// One goroutine may have passes of two models open, the one inside the other.
func TestPassesOfTwoModels(t *testing.T) {
	one := loaded(t)
	two, err := Open(Mini, DType("float32"))
	if err != nil {
		t.Fatal(err)
	}
	var inner, outer *Tensor
	for a := range one.Trace(maryAndJohn) {
		stream := a.Layers[1].LayerOutput.Value()
		for b := range two.Trace(maryAndJohn) {
			b.Layers[1].LayerOutput.Set(stream)
			inner = b.Logits.Value()
		}
		outer = a.Logits.Value()
	}
	if !Equal(inner, outer) {
		t.Error("one model's stream in the other gives other logits")
	}
	var nested *NestedError
	for range one.Trace(maryAndJohn) {
		if err := caught(t, func() { one.AblateEachHead(maryAndJohn, one.TokenProb(" Mary")) }); !errors.As(err, &nested) {
			t.Errorf("a sweep inside a pass of the same model: %v", err)
		}
	}
}

func TestGoroutinesWaitTheirTurn(t *testing.T) {
	m := loaded(t)
	want := tracedLogits(m, maryAndJohn)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5 {
				if !Equal(want, tracedLogits(m, maryAndJohn)) {
					t.Error("passes of several goroutines were mixed")
				}
			}
		})
	}
	wg.Wait()
}
