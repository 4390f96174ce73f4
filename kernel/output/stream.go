package output

import (
	"sync"
	"time"
	"unicode/utf8"
)

const (
	// lateness is how long text may wait when little is written.
	lateness = 40 * time.Millisecond
	// burst is how much text in one interval is more than anyone can read. Each such
	// interval doubles the next, up to maxLateness: a hundred thousand lines become a
	// handful of messages.
	burst       = 4 << 10
	maxLateness = 1280 * time.Millisecond
	// full is how much text waits at most.
	full = 4 << 20
)

// A Piece is text that belongs together.
type Piece struct {
	Run  uint64 // the request whose cell wrote it
	Cell int    // the cell's number, 0 where that is not known
	Name string // "stdout" or "stderr"
	Text string
}

// A Stream passes pieces on in the order of their writing, joined where
// neighbours belong together.
type Stream struct {
	emit func(Piece)

	mu       sync.Mutex
	pieces   []piece
	bytes    int
	interval time.Duration
	timer    *time.Timer
	armed    bool
}

type piece struct {
	Piece
	text []byte
}

// NewStream makes a Stream that calls emit with one piece at a time.
func NewStream(emit func(Piece)) *Stream {
	s := &Stream{emit: emit, interval: lateness}
	s.timer = time.AfterFunc(time.Hour, s.tick)
	s.timer.Stop()
	return s
}

// Write adds text. It waits while more than a few megabytes are on their way.
func (s *Stream) Write(run uint64, cell int, name string, text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write(run, cell, name, text)
}

func (s *Stream) write(run uint64, cell int, name string, text []byte) {
	if len(text) == 0 {
		return
	}
	n := len(s.pieces)
	if n == 0 || s.pieces[n-1].Run != run || s.pieces[n-1].Cell != cell || s.pieces[n-1].Name != name {
		s.pieces = append(s.pieces, piece{Piece: Piece{Run: run, Cell: cell, Name: name}})
		n++
	}
	s.pieces[n-1].text = append(s.pieces[n-1].text, text...)
	s.bytes += len(text)
	if s.bytes >= full {
		s.flush(false)
	}
	if !s.armed {
		s.armed = true
		s.timer.Reset(s.interval)
	}
}

// Flush passes on all there is.
func (s *Stream) Flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush(true)
}

func (s *Stream) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bytes >= burst {
		s.interval = min(2*s.interval, maxLateness)
	} else {
		s.interval = lateness
	}
	s.flush(false)
	// Text held back is the start of a character whose rest is still to come.
	s.armed = len(s.pieces) > 0
	if s.armed {
		s.timer.Reset(s.interval)
	}
}

// flush passes pieces on. Unless it is final, a character cut in two at the end
// of the last piece waits for its rest.
func (s *Stream) flush(final bool) {
	held := []byte(nil)
	last := Piece{}
	for i, p := range s.pieces {
		text := p.text
		if i == len(s.pieces)-1 && !final {
			n := whole(text)
			text, held, last = text[:n], text[n:], p.Piece
		}
		if len(text) > 0 {
			p.Text = string(text)
			s.emit(p.Piece)
		}
	}
	clear(s.pieces)
	s.pieces, s.bytes = s.pieces[:0], 0
	if len(held) > 0 {
		s.pieces = append(s.pieces, piece{last, held})
		s.bytes = len(held)
	}
}

// whole is the length of b without a character that is cut off at its end.
func whole(b []byte) int {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if utf8.FullRune(b[i:]) {
				return len(b)
			}
			return i
		}
	}
	return len(b)
}
