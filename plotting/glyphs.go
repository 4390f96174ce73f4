package plotting

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"sync"

	"codeberg.org/go-fonts/dejavu/dejavusans"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/vg"
)

//go:embed fonts/DroidSansFallback.ttf.gz
var fallbackTTF []byte

// A glyph is a character's outline and advance at a size of one point.
type glyph struct {
	path    vg.Path
	advance vg.Length
}

// outlines finds glyphs in DejaVu Sans and, for what it lacks, in Droid Sans
// Fallback, which is unpacked when it is first needed.
type outlines struct {
	sync.Mutex
	cache          map[rune]*glyph // nil where no font has the character
	main, fallback *sfnt.Font
	buf            sfnt.Buffer
}

var letters = outlines{cache: map[rune]*glyph{}}

// of is the glyph of r, or nil where no font has it.
func (o *outlines) of(r rune) *glyph {
	o.Lock()
	defer o.Unlock()
	if g, ok := o.cache[r]; ok {
		return g
	}
	if o.main == nil {
		o.main = parseFont(dejavusans.TTF)
	}
	g := o.load(o.main, r)
	if g == nil && r >= 0x1100 {
		if o.fallback == nil {
			o.fallback = parseFont(unpack(fallbackTTF))
		}
		g = o.load(o.fallback, r)
	}
	o.cache[r] = g
	return g
}

func (o *outlines) load(f *sfnt.Font, r rune) *glyph {
	i, err := f.GlyphIndex(&o.buf, r)
	if err != nil || i == 0 {
		return nil
	}
	em := f.UnitsPerEm()
	ppem := fixed.I(int(em))
	segments, err := f.LoadGlyph(&o.buf, i, ppem, nil)
	if err != nil {
		return nil
	}
	point := func(p fixed.Point26_6) vg.Point {
		s := 64 * vg.Length(em)
		return vg.Point{X: vg.Length(p.X) / s, Y: -vg.Length(p.Y) / s}
	}
	g := &glyph{}
	for n, s := range segments {
		if s.Op == sfnt.SegmentOpMoveTo {
			if n > 0 {
				g.path.Close()
			}
			g.path.Move(point(s.Args[0]))
			continue
		}
		switch s.Op {
		case sfnt.SegmentOpLineTo:
			g.path.Line(point(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			g.path.QuadTo(point(s.Args[0]), point(s.Args[1]))
		case sfnt.SegmentOpCubeTo:
			g.path.CubeTo(point(s.Args[0]), point(s.Args[1]), point(s.Args[2]))
		}
	}
	if len(segments) > 0 {
		g.path.Close()
	}
	advance, err := f.GlyphAdvance(&o.buf, i, ppem, font.HintingNone)
	if err != nil {
		return nil
	}
	g.advance = vg.Length(advance) / (64 * vg.Length(em))
	return g
}

// The two fonts are part of the program, so a fault in them is a fault in it.
func parseFont(ttf []byte) *sfnt.Font {
	f, err := sfnt.Parse(ttf)
	if err != nil {
		panic("plotting: an embedded font does not parse: " + err.Error())
	}
	return f
}

func unpack(gz []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		panic("plotting: the embedded font does not unpack: " + err.Error())
	}
	b, err := io.ReadAll(r)
	if err != nil {
		panic("plotting: the embedded font does not unpack: " + err.Error())
	}
	return b
}
