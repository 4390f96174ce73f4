package plotting

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"

	"golang.org/x/text/width"
)

// Text is the figure for a terminal of so many columns: heat maps as coloured cells
// with their labels beside them, other figures as half-block cells. Without colour
// heat maps are drawn in characters and other figures are described.
func (f *Figure) Text(columns int, colour bool) string {
	columns = max(columns, 20)
	switch {
	case f.heat != nil:
		return f.heat.text(columns, colour)
	case colour:
		return halfBlocks(f.Image(), columns)
	}
	return f.text + "\n"
}

const (
	textRows  = 48 // a panel's lines at most
	textLabel = 14
	ramp      = " .:-=+*#%@" // amounts without colour
)

// text stacks panels, side by side where they fit.
func (h *heat) text(columns int, colour bool) string {
	var b strings.Builder
	if h.title != "" {
		fmt.Fprintln(&b, h.title)
	}
	g := h.panels[0].cells
	labels := min(textLabel, columns/4, widest(h.rowLabels))
	cell := 2
	if words := h.panels[0].words; words != nil {
		cell = min(widest(words)+1, max(4, (columns-labels-1)/g.cols))
	} else if labels+1+2*g.cols > columns {
		cell = 1
	}
	rows, cols := min(g.rows, textRows), min(g.cols, (columns-labels-1)/cell)
	across := max(1, min(len(h.panels), (columns-labels+1)/(cols*cell+2)))
	for i := 0; i < len(h.panels); i += across {
		h.textRow(&b, h.panels[i:min(i+across, len(h.panels))], labels, rows, cols, cell, colour)
	}
	h.textScale(&b, columns, colour)
	return b.String()
}

// textRow draws panels side by side. Between them are two columns.
func (h *heat) textRow(b *strings.Builder, panels []panel, labels, rows, cols, cell int, colour bool) {
	line := func(label string, part func(p panel) string) {
		fmt.Fprint(b, padLeft(label, labels), " ")
		for i, p := range panels {
			if i > 0 {
				b.WriteString("  ")
			}
			b.WriteString(part(p))
		}
		b.WriteByte('\n')
	}
	if h.titled() {
		line("", func(p panel) string { return padRight(p.title, cols*cell) })
	}
	g := panels[0].cells
	whole := rows == g.rows && cols == g.cols
	for r := range rows {
		line(h.rowLabels[r*g.rows/rows], func(p panel) string {
			var s strings.Builder
			for c := range cols {
				v := p.cells.largest(r*g.rows/rows, (r+1)*g.rows/rows, c*g.cols/cols, (c+1)*g.cols/cols)
				word := ""
				switch {
				case whole && p.words != nil:
					word = fit(p.words[r*cols+c], cell-1)
				case whole && slices.Contains(p.marks, mark{r, c}):
					word = "•"
				}
				s.WriteString(h.textCell(v, word, cell, colour))
			}
			if colour {
				s.WriteString("\x1b[0m")
			}
			return s.String()
		})
	}
	var down []string
	for c := range cols {
		down = append(down, h.colLabels[c*g.cols/cols])
	}
	if cell > 2 {
		line("", func(panel) string {
			var s strings.Builder
			for _, label := range down {
				s.WriteString(padRight(fit(label, cell-1), cell))
			}
			return s.String()
		})
		return
	}
	// Labels run down, one character to a line.
	for at := range min(textLabel, widest(down)) {
		line("", func(panel) string {
			var s strings.Builder
			for _, label := range down {
				r := []rune(label)
				if at < len(r) && runeWidth(r[at]) <= cell {
					s.WriteString(padRight(string(r[at]), cell))
				} else {
					s.WriteString(strings.Repeat(" ", cell))
				}
			}
			return s.String()
		})
	}
}

// textCell is a cell with a word in it, or none.
func (h *heat) textCell(v float64, word string, cell int, colour bool) string {
	if !colour && word != "" {
		return padRight(word, cell)
	}
	if !colour {
		i := h.scale.index(v)
		return strings.Repeat(string(ramp[max(i, 0)*(len(ramp)-1)/(shades-1)]), cell)
	}
	c := h.scale.color(v)
	if word == "" {
		return fmt.Sprintf("\x1b[48;2;%d;%d;%dm%s", c.R, c.G, c.B, strings.Repeat(" ", cell))
	}
	ink := 0
	if dark(c) {
		ink = 255
	}
	return fmt.Sprintf("\x1b[48;2;%d;%d;%d;38;2;%d;%d;%dm%s", c.R, c.G, c.B, ink, ink, ink, padRight(word, cell))
}

// textScale says what the colours mean.
func (h *heat) textScale(b *strings.Builder, columns int, colour bool) {
	lo, hi := h.scale.lo, h.scale.hi
	from, to := fmt.Sprintf("%.3g ", lo), fmt.Sprintf(" %.3g", hi)
	name := fit(h.bar, columns-len(from)-len(to)-8)
	steps := min(20, columns-columnsOf(name)-len(from)-len(to)-2)
	fmt.Fprint(b, name, "  ", from)
	for i := range steps {
		b.WriteString(h.textCell(lo+(hi-lo)*float64(i)/float64(steps-1), "", 1, colour))
	}
	if colour {
		b.WriteString("\x1b[0m")
	}
	fmt.Fprintln(b, to)
}

// halfBlocks draws an image with two pixels to a character.
func halfBlocks(img image.Image, columns int) string {
	box := img.Bounds()
	w := min(columns, box.Dx())
	h := max(2, box.Dy()*w/box.Dx()/2*2)
	at := func(x, y int) color.RGBA { return meanColor(img, box, x, y, w, h) }
	var b strings.Builder
	for y := 0; y < h; y += 2 {
		for x := range w {
			up, down := at(x, y), at(x, y+1)
			fmt.Fprintf(&b, "\x1b[38;2;%d;%d;%dm\x1b[48;2;%d;%d;%dm▀", up.R, up.G, up.B, down.R, down.G, down.B)
		}
		b.WriteString("\x1b[0m\n")
	}
	return b.String()
}

// meanColor is the mean of the pixels under cell x, y of w by h cells.
func meanColor(img image.Image, box image.Rectangle, x, y, w, h int) color.RGBA {
	var sum [3]uint64
	var n uint64
	for py := y * box.Dy() / h; py < max((y+1)*box.Dy()/h, y*box.Dy()/h+1); py++ {
		for px := x * box.Dx() / w; px < max((x+1)*box.Dx()/w, x*box.Dx()/w+1); px++ {
			r, g, b, _ := img.At(box.Min.X+px, box.Min.Y+py).RGBA()
			sum[0], sum[1], sum[2] = sum[0]+uint64(r), sum[1]+uint64(g), sum[2]+uint64(b)
			n++
		}
	}
	mean := func(s uint64) uint8 { return uint8(s / n >> 8) }
	return color.RGBA{mean(sum[0]), mean(sum[1]), mean(sum[2]), 255}
}

// largest is the value of the largest magnitude in a block of cells.
func (g grid) largest(r0, r1, c0, c1 int) float64 {
	best := math.NaN()
	for r := r0; r < r1; r++ {
		for _, v := range g.at[r*g.cols+c0 : r*g.cols+c1] {
			if math.IsNaN(best) || math.Abs(v) > math.Abs(best) {
				best = v
			}
		}
	}
	return best
}

func runeWidth(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

func columnsOf(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func widest(labels []string) int {
	n := 0
	for _, l := range labels {
		n = max(n, columnsOf(l))
	}
	return n
}

// fit cuts a text to n columns.
func fit(s string, n int) string {
	if columnsOf(s) <= n {
		return s
	}
	w := 0
	for i, r := range s {
		if w += runeWidth(r); w > n-1 {
			return s[:i] + "…"
		}
	}
	return s
}

func padLeft(s string, n int) string {
	s = fit(s, n)
	return strings.Repeat(" ", n-columnsOf(s)) + s
}

func padRight(s string, n int) string {
	s = fit(s, n)
	return s + strings.Repeat(" ", n-columnsOf(s))
}
