package editor

import (
	"fmt"
	"strings"

	"github.com/rivo/uniseg"
)

// tabWidth is how many columns apart tab stops are, from the start of the text.
const tabWidth = 4

// widthAt is how many columns a grapheme takes at a column.
func widthAt(g string, column int) int {
	switch c := g[0]; {
	case c == '\t':
		return tabWidth - column%tabWidth
	case c < 0x20 || c == 0x7f:
		return 2 // ^X
	}
	return uniseg.StringWidth(g)
}

// columns is how many columns a text without line ends takes.
func columns(s string) int {
	col, mode := 0, -1
	for s != "" {
		var g string
		g, s, _, mode = uniseg.FirstGraphemeClusterInString(s, mode)
		col += widthAt(g, col)
	}
	return col
}

// glyphs is what is written for a grapheme.
func glyphs(g string, width int) string {
	switch c := g[0]; {
	case c == '\t':
		return strings.Repeat(" ", width)
	case c < 0x20:
		return "^" + string(rune(c+'@'))
	case c == 0x7f:
		return "^?"
	}
	return g
}

// A row is one line of the terminal.
type row struct {
	out   strings.Builder
	width int
}

// A picture is what the editor shows: rows, and the cursor among them.
type picture struct {
	rows    []*row
	curRow  int
	curCol  int
	columns int
}

func (p *picture) newRow() *row {
	r := &row{}
	p.rows = append(p.rows, r)
	return r
}

// plain adds a line that fits into a row.
func (p *picture) plain(s string, width int) {
	r := p.newRow()
	r.out.WriteString(s)
	r.width = width
}

// text adds a text of several lines with the cursor at a byte offset of it. The
// first line stands behind prompt, the others are indented by as much. styles has
// the style that begins at an offset.
func (p *picture) text(prompt string, promptWidth int, text string, at int, styles map[int]string) {
	r := p.newRow()
	r.out.WriteString(prompt)
	r.width = promptWidth
	style := ""
	wrap := func() {
		if style != "" {
			r.out.WriteString(plainStyle)
		}
		r = p.newRow()
		r.out.WriteString(style)
	}
	offset, col, mode, rest := 0, 0, -1, text
	for {
		if offset == at {
			if r.width == p.columns {
				wrap()
			}
			p.curRow, p.curCol = len(p.rows)-1, r.width
		}
		if rest == "" {
			break
		}
		var g string
		g, rest, _, mode = uniseg.FirstGraphemeClusterInString(rest, mode)
		if s, ok := styles[offset]; ok && s != style {
			r.out.WriteString(plainStyle + s)
			style = s
		}
		offset += len(g)
		if g[0] == '\n' || g == "\r\n" {
			wrap()
			fmt.Fprintf(&r.out, "%*s", promptWidth, "")
			r.width, col = promptWidth, 0
			continue
		}
		w := widthAt(g, col)
		if r.width+w > p.columns {
			wrap()
		}
		r.out.WriteString(glyphs(g, w))
		r.width += w
		col += w
	}
	if style != "" {
		r.out.WriteString(plainStyle)
	}
}

// window leaves out rows above and below so that at most n stay, the cursor's among them.
func (p *picture) window(n int) {
	if len(p.rows) <= n {
		return
	}
	top := min(max(0, p.curRow-n/2), len(p.rows)-n)
	p.rows = p.rows[top : top+n]
	p.curRow -= top
}
