package plotting

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A sheet draws in points from the top left corner, as a layout counts.
type sheet struct {
	draw.Canvas
	h     float64
	exact bool // a canvas of pixels, dotsPerPoint to the point
}

func (s *sheet) at(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(x), Y: vg.Length(s.h - y)}
}

func (s *sheet) box(x, y, w, h float64) vg.Path {
	var p vg.Path
	p.Move(s.at(x, y))
	p.Line(s.at(x+w, y))
	p.Line(s.at(x+w, y+h))
	p.Line(s.at(x, y+h))
	p.Close()
	return p
}

func (s *sheet) fill(c color.Color, x, y, w, h float64) {
	s.SetColor(c)
	s.Fill(s.box(x, y, w, h))
}

func (s *sheet) frame(c color.Color, width, x, y, w, h float64) {
	s.SetColor(c)
	s.SetLineWidth(vg.Length(width))
	s.Stroke(s.box(x, y, w, h))
}

func (s *sheet) write(sty text.Style, x, y float64, str string) {
	sty.Handler.Draw(s.Canvas.Canvas, str, sty, s.at(x, y))
}

var (
	lines = rgb(0x9a9a9a)
	paper = color.White
)

// paint draws h as l arranged it.
func (h *heat) paint(s *sheet, l *layout) {
	s.fill(paper, 0, 0, l.w, l.h)
	if h.title != "" {
		s.write(style(titleSize, text.XLeft, text.YTop), l.left, margin, h.title)
	}
	gridW := l.stepX*float64(l.across-1) + l.panelW
	gridH := l.stepY*float64(l.down-1) + l.panelH
	s.write(upright(style(axisSize, text.XCenter, text.YTop)), margin, l.top+gridH/2, h.rowAxis)
	s.write(style(axisSize, text.XCenter, text.YBottom), l.left+gridW/2, l.h-margin, h.colAxis)
	for i := range h.panels {
		x := l.left + float64(i%l.across)*l.stepX
		y := l.top + float64(i/l.across)*l.stepY
		h.paintPanel(s, l, &h.panels[i], x, y)
		if i%l.across == 0 {
			h.paintRowLabels(s, l, x, y)
		}
		if i+l.across >= len(h.panels) {
			h.paintColLabels(s, l, x, y)
		}
	}
	h.paintBar(s, l)
}

func (h *heat) paintPanel(s *sheet, l *layout, p *panel, x, y float64) {
	if p.title != "" {
		s.write(style(panelSize, text.XLeft, text.YBottom), x, y-1.5, p.title)
	}
	if h.vector() {
		h.paintCells(s, l, p.cells, x, y)
	} else {
		h.paintImage(s, p.cells, x, y, l.panelW, l.panelH)
	}
	width := min(1, l.cellW/5, l.cellH/5)
	for _, m := range p.marks {
		s.frame(ink, width, x+float64(m.col)*l.cellW+width/2, y+float64(m.row)*l.cellH+width/2, l.cellW-width, l.cellH-width)
	}
	for i, word := range p.words {
		h.paintWord(s, l, word, p.cells.at[i], x+(float64(i%p.cells.cols)+0.5)*l.cellW, y+(float64(i/p.cells.cols)+0.5)*l.cellH)
	}
	s.frame(lines, 0.4, x, y, l.panelW, l.panelH)
}

// paintCells fills a path for each run of equal cells in a row. Each reaches a hair
// under its neighbours, which are drawn later, so that no background shines through.
func (h *heat) paintCells(s *sheet, l *layout, g grid, x, y float64) {
	const hair = 0.2
	for r := range g.rows {
		row := g.at[r*g.cols : (r+1)*g.cols]
		for c := 0; c < g.cols; {
			from, shade := c, h.scale.index(row[c])
			for c < g.cols && h.scale.index(row[c]) == shade {
				c++
			}
			w, height := float64(c-from)*l.cellW, l.cellH
			if c < g.cols {
				w += hair
			}
			if r < g.rows-1 {
				height += hair
			}
			s.fill(h.scale.color(row[from]), x+float64(from)*l.cellW, y+float64(r)*l.cellH, w, height)
		}
	}
}

// paintImage embeds g as an image of w by height points. On a canvas of pixels it
// has that place's pixels exactly; elsewhere whole pixels for each cell, so that a
// viewer that smooths images blurs no cell.
func (h *heat) paintImage(s *sheet, g grid, x, y, w, height float64) {
	dotsX, dotsY := int(math.Round(w*dotsPerPoint)), int(math.Round(height*dotsPerPoint))
	if !s.exact {
		whole := func(dots, cells int) int { return cells * max(1, (2*dots+cells-1)/cells) }
		dotsX, dotsY = whole(dotsX, g.cols), whole(dotsY, g.rows)
	}
	place := vg.Rectangle{Min: s.at(x, y+height), Max: s.at(x+w, y)}
	s.DrawImage(place, h.scale.raster(g, max(dotsX, 1), max(dotsY, 1)))
}

// raster draws g on w by h pixels. A pixel that covers several cells shows the one
// of the largest magnitude.
func (s *scale) raster(g grid, w, h int) *image.Paletted {
	colors := color.Palette{masked}
	for _, c := range s.colors {
		colors = append(colors, c)
	}
	img := image.NewPaletted(image.Rect(0, 0, w, h), colors)
	span := func(i, pixels, cells int) (from, to int) {
		from = i * cells / pixels
		return from, max(from+1, (i+1)*cells/pixels)
	}
	for y := range h {
		r0, r1 := span(y, h, g.rows)
		for x := range w {
			c0, c1 := span(x, w, g.cols)
			best := g.largest(r0, r1, c0, c1)
			img.Pix[y*img.Stride+x] = uint8(s.index(best) + 1)
		}
	}
	return img
}

func (h *heat) paintWord(s *sheet, l *layout, word string, v, x, y float64) {
	size := min(labelMax, l.cellH*0.6)
	if w := float64(textWidth(word, vg.Length(size))); w > l.cellW-2 {
		size *= (l.cellW - 2) / w
	}
	sty := style(size, text.XCenter, text.YCenter)
	if dark(h.scale.color(v)) {
		sty.Color = color.White
	}
	s.write(sty, x, y, word)
}

// dark says whether white letters read better on c than black ones.
func dark(c color.RGBA) bool { return 299*int(c.R)+587*int(c.G)+114*int(c.B) < 128_000 }

func (h *heat) paintRowLabels(s *sheet, l *layout, x, y float64) {
	sty := style(l.rowFont, text.XRight, text.YCenter)
	for i := 0; i < len(h.rowLabels); i += l.rowEvery {
		s.write(sty, x-3, y+(float64(i)+0.5)*l.cellH, h.rowLabels[i])
	}
}

func (h *heat) paintColLabels(s *sheet, l *layout, x, y float64) {
	sty := upright(style(l.colFont, text.XRight, text.YCenter))
	for i := 0; i < len(h.colLabels); i += l.colEvery {
		s.write(sty, x+(float64(i)+0.5)*l.cellW, y+l.panelH+3, h.colLabels[i])
	}
}

func (h *heat) paintBar(s *sheet, l *layout) {
	bar := grid{shades, 1, make([]float64, shades)}
	for i := range bar.at {
		bar.at[i] = h.scale.hi - (h.scale.hi-h.scale.lo)*float64(i)/(shades-1)
	}
	h.paintImage(s, bar, l.barX, l.barY, barWidth, l.barH)
	s.frame(lines, 0.4, l.barX, l.barY, barWidth, l.barH)
	sty := style(labelMax, text.XLeft, text.YCenter)
	for _, t := range l.ticks {
		y := l.barY + l.barH*(1-(t.value-h.scale.lo)/(h.scale.hi-h.scale.lo))
		s.fill(lines, l.barX+barWidth, y-0.2, 2, 0.4)
		s.write(sty, l.barX+barWidth+3, y, t.text)
	}
	s.write(upright(style(axisSize, text.XRight, text.YTop)), l.barX+barWidth+5+tickWidth(l.ticks), l.barY, h.bar)
}
