package plotting

import (
	"image/color"
	"math"
	"slices"
)

// A palette maps [0, 1] to colours through evenly spaced anchors of falling (or,
// in dark palettes, rising) lightness, so that it also reads in black and white.
type palette struct {
	name    string
	anchors []color.RGBA
	signed  bool // zero belongs in the middle
}

func rgb(hex uint32) color.RGBA {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 255}
}

var palettes = []*palette{
	{"blues", []color.RGBA{rgb(0xf7fafe), rgb(0xc9dcef), rgb(0x85b6da), rgb(0x3f87bf), rgb(0x13529a), rgb(0x0a1f4d)}, false},
	{"greys", []color.RGBA{rgb(0xfafafa), rgb(0xc6c6c6), rgb(0x8a8a8a), rgb(0x4d4d4d), rgb(0x0f0f0f)}, false},
	{"fire", []color.RGBA{rgb(0xfffbe8), rgb(0xfdd98a), rgb(0xf6973f), rgb(0xd5461f), rgb(0x8c1220), rgb(0x38051c)}, false},
	{"viridian", []color.RGBA{rgb(0xf5fbf7), rgb(0xbfe3d0), rgb(0x72bfa4), rgb(0x2f9180), rgb(0x125b5c), rgb(0x0a2c33)}, false},
	{"bluered", []color.RGBA{rgb(0x123a7c), rgb(0x4a8bc2), rgb(0xb5d3e7), rgb(0xf8f8f6), rgb(0xf3c0a5), rgb(0xd06049), rgb(0x7c1024)}, true},
}

// masked is the colour of a cell that has no value.
var masked = rgb(0xececec)

func paletteNamed(name string) *palette {
	i := slices.IndexFunc(palettes, func(p *palette) bool { return p.name == name })
	if i < 0 {
		return nil
	}
	return palettes[i]
}

func paletteNames() []string {
	var names []string
	for _, p := range palettes {
		names = append(names, p.name)
	}
	return names
}

// shades is how many colours a picture uses; a paletted image holds 256 with masked.
const shades = 255

// scale maps values to colours.
type scale struct {
	lo, hi float64
	colors [shades]color.RGBA
}

func newScale(p *palette, lo, hi float64) *scale {
	s := &scale{lo: lo, hi: hi}
	for i := range s.colors {
		s.colors[i] = p.at(float64(i) / (shades - 1))
	}
	return s
}

func (p *palette) at(t float64) color.RGBA {
	x := t * float64(len(p.anchors)-1)
	i := min(int(x), len(p.anchors)-2)
	f := x - float64(i)
	a, b := p.anchors[i], p.anchors[i+1]
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*(1-f) + float64(b)*f)) }
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

// index is the shade of v, or -1 where v is no value.
func (s *scale) index(v float64) int {
	if math.IsNaN(v) {
		return -1
	}
	t := (v - s.lo) / (s.hi - s.lo)
	return int(math.Round(min(max(t, 0), 1) * (shades - 1)))
}

func (s *scale) color(v float64) color.RGBA {
	if i := s.index(v); i >= 0 {
		return s.colors[i]
	}
	return masked
}
