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
	full = 3 << 20
	// large is a text that does not wait at all. It is passed on in parts of this size,
	// on which the stages of its way work at the same time.
	large = 512 << 10
)

// A Piece is text that belongs together.
type Piece struct {
	Number uint64 // counts the pieces of a stream
	Run    uint64 // the request whose cell wrote it
	Cell   int    // the cell's number, 0 where that is not known
	Name   string // "stdout" or "stderr"
	Text   string
}

// A Stream passes pieces on in the order of their writing, joined where
// neighbours belong together.
type Stream struct {
	emit    func(Piece)
	journal *Journal // nil where nobody survives to read it

	mu       sync.Mutex
	pieces   []piece
	bytes    int
	number   uint64
	interval time.Duration
	timer    *time.Timer
	armed    bool
}

type piece struct {
	Piece
	text []byte
}

// NewStream makes a Stream that calls emit with one piece at a time. What waits is
// in the journal too, where there is one.
func NewStream(emit func(Piece), journal *Journal) *Stream {
	s := &Stream{emit: emit, journal: journal, interval: lateness}
	s.timer = time.AfterFunc(time.Hour, s.tick)
	s.timer.Stop()
	return s
}

// Write adds text. It waits while more than a few megabytes are on their way.
func (s *Stream) Write(run uint64, cell int, name, text string) {
	if len(text) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := Piece{Run: run, Cell: cell, Name: name}
	if len(text) >= large {
		text = s.pass(p, text)
	}
	s.add(p, text)
	if s.bytes >= full {
		s.flush(false)
	}
	if !s.armed && len(s.pieces) > 0 {
		s.armed = true
		s.timer.Reset(s.interval)
	}
}

// pass passes on a large text, and what waits before it, and returns what is left of
// it.
func (s *Stream) pass(p Piece, text string) string {
	if n := len(s.pieces); n > 0 && s.pieces[n-1].of(p) && whole(s.pieces[n-1].text) < len(s.pieces[n-1].text) {
		// The text begins with the rest of a character.
		cut := 0
		for cut < len(text) && cut < utf8.UTFMax && !utf8.RuneStart(text[cut]) {
			cut++
		}
		s.add(p, text[:cut])
		text = text[cut:]
	}
	s.flush(true)
	for len(text) >= large {
		n := whole(text[:large])
		s.number++
		p.Number, p.Text = s.number, text[:n]
		s.emit(p)
		text = text[n:]
	}
	return text
}

// add joins text to what waits.
func (s *Stream) add(p Piece, text string) {
	if len(text) == 0 {
		return
	}
	n := len(s.pieces)
	if n == 0 || !s.pieces[n-1].of(p) {
		s.number++
		p.Number = s.number
		s.pieces = append(s.pieces, piece{Piece: p})
		n++
	}
	last := &s.pieces[n-1]
	last.text = append(last.text, text...)
	s.bytes += len(text)
	if s.journal != nil && !s.journal.add(last.Number, p, text) {
		s.flush(false)
	}
}

// of says whether a piece is what text of another belongs to.
func (p *piece) of(q Piece) bool { return p.Run == q.Run && p.Cell == q.Cell && p.Name == q.Name }

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
	held := ""
	last := Piece{}
	for i, p := range s.pieces {
		text := string(p.text)
		if i == len(s.pieces)-1 && !final {
			n := whole(text)
			text, held, last = text[:n], text[n:], p.Piece
		}
		if len(text) > 0 {
			p.Text = text
			s.emit(p.Piece)
		}
	}
	clear(s.pieces)
	s.pieces, s.bytes = s.pieces[:0], 0
	if s.journal != nil {
		s.journal.reset()
	}
	s.add(last, held)
}

// whole is the length of a text without a character that is cut off at its end.
func whole[T string | []byte](b T) int {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if utf8.FullRuneInString(string(b[i:])) {
				return len(b)
			}
			return i
		}
	}
	return len(b)
}
