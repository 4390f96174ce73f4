package main

import (
	"fmt"
	"os"
	"time"

	"github.com/gonterp/gonterp"
	"github.com/gonterp/gonterp/families/mini"
	"github.com/gonterp/gonterp/runtime/checkpoint"
)

// inspect reads all weights of a model and prints what is wrong with them. It is an
// error where no forward could give numbers.
func inspect(name string) error {
	store, err := openWeights(name)
	if err != nil {
		return err
	}
	defer store.Close()
	p := &meter{began: time.Now(), quiet: !isTerminal(os.Stderr)}
	findings := checkpoint.Inspect(store, p.show)
	p.clear()
	fmt.Printf("\nweights: %d tensors, %.2f GB, read in %.1f s\n", len(store.Names()), float64(p.total)/1e9, time.Since(p.began).Seconds())
	faults := 0
	for _, f := range findings {
		fmt.Println("  " + f.String())
		if f.Fault {
			faults++
		}
	}
	switch {
	case faults > 0:
		return fmt.Errorf("%d tensors cannot be computed with; download the files again, or dequantise them again", faults)
	case len(findings) == 0:
		fmt.Println("  all values are finite and of a usual scale")
	}
	return nil
}

func openWeights(name string) (checkpoint.Store, error) {
	if name == gonterp.Mini {
		return checkpoint.OpenBytes("model.safetensors", mini.Read("model.safetensors"))
	}
	dir, err := checkpoint.Resolve(name)
	if err != nil {
		return nil, err
	}
	return checkpoint.Open(dir)
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// meter is a line on the terminal that says how far the reading has come.
type meter struct {
	began, last time.Time
	total       int64
	quiet       bool
}

func (m *meter) show(done, total int64) {
	m.total = total
	if m.quiet || time.Since(m.last) < 100*time.Millisecond {
		return
	}
	m.last = time.Now()
	rate := float64(done) / time.Since(m.began).Seconds()
	fmt.Fprintf(os.Stderr, "\r\x1b[Kreading weights: %.1f of %.1f GB, %.2f GB/s, %.0f s left", float64(done)/1e9, float64(total)/1e9, rate/1e9, float64(total-done)/rate)
}

func (m *meter) clear() {
	if !m.quiet {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
}
