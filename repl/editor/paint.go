package editor

import (
	"fmt"
	"io"
	"strings"
)

const plainStyle = "\x1b[0m"

// A screen is what of the terminal is drawn anew with each picture. Above it are
// lines that are never touched again.
type screen struct {
	out   io.Writer
	drawn *picture // nil where nothing is
}

// draw replaces what is drawn by text that stays, and a picture below it (nil: none).
func (s *screen) draw(stays string, p *picture) {
	var b strings.Builder
	b.WriteString("\x1b[?2026h\x1b[?25l")
	s.erase(&b)
	b.WriteString(stays)
	if p != nil {
		for i, r := range p.rows {
			if i > 0 {
				b.WriteString("\r\n")
			}
			b.WriteString(r.out.String())
		}
		if up := len(p.rows) - 1 - p.curRow; up > 0 {
			fmt.Fprintf(&b, "\x1b[%dA", up)
		}
		fmt.Fprintf(&b, "\x1b[%dG", p.curCol+1)
	}
	s.drawn = p
	b.WriteString("\x1b[?25h\x1b[?2026l")
	io.WriteString(s.out, b.String())
}

// erase removes what is drawn and leaves the cursor where it began.
func (s *screen) erase(b *strings.Builder) {
	if s.drawn == nil {
		return
	}
	if s.drawn.curRow > 0 {
		fmt.Fprintf(b, "\x1b[%dA", s.drawn.curRow)
	}
	b.WriteString("\r\x1b[J")
	s.drawn = nil
}

// resized corrects where the cursor is after the terminal has broken rows that
// became too long for it.
func (s *screen) resized(columns int) {
	p := s.drawn
	if p == nil || columns >= p.columns {
		return
	}
	rows := 0
	for _, r := range p.rows[:p.curRow] {
		rows += max(1, (r.width+columns-1)/columns)
	}
	p.curRow = rows + p.curCol/columns
	p.curCol %= columns
}
