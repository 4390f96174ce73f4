package output_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gonterp/gonterp/kernel/output"
)

// A collector keeps what a stream emits.
type collector struct {
	mu     sync.Mutex
	pieces []output.Piece
	times  []time.Time
}

func (c *collector) emit(p output.Piece) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pieces = append(c.pieces, p)
	c.times = append(c.times, time.Now())
}

func (c *collector) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	for _, p := range c.pieces {
		fmt.Fprintf(&b, "%d%s:%q ", p.Run, p.Name[3:], p.Text)
	}
	return strings.TrimSpace(b.String())
}

func TestNeighboursAreJoined(t *testing.T) {
	var c collector
	s := output.NewStream(c.emit, nil)
	for _, w := range []struct {
		run  uint64
		name string
		text string
	}{{1, "stdout", "a"}, {1, "stdout", "b"}, {1, "stderr", "c"}, {1, "stdout", "d"}, {2, "stdout", "e"}, {1, "stdout", ""}, {2, "stdout", "f"}} {
		s.Write(w.run, 0, w.name, w.text)
	}
	s.Flush()
	if got, want := c.String(), `1out:"ab" 1err:"c" 1out:"d" 2out:"ef"`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s.Flush()
	if len(c.pieces) != 4 {
		t.Error("a second flush repeated something")
	}
}

func TestTextIsNotLate(t *testing.T) {
	var c collector
	s := output.NewStream(c.emit, nil)
	for range 5 {
		start := time.Now()
		s.Write(1, 0, "stdout", "x")
		for c.String() == "" {
			if time.Since(start) > time.Second {
				t.Fatal("nothing came")
			}
			time.Sleep(time.Millisecond)
		}
		c.mu.Lock()
		c.pieces = nil
		c.mu.Unlock()
	}
}

func TestBurstsTakeFewPieces(t *testing.T) {
	var c collector
	s := output.NewStream(c.emit, nil)
	var want strings.Builder
	for start := time.Now(); time.Since(start) < 2*time.Second; time.Sleep(time.Millisecond) {
		line := strings.Repeat("x", 10_000)
		want.WriteString(line)
		s.Write(1, 0, "stdout", line)
	}
	s.Flush()
	var got strings.Builder
	for _, p := range c.pieces {
		got.WriteString(p.Text)
	}
	if got.String() != want.String() {
		t.Error("text was lost")
	}
	if n := len(c.pieces); n > 10 {
		t.Errorf("%d pieces in two seconds", n)
	}
}

// However text is cut, no character is.
func FuzzCharactersStayWhole(f *testing.F) {
	f.Add("aé𝐚\u2028ü", 1)
	f.Add("𝐚𝐚é", 3)
	f.Fuzz(func(t *testing.T, text string, size int) {
		text = strings.ToValidUTF8(text, "?")
		size = max(1, size&7)
		var c collector
		s := output.NewStream(c.emit, nil)
		for b := []byte(text); len(b) > 0; {
			n := min(size, len(b))
			s.Write(1, 0, "stdout", string(b[:n]))
			s.Tick()
			b = b[n:]
		}
		s.Flush()
		var got strings.Builder
		for _, p := range c.pieces {
			if strings.ToValidUTF8(p.Text, "") != p.Text {
				t.Errorf("a piece %q of %q", p.Text, text)
			}
			got.WriteString(p.Text)
		}
		if got.String() != text {
			t.Errorf("got %q, want %q", got.String(), text)
		}
	})
}
