package plotting

import (
	"image/color"
	"math"
	"strings"
	"sync"

	"codeberg.org/go-fonts/dejavu/dejavusans"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

var sans = font.Font{Typeface: "DejaVu", Variant: "Sans"}

// svgFont is how vgsvg names the font at each text; svgFamilies is what the whole
// picture says instead, so that a browser without the font has others to use.
const (
	svgFont     = "font-family:DejaVu Sans;font-variant:normal;font-weight:normal;font-style:normal;"
	svgFamilies = "'DejaVu Sans',Verdana,Arial,'Droid Sans Fallback','Noto Sans CJK SC',sans-serif"
)

// writing is gonum/plot's text handler with a second font behind the first.
// gonum's own draws a string in one font, and its PDF canvas knows 8-bit
// encodings only; so text is filled outlines, except in SVG, where it stays text.
type writing struct{ fonts *font.Cache }

var handler = sync.OnceValue(func() text.Handler {
	return writing{font.NewCache(font.Collection{{Font: sans, Face: parseFont(dejavusans.TTF)}})}
})

func (w writing) Cache() *font.Cache { return w.fonts }

func (w writing) Extents(f font.Font) font.Extents {
	face := w.fonts.Lookup(sans, f.Size)
	return face.Extents()
}

func (w writing) Lines(s string) []string {
	return strings.Split(strings.TrimRight(s, "\n"), "\n")
}

func (w writing) Box(s string, f font.Font) (width, height, depth vg.Length) {
	e := w.Extents(f)
	return textWidth(s, f.Size), e.Ascent, e.Descent
}

func (w writing) Draw(c vg.Canvas, s string, sty text.Style, at vg.Point) {
	lines := w.Lines(s)
	if len(lines) == 1 && lines[0] == "" {
		return
	}
	c.Push()
	defer c.Pop()
	c.SetColor(sty.Color)
	c.Translate(at)
	if sty.Rotation != 0 {
		c.Rotate(sty.Rotation)
	}
	e := w.Extents(sty.Font)
	top := sty.Height(s) * (1 + vg.Length(sty.YAlign))
	for i, line := range lines {
		at := vg.Point{
			X: textWidth(line, sty.Font.Size) * vg.Length(sty.XAlign),
			Y: top - e.Ascent - vg.Length(i)*e.Height,
		}
		if svg := asSVG(c); svg != nil {
			svg.FillString(w.fonts.Lookup(sans, sty.Font.Size), at, line)
			continue
		}
		fillOutlines(c, line, sty.Font.Size, at)
	}
}

// asSVG is the SVG canvas behind c, if there is one.
func asSVG(c vg.Canvas) *vgsvg.Canvas {
	switch c := c.(type) {
	case *vgsvg.Canvas:
		return c
	case *draw.Canvas:
		return asSVG(c.Canvas)
	}
	return nil
}

func fillOutlines(c vg.Canvas, s string, size vg.Length, at vg.Point) {
	var path vg.Path
	move := func(p vg.Point) vg.Point { return vg.Point{X: at.X + p.X*size, Y: at.Y + p.Y*size} }
	for _, r := range s {
		g := letters.of(r)
		if g == nil {
			continue
		}
		for _, comp := range g.path {
			comp.Pos = move(comp.Pos)
			control := make([]vg.Point, len(comp.Control))
			for i, p := range comp.Control {
				control[i] = move(p)
			}
			comp.Control = control
			path = append(path, comp)
		}
		at.X += g.advance * size
	}
	if len(path) > 0 {
		c.Fill(path)
	}
}

func textWidth(s string, size vg.Length) vg.Length {
	var w vg.Length
	for _, r := range s {
		if g := letters.of(r); g != nil {
			w += g.advance
		}
	}
	return w * size
}

var ink = color.RGBA{0x22, 0x22, 0x22, 255}

func style(size float64, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{Color: ink, Font: font.From(sans, vg.Length(size)), XAlign: x, YAlign: y, Handler: handler()}
}

func upright(s text.Style) text.Style {
	s.Rotation = math.Pi / 2
	return s
}
