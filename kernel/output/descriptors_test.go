package output_test

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gonterp/gonterp/kernel/output"
)

func TestDescriptors(t *testing.T) {
	var ends [2][2]*os.File
	for i := range ends {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		ends[i] = [2]*os.File{r, w}
	}
	var mu sync.Mutex
	var all strings.Builder
	seen := func() string { mu.Lock(); defer mu.Unlock(); return all.String() }
	d, err := output.Read(ends[0][0], ends[1][0], func(name string, text []byte) {
		mu.Lock()
		defer mu.Unlock()
		all.WriteString(name[3:] + ":" + string(text))
	})
	if err != nil {
		t.Fatal(err)
	}
	// What has been written is there after Drain, whichever reader took it.
	for _, step := range []struct {
		to   int
		text string
	}{{0, "a"}, {1, "b"}, {0, "c"}} {
		ends[step.to][1].WriteString(step.text)
		d.Drain()
	}
	if got, want := seen(), "out:aerr:bout:c"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// Without Drain it comes by itself, however much it is.
	go ends[0][1].WriteString(strings.Repeat("x", 3<<20))
	for end := time.Now().Add(10 * time.Second); strings.Count(seen(), "x") < 3<<20; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d bytes came", strings.Count(seen(), "x"))
		}
	}
}
