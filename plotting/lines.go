package plotting

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// FromPlot makes any gonum plot a Figure of width by height inches; its texts may
// hold any token.
func FromPlot(p *plot.Plot, width, height float64) *Figure {
	s := &settings{fn: "FromPlot"}
	if p == nil {
		panic(&Error{"FromPlot", "a nil plot", "a *plot.Plot", ""})
	}
	Size(width, height).apply(s)
	p.TextHandler = handler()
	for _, sty := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		sty.Handler = handler()
		sty.Font.Typeface, sty.Font.Variant = sans.Typeface, sans.Variant
	}
	describe := "plot"
	if p.Title.Text != "" {
		describe += " " + p.Title.Text
	}
	return &Figure{text: describe, w: s.w, h: s.h, paint: func(sh *sheet) {
		p.Draw(draw.Crop(sh.Canvas, margin, -margin, margin, -margin))
	}}
}

// roundTicks marks a plot's axis as colour scales are marked.
type roundTicks struct{}

func (roundTicks) Ticks(lo, hi float64) []plot.Tick {
	var out []plot.Tick
	for _, t := range ticks(lo, hi) {
		out = append(out, plot.Tick{Value: t.value, Label: t.text})
	}
	return out
}

// lineColors are told apart in print and by most colour-blind readers.
var lineColors = []uint32{0x13529a, 0xd06049, 0x2f9180, 0xb0852c, 0x7a5195, 0x5c5c5c}

// lineFigure draws each row of v as a line over its columns.
func lineFigure(v *values, opts []Option) *Figure {
	s := newSettings("Lines", opts, "Labels", "Rows", "Axes")
	v.need("Lines", "a line [n], or lines [lines n]", []int{1, 2}, nil)
	n := v.shape[len(v.shape)-1]
	p := s.newPlot(v)
	legend := plot.NewLegend()
	legend.TextStyle = style(labelMax, text.XLeft, text.YBottom)
	legend.Top, legend.Left, legend.ThumbnailWidth, legend.Padding = true, true, 14, 3
	names := s.rows
	if names != nil && len(names) != len(v.at)/n {
		panic(&Error{"Lines", fmt.Sprintf("%d Rows", len(names)), fmt.Sprintf("one for each of %d lines", len(v.at)/n), ""})
	}
	for i := range len(v.at) / n {
		var pts plotter.XYs
		for x, y := range v.at[i*n : (i+1)*n] {
			if !math.IsNaN(y) && !math.IsInf(y, 0) {
				pts = append(pts, plotter.XY{X: float64(x), Y: y})
			}
		}
		if len(pts) == 0 {
			continue
		}
		l, err := plotter.NewLine(pts)
		if err != nil {
			panic(&Error{"Lines", err.Error(), "finite numbers", ""})
		}
		l.Color, l.Width = rgb(lineColors[i%len(lineColors)]), 1.2
		if len(lineColors) <= i {
			l.Dashes = []vg.Length{3, 2}
		}
		p.Add(l)
		if names != nil {
			legend.Add(tokenLabel(names[i]), l)
		}
	}
	s.finishAxes(p, v, n, true)
	f := s.plotFigure(p, fmt.Sprintf("lines %s: %d of %d points", v.name("of a tensor"), len(v.at)/n, n))
	if names == nil {
		return f
	}
	// gonum draws a legend over the lines; here it stands beside them.
	room := 14 + 6
	for _, name := range names {
		room = max(room, 14+6+int(textWidth(tokenLabel(name), labelMax)))
	}
	f.paint = func(sh *sheet) {
		c := draw.Crop(sh.Canvas, margin, -margin, margin, -margin)
		p.Draw(draw.Crop(c, 0, -vg.Length(room+8), 0, 0))
		legend.Draw(draw.Crop(c, c.Max.X-c.Min.X-vg.Length(room), 0, 0, -titleSize*2))
	}
	return f
}

// barFigure draws one bar for each number.
func barFigure(v *values, opts []Option) *Figure {
	s := newSettings("Bars", opts, "Labels", "Axes")
	v.need("Bars", "numbers [n]", []int{1}, nil)
	n := v.shape[0]
	p := s.newPlot(v)
	b, err := plotter.NewBarChart(plotter.Values(v.at), vg.Length(min(18, 380/float64(n))*0.8))
	if err != nil {
		panic(&Error{"Bars", err.Error(), "finite numbers", ""})
	}
	b.Color, b.LineStyle.Width = rgb(lineColors[0]), 0
	p.Add(b)
	s.finishAxes(p, v, n, false)
	return s.plotFigure(p, fmt.Sprintf("bars %s: %d", v.name("of a tensor"), n))
}

func (s *settings) newPlot(v *values) *plot.Plot {
	p := plot.New()
	p.Title.Text = s.title
	p.Title.TextStyle.Font.Size = titleSize
	p.Title.Padding = 6
	p.Y.Label.Text = v.last("value")
	p.X.Label.Text = v.axis(1)
	if s.axes != nil {
		p.Y.Label.Text, p.X.Label.Text = s.axes[0], s.axes[1]
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font.Size = axisSize
		a.Tick.Label.Font.Size = labelMax
		a.Tick.Length = 3
		a.LineStyle.Width, a.Tick.LineStyle.Width = 0.5, 0.5
		a.LineStyle.Color, a.Tick.LineStyle.Color = lines, lines
		a.Label.TextStyle.Color, a.Tick.Label.Color = ink, ink
	}
	p.Y.Tick.Marker = roundTicks{}
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal.Color = masked
	p.Add(grid)
	return p
}

// finishAxes sets the range and the labels, which need the data's extent.
func (s *settings) finishAxes(p *plot.Plot, v *values, n int, whole bool) {
	p.X.Min, p.X.Max = -0.5, float64(n)-0.5
	if whole {
		p.X.Min, p.X.Max = 0, math.Max(1, float64(n-1))
	}
	if s.ranged {
		p.Y.Min, p.Y.Max = s.lo, s.hi
	} else {
		room := (p.Y.Max - p.Y.Min) * 0.04
		if !whole && p.Y.Min >= 0 { // bars stand on zero
			p.Y.Max += room
		} else {
			p.Y.Min, p.Y.Max = p.Y.Min-room, p.Y.Max+room
		}
	}
	labels, numbers := s.tokenRows(v, len(v.shape)-1, n)
	if numbers && whole {
		p.X.Tick.Marker = roundTicks{}
		return
	}
	_, every := chooseLabels(380/float64(n), numbers)
	var ticks []plot.Tick
	for i := 0; i < n; i += every {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: labels[i]})
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	if slices.ContainsFunc(labels, func(l string) bool { return len([]rune(l)) > 2 }) || n > 30 {
		p.X.Tick.Label.Rotation = math.Pi / 2
		p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = text.XRight, text.YCenter
	}
}

func (s *settings) plotFigure(p *plot.Plot, description string) *Figure {
	w, h := s.w, s.h
	if w == 0 {
		w, h = 6.2*72, 3.2*72
	}
	f := FromPlot(p, w/72, h/72)
	f.text = description
	return f
}
