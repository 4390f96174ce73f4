package plotting

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	dpi          = 144
	dotsPerPoint = dpi / 72.0
)

// A Figure is a picture that knows how to show itself.
type Figure struct {
	text  string
	w, h  float64 // points
	paint func(*sheet)
	heat  *heat // what the picture shows, where it is a heat map
}

// String says in one line what is drawn.
func (f *Figure) String() string { return f.text }

// Image is the picture at 144 dots per inch.
func (f *Figure) Image() image.Image { return f.pixels().Image() }

func (f *Figure) pixels() *vgimg.Canvas {
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(f.w), vg.Length(f.h)), vgimg.UseDPI(dpi))
	f.paint(&sheet{draw.New(c), f.h, true})
	return c
}

// MIMEBundle is the figure for a notebook, image/png ([]byte) and text/plain, and
// for a terminal of some width, text/x-terminal (Text). An
// SVG is left to SVG and Save: a front end that is given both takes it, does not
// shrink it to the page, and draws its text with whatever fonts it has.
func (f *Figure) MIMEBundle() map[string]any {
	var b bytes.Buffer
	if err := f.writePNG(&b); err != nil {
		panic(fmt.Errorf("plotting: encoding a PNG: %w", err))
	}
	return map[string]any{"image/png": b.Bytes(), "text/plain": f.text, "text/x-terminal": f.Text}
}

// SVG is the figure as the text of an SVG image: display.SVG(figure.SVG()) shows it.
func (f *Figure) SVG() string {
	var b bytes.Buffer
	if err := f.writeSVG(&b); err != nil {
		panic(fmt.Errorf("plotting: encoding an SVG: %w", err))
	}
	return b.String()
}

// Save writes the figure to a file, as the end of its name says: .png, .svg or .pdf.
func (f *Figure) Save(path string) error {
	var write func(io.Writer) error
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png":
		write = f.writePNG
	case ".svg":
		write = f.writeSVG
	case ".pdf":
		write = f.writePDF
	default:
		return fmt.Errorf("saving a figure as %s: the name must end in .png, .svg or .pdf", path)
	}
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return fmt.Errorf("saving a figure as %s: %w", path, err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("saving a figure: %w", err)
	}
	return nil
}

func (f *Figure) writePNG(w io.Writer) error {
	return png.Encode(w, f.pixels().Image())
}

func (f *Figure) writeSVG(w io.Writer) error {
	c := vgsvg.New(vg.Length(f.w), vg.Length(f.h))
	f.paint(&sheet{draw.New(c), f.h, false})
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	// vgsvg names one font at every text, calls every image a JPEG and lets viewers smooth it.
	svg := strings.NewReplacer(
		svgFont, "",
		"<svg ", `<svg font-family="`+svgFamilies+`" `,
		`xlink:href="data:image/jpg;`, `style="image-rendering:pixelated" xlink:href="data:image/png;`,
	).Replace(b.String())
	_, err := io.WriteString(w, svg)
	return err
}

func (f *Figure) writePDF(w io.Writer) error {
	c := vgpdf.New(vg.Length(f.w), vg.Length(f.h))
	f.paint(&sheet{draw.New(c), f.h, false})
	_, err := c.WriteTo(w)
	return err
}

// figure lays h out and makes it a Figure.
func (s *settings) figure(h *heat, text string) *Figure {
	l := h.arrange(s.fn, s.w, s.h)
	return &Figure{
		text:  text,
		w:     l.w,
		h:     l.h,
		paint: func(sh *sheet) { h.paint(sh, l) },
		heat:  h,
	}
}
