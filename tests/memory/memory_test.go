// Package memory checks that memory stays flat however often a model is looked at.
package memory

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/gonterp/gonterp"
	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

const (
	johnGives = "When Mary and John went to the store, John gave a drink to"
	maryGives = "When Mary and John went to the store, Mary gave a drink to"
)

func loaded(t *testing.T) *gonterp.Model {
	t.Helper()
	torchtest.Need(t)
	m, err := gonterp.Open(gonterp.Mini, gonterp.DType("float32"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// residentMB is how much memory the process has, and false where the system does not
// say it as Linux does.
func residentMB(t *testing.T) (float64, bool) {
	t.Helper()
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(data), &size, &resident); err != nil {
		t.Fatal(err)
	}
	return float64(resident*int64(os.Getpagesize())) / 1e6, true
}

// settled collects what is unreachable, and says what is left alive.
func settled() (count int, bytes int64) {
	for range 3 { // a cleanup runs after the collection that finds it
		runtime.GC()
		torch.Collect()
	}
	return torch.LiveTensors()
}

// flat runs work many times and fails when tensors grow with it, or the process by more
// than grown MB: libtorch's and Go's allocators keep some.
func flat(t *testing.T, times int, grown float64, work func()) {
	t.Helper()
	for range times/20 + 1 {
		work()
	}
	count, bytes := settled()
	before, known := residentMB(t)
	most := int64(0)
	for range times {
		work()
		if _, live := torch.LiveTensors(); live > most {
			most = live
		}
	}
	after, _ := residentMB(t)
	if known && after > before+grown {
		t.Errorf("after %d times the process has %.0f MB, before them %.0f MB", times, after, before)
	}
	if n, b := settled(); n > count+times/100 || b > bytes+1<<20 {
		t.Errorf("after %d times %d tensors of %d bytes are alive, before them %d of %d", times, n, b, count, bytes)
	}
	t.Logf("%d times: at most %.0f MB of tensors alive; the process has %.0f MB, before %.0f MB", times, float64(most)/1e6, after, before)
}

func TestManyTracesStayFlat(t *testing.T) {
	m := loaded(t)
	flat(t, 1000, 50, func() {
		for range m.Trace(johnGives) {
			m.Layers[1].SelfAttn.AttentionProbabilities.Value()
			m.Layers[2].LayerOutput.Set(m.Layers[2].LayerOutput.Value().Mul(1))
			m.Logits.Value()
		}
	})
}

func TestManyGradientTracesStayFlat(t *testing.T) {
	m := loaded(t)
	diff := m.LogitDiff(" Mary", " John")
	flat(t, 200, 150, func() {
		for range m.Trace(johnGives, gonterp.Gradients()) {
			m.Grad(diff(m.Logits.Value()), m.Layers[1].LayerOutput, m.TokenEmbeddings)
		}
	})
}

func TestManyGenerationsStayFlat(t *testing.T) {
	m := loaded(t)
	flat(t, 300, 50, func() { m.Generate(johnGives, 5).IDs() })
}

// Traces whose block panics give back what they held.
func TestManyPanicsStayFlat(t *testing.T) {
	m := loaded(t)
	flat(t, 300, 50, func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		for range m.Trace(johnGives) {
			m.Layers[2].LayerOutput.Value().Index(99)
		}
	})
}

// Ten thousand tensors of 50 MB, one after the other: what libtorch has alive stays
// within a share of the machine.
func TestManyLargeTensorsStayFlat(t *testing.T) {
	torchtest.Need(t)
	const bytes = 50e6
	var last *gonterp.Tensor
	flat(t, 10000, 50, func() { last = torch.Empty(torch.Float32, torch.CPU, bytes/4) })
	runtime.KeepAlive(last)
}

// The same with memory that is really used, so that a leak shows in the process.
func TestManyWrittenTensorsStayFlat(t *testing.T) {
	torchtest.Need(t)
	const bytes = 50e6
	last := gonterp.Zeros(bytes / 4)
	flat(t, 100, 400, func() { last = last.Add(1) })
	if last.Index(0).Item() < 100 {
		t.Errorf("the last of them holds %v", last.Index(0).Item())
	}
}

func TestPatchingStaysFlat(t *testing.T) {
	m := loaded(t)
	diff := m.LogitDiff(" Mary", " John")
	flat(t, 20, 150, func() { m.PatchPositions("layer_output", johnGives, maryGives, diff) })
}
