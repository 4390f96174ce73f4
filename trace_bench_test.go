package gonterp

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkTrace measures what looking costs: a pass that saves every standard
// value beside one that runs to its end and saves nothing but the logits, in turn.
func BenchmarkTrace(b *testing.B) {
	m := loaded(b)
	ids := m.Tokens(maryAndJohn)
	pass := func(paths []string) {
		for m := range m.Trace(ids) {
			for _, p := range paths {
				m.At(p).Value()
			}
			m.Logits.Value()
		}
	}
	var all []string
	for _, r := range m.Support().Rows {
		if r.Missing == "" {
			all = append(all, r.Path)
		}
	}
	all = inOrder(m, all)
	var nothing, everything, plain time.Duration
	for b.Loop() {
		t0 := time.Now()
		pass(nil)
		t1 := time.Now()
		pass(all)
		t2 := time.Now()
		m.Forward(ids)
		nothing, everything, plain = nothing+t1.Sub(t0), everything+t2.Sub(t1), plain+time.Since(t2)
	}
	b.ReportMetric(float64(everything)/float64(nothing), "everything/nothing")
	b.ReportMetric(float64(nothing)/float64(plain), "trace/plain")
	b.ReportMetric(float64(everything-nothing)/float64(b.N)/float64(len(all)), "ns/value")
}

// inOrder sorts paths as the forward meets them, derived values left out.
func inOrder(m *Model, paths []string) (ordered []string) {
	known := map[string]bool{}
	for _, p := range paths {
		known[p] = true
	}
	for _, p := range m.Points() {
		if known[p] && !m.At(p).derived() {
			ordered = append(ordered, p)
		}
	}
	return ordered
}

// BenchmarkEarlyStop reports the share of a pass that reading block i takes.
func BenchmarkEarlyStop(b *testing.B) {
	m := loaded(b)
	ids := m.Tokens(maryAndJohn)
	took := make([]time.Duration, m.NumLayers+1)
	for b.Loop() {
		for i := range took {
			began := time.Now()
			for m := range m.Trace(ids) {
				if i < m.NumLayers {
					m.Layers[i].LayerOutput.Value()
				} else {
					m.Logits.Value()
				}
			}
			took[i] += time.Since(began)
		}
	}
	for i := range m.NumLayers {
		b.ReportMetric(float64(took[i])/float64(took[m.NumLayers]), fmt.Sprintf("layer%d/pass", i))
	}
}
