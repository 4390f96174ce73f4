package kernel

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
)

// The logo is a causal attention pattern of five tokens: each row looks at the
// first token, at its own, and one at an earlier copy of itself.
var logoPattern = [5][5]float64{
	{1},
	{0.55, 0.45},
	{0.5, 0.1, 0.4},
	{0.12, 0.8, 0.05, 0.3},
	{0.45, 0.05, 0.9, 0.1, 0.35},
}

// logoColor goes from the field's pale to its deep blue.
func logoColor(v float64) color.NRGBA {
	mix := func(from, to float64) uint8 { return uint8(from + (to-from)*v + 0.5) }
	return color.NRGBA{mix(214, 8), mix(238, 72), mix(246, 140), 255}
}

// logoCells calls f with each cell's edges, in parts of the logo's width.
func logoCells(f func(x, y, w float64, c color.NRGBA)) {
	const n, gap = float64(len(logoPattern)), 0.02
	for row := range len(logoPattern) {
		for col := range row + 1 {
			f(float64(col)/n+gap/2, float64(row)/n+gap/2, 1/n-gap, logoColor(logoPattern[row][col]))
		}
	}
}

func logoPNG(size int) ([]byte, error) {
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	logoCells(func(x, y, w float64, c color.NRGBA) {
		at := func(v float64) int { return int(v*float64(size) + 0.5) }
		draw.Draw(img, image.Rect(at(x), at(y), at(x+w), at(y+w)), image.NewUniform(c), image.Point{}, draw.Src)
	})
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}

func logoSVG() []byte {
	var b bytes.Buffer
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">` + "\n")
	logoCells(func(x, y, w float64, c color.NRGBA) {
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="2" fill="#%02x%02x%02x"/>`+"\n", 100*x, 100*y, 100*w, 100*w, c.R, c.G, c.B)
	})
	b.WriteString("</svg>\n")
	return b.Bytes()
}
