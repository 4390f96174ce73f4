package editor

import (
	"fmt"
	"strings"

	"github.com/gonterp/gonterp/interp"
)

// A menu offers completions of text[from:to].
type menu struct {
	items    []interp.CompletionItem
	from, to int
	chosen   int // -1: none yet
	typed    string
	across   int // columns of the menu as it is drawn
}

// complete asks for completions and inserts what they have in common; where more
// than one is left they become a menu.
func (e *Editor) complete() {
	b := &e.buf
	found := e.opt.Complete(b.text, b.runes())
	if len(found.Items) == 0 {
		return
	}
	from, to := offset(b.text, found.Start), offset(b.text, found.End)
	common := found.Items[0].Text
	for _, it := range found.Items[1:] {
		for !strings.HasPrefix(it.Text, common) {
			common = common[:len(common)-1]
		}
	}
	typed := b.text[from:to]
	if len(common) > len(typed) && strings.HasPrefix(strings.ToLower(common), strings.ToLower(typed)) || len(found.Items) == 1 {
		b.replace(from, to, common)
		to, typed = b.at, common
	}
	if len(found.Items) > 1 {
		e.menu = &menu{items: found.Items, from: from, to: to, chosen: -1, typed: typed}
	}
}

// offset is the byte offset of a code point.
func offset(s string, runes int) int {
	for i := range s {
		if runes <= 0 {
			return i
		}
		runes--
	}
	return len(s)
}

// choose moves the choice and shows it in the text.
func (e *Editor) choose(by int) {
	m := e.menu
	n := len(m.items)
	switch {
	case m.chosen < 0 && by < 0:
		m.chosen = n - 1
	case m.chosen < 0:
		m.chosen = 0
	default:
		m.chosen = ((m.chosen+by)%n + n) % n
	}
	e.buf.replace(m.from, m.to, m.items[m.chosen].Text)
	m.to = e.buf.at
}

// dismiss takes the choice back.
func (e *Editor) dismiss() {
	if e.menu.chosen >= 0 {
		e.buf.replace(e.menu.from, e.menu.to, e.menu.typed)
	}
	e.menu = nil
}

// menuRows is how many rows of a menu are shown at most.
const menuRows = 8

// draw adds the menu to a picture, below what the cursor stands in.
func (m *menu) draw(p *picture, colour bool) {
	width := 0
	for _, it := range m.items {
		width = max(width, columns(it.Text))
	}
	width = min(width, p.columns-3) + 2
	m.across = max(1, min(p.columns/width, len(m.items)))
	rows := (len(m.items) + m.across - 1) / m.across
	top := 0
	if at := max(m.chosen, 0) / m.across; at >= menuRows {
		top = at - menuRows + 1
	}
	for r := top; r < min(rows, top+menuRows); r++ {
		var line strings.Builder
		for c := range m.across {
			i := r*m.across + c
			if i >= len(m.items) {
				break
			}
			text := fit(m.items[i].Text, width-2)
			pad := strings.Repeat(" ", width-2-columns(text))
			if i == m.chosen {
				text = "\x1b[7m" + text + plainStyle
			}
			line.WriteString(text + pad + "  ")
		}
		p.plain(strings.TrimRight(line.String(), " "), m.across*width)
	}
	if rows > menuRows {
		p.plain(styled(fmt.Sprintf("%d of %d", min((top+menuRows)*m.across, len(m.items)), len(m.items)), commentStyle, colour), 0)
	}
	if m.chosen >= 0 {
		it := m.items[m.chosen]
		if says := strings.TrimSpace(firstLine(it.Signature)); says != "" {
			says = fit(says, p.columns-1)
			p.plain(styled(says, commentStyle, colour), columns(says))
		}
		if it.Doc != "" {
			says := fit(firstLine(it.Doc), p.columns-1)
			p.plain(styled(says, commentStyle, colour), columns(says))
		}
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return strings.ReplaceAll(s, "\t", " ")
}

func styled(s, style string, colour bool) string {
	if !colour {
		return s
	}
	return style + s + plainStyle
}

// fit cuts a text to n columns.
func fit(s string, n int) string {
	if columns(s) <= n {
		return s
	}
	return s[:atColumn(s, n-1)] + "…"
}
