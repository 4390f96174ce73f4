package torch

import (
	"errors"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// need opens libtorch and stays on one thread, or skips the test with the reason.
func need(t testing.TB) {
	t.Helper()
	if err := Open(); err != nil {
		if !IsNotFound(err) || os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
}

func floats(v ...float32) *Tensor { return FromFloats(v) }

func matrix(rows, cols int, v ...float32) *Tensor { return FromFloats(v, rows, cols) }

func ints(v ...int64) *Tensor { return FromInts(v, len(v)) }

// is compares shape and elements; the shape is [len(want)] where none is given.
func is(t *testing.T, name string, got *Tensor, want []float64, shape ...int) {
	t.Helper()
	if shape == nil {
		shape = []int{len(want)}
	}
	if !slices.Equal(got.Shape(), shape) {
		t.Errorf("%s: shape %v, want %v", name, got.Shape(), shape)
		return
	}
	for i, v := range got.Float64s() {
		if !near(v, want[i], 2e-6) {
			t.Errorf("%s: element %d is %v, want %v (all: %v, want %v)", name, i, v, want[i], got.Float64s(), want)
			return
		}
	}
}

func near(a, b, tolerance float64) bool {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.IsNaN(a) && math.IsNaN(b)
	}
	return a == b || math.Abs(a-b) <= tolerance*max(1, math.Abs(b))
}

// panics runs f and returns the *Error it must panic with.
func panics(t *testing.T, name string, f func(), words ...string) {
	t.Helper()
	defer func() {
		t.Helper()
		r := recover()
		err, ok := r.(error)
		var e *Error
		if !ok || !errors.As(err, &e) {
			t.Errorf("%s: panicked with %v, want an *Error", name, r)
			return
		}
		if fn.what == 0 && opened.Load() {
			return // before 2.13 libtorch's words go to standard error
		}
		for _, w := range words {
			if !strings.Contains(e.Error(), w) {
				t.Errorf("%s: the error lacks %q: %s", name, w, e)
			}
		}
		for _, w := range []string{"Exception", "aten::", "\n", ".cpp", "c10"} {
			if strings.Contains(e.Error(), w) {
				t.Errorf("%s: the error has %q in it: %s", name, w, e)
			}
		}
	}()
	f()
}

// map1 is f of each number.
func map1(v []float64, f func(float64) float64) []float64 {
	r := make([]float64, len(v))
	for i, x := range v {
		r[i] = f(x)
	}
	return r
}

// blob is memory as a tensor of two rows.
func blob(v []float32) *Tensor {
	return Blob(unsafe.Pointer(&v[0]), Float32, []int{2, len(v) / 2}, v)
}
