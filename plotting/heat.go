package plotting

import (
	"fmt"
	"math"
)

// A grid is the cells of one panel, row 0 on top. NaN is a cell without a value.
type grid struct {
	rows, cols int
	at         []float64
}

// A mark outlines one cell.
type mark struct{ row, col int }

// A panel is one grid with a title of its own.
type panel struct {
	title string
	cells grid
	marks []mark
	words []string // a text in each cell; nil for none
}

// A heat is a figure of one or many panels of the same shape, which share their
// labels and one colour scale.
type heat struct {
	title            string
	panels           []panel
	rowAxis, colAxis string
	rowLabels        []string
	colLabels        []string
	rowNumbers       bool // labels are numbers: thinned to round ones
	colNumbers       bool
	scale            *scale
	bar              string  // what the colour scale measures
	square           bool    // cells are as wide as high
	cellW, cellH     float64 // a cell's natural size; 0: chosen by the layout
}

const (
	// vectorCells is the side up to which a panel is drawn as vector cells.
	vectorCells = 64
	// vectorTotal is how many vector cells a whole figure may have.
	vectorTotal = 16 * vectorCells * vectorCells
	// maskBelow is the score below which a cell counts as masked: the lowest
	// numbers of bfloat16 and float32 stand for minus infinity there, and float16's
	// is -65504.
	maskBelow = -65000
)

func (h *heat) vector() bool {
	g := h.panels[0].cells
	return g.rows <= vectorCells && g.cols <= vectorCells && g.rows*g.cols*len(h.panels) <= vectorTotal
}

// bounds are the extremes over all panels.
func bounds(panels []panel) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, p := range panels {
		for _, v := range p.cells.at {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	if lo > hi {
		return 0, 1
	}
	return lo, hi
}

// extent says in words what the values of all panels lie between.
func extent(panels []panel) string {
	finite, odd := 0, 0
	for _, p := range panels {
		for _, v := range p.cells.at {
			if math.IsNaN(v) {
				odd++
			} else if !math.IsInf(v, 0) {
				finite++
			}
		}
	}
	if finite == 0 {
		return "no value is a number"
	}
	lo, hi := bounds(panels)
	text := fmt.Sprintf("values %.3g to %.3g", lo, hi)
	if odd > 0 {
		text += fmt.Sprintf(", %d are no numbers", odd)
	}
	return text
}

// scaleFor chooses the colours: what the caller asked for, else zero to the largest
// value for amounts (to one where that is close), and both sides alike around zero
// for signed values.
func (s *settings) scaleFor(panels []panel) *scale {
	lo, hi := bounds(panels)
	signed := lo < 0
	p := s.palette
	if p == nil {
		p = palettes[0]
		if signed {
			p = paletteNamed("bluered")
		}
	}
	switch {
	case s.ranged:
		lo, hi = s.lo, s.hi
	case p.signed:
		hi = max(math.Abs(lo), math.Abs(hi))
		lo = -hi
	case !signed && hi <= 1 && hi > 0.6:
		lo, hi = 0, 1
	case !signed:
		lo = 0
	}
	if lo == hi {
		hi = lo + 1
	}
	return newScale(p, lo, hi)
}

// unmask replaces scores that stand for minus infinity by cells without a value.
func unmask(g grid) {
	for i, v := range g.at {
		if v < maskBelow {
			g.at[i] = math.NaN()
		}
	}
}

// hideFuture takes the value from every cell above the causal diagonal, where all
// panels are exactly zero there. The last query sees the last key.
func hideFuture(panels []panel) {
	g := panels[0].cells
	shift := g.cols - g.rows
	if shift < 0 || g.rows < 2 {
		return
	}
	for _, p := range panels {
		for r := range g.rows {
			for c := r + shift + 1; c < g.cols; c++ {
				if p.cells.at[r*g.cols+c] != 0 {
					return
				}
			}
		}
	}
	for _, p := range panels {
		for r := range g.rows {
			for c := r + shift + 1; c < g.cols; c++ {
				p.cells.at[r*g.cols+c] = math.NaN()
			}
		}
	}
}

func labelsOrNumbers(labels []string, n int) []string {
	out := make([]string, n)
	for i := range out {
		if labels == nil {
			out[i] = fmt.Sprint(i)
		} else {
			out[i] = tokenLabel(labels[i])
		}
	}
	return out
}
