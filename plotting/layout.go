package plotting

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// All lengths here are points, measured from the top left corner.
const (
	margin     = 6.0
	gap        = 9.0
	titleSize  = 9.5
	panelSize  = 7.5 // of a panel's title
	axisSize   = 7.5
	labelMax   = 7.0
	labelMin   = 4.5
	labelPitch = 1.15 // of its size, the room a label needs
	barWidth   = 8.0
	barHeight  = 150.0
	pageWidth  = 680.0 // a figure's natural width at most
)

// A layout is where everything in a heat goes.
type layout struct {
	w, h         float64
	across, down int     // panels
	left, top    float64 // of the first panel
	cellW, cellH float64
	panelW       float64
	panelH       float64
	stepX, stepY float64 // from panel to panel
	rowFont      float64
	colFont      float64
	rowEvery     int // every how many labels one is shown
	colEvery     int
	barX, barY   float64
	barH         float64
	ticks        []tick
}

type tick struct {
	value float64
	text  string
}

// arrange lays h out in its natural size, or in w by height points where they are not 0.
func (h *heat) arrange(fn string, w, height float64) *layout {
	g := h.panels[0].cells
	l := &layout{ticks: ticks(h.scale.lo, h.scale.hi)}
	l.across = across(len(h.panels))
	l.down = (len(h.panels) + l.across - 1) / l.across
	l.natural(h)
	// Label sizes follow from the cells and margins from the labels; the second
	// round knows the sizes of the first.
	for range 2 {
		l.labels(h)
		left := margin + axisSize*1.4 + widthOf(h.rowLabels, l.rowEvery, l.rowFont) + 3
		bottom := margin + axisSize*1.4 + widthOf(h.colLabels, l.colEvery, l.colFont) + 3
		right := margin + 14 + barWidth + 3 + tickWidth(l.ticks) + axisSize*1.4
		top := margin
		if h.title != "" {
			top += titleSize * 1.6
		}
		titles := 0.0
		if h.titled() {
			titles = panelSize * 1.5
		}
		roomW := pageWidth - left - right - float64(l.across-1)*gap
		if w > 0 {
			roomW = w - left - right - float64(l.across-1)*gap
		}
		fit := roomW / float64(l.across*g.cols)
		if w > 0 || l.cellW > fit {
			l.cellW = fit
		}
		if height > 0 {
			roomH := height - top - bottom - float64(l.down)*titles - float64(l.down-1)*gap
			l.cellH = roomH / float64(l.down*g.rows)
		}
		if h.square {
			l.cellW = min(l.cellW, l.cellH)
			l.cellH = l.cellW
		}
		if l.cellW <= 0 || l.cellH <= 0 {
			panic(&Error{fn, fmt.Sprintf("Size(%g, %g)", w/72, height/72),
				fmt.Sprintf("room for %d panels, their labels and the colour scale: about %.0f × %.0f inches",
					len(h.panels), math.Ceil((left+right+float64(l.across)*(gap+20))/72), math.Ceil((top+bottom+float64(l.down)*(gap+titles+20))/72)), ""})
		}
		if w == 0 {
			l.cellW, l.cellH = snapCell(l.cellW), snapCell(l.cellH)
		}
		l.left, l.top = snap(left), snap(top+titles)
		l.panelW, l.panelH = l.cellW*float64(g.cols), l.cellH*float64(g.rows)
		l.stepX, l.stepY = snap(l.panelW+gap), snap(l.panelH+gap+titles)
		gridW := l.stepX*float64(l.across-1) + l.panelW
		gridH := l.stepY*float64(l.down-1) + l.panelH
		l.w, l.h = w, height
		if w == 0 {
			title := float64(textWidth(h.title, titleSize))
			bar := float64(textWidth(h.bar, axisSize))
			l.w = math.Ceil(max(l.left+gridW+right, l.left+title+margin))
			l.h = math.Ceil(max(l.top+gridH+bottom, l.top+bar+margin))
		}
		l.barX, l.barY = snap(l.left+gridW+14), l.top
		l.barH = min(barHeight, gridH)
		h.shortenTitles(l.stepX - 3)
	}
	return l
}

// natural chooses cells that give a panel a readable size.
func (l *layout) natural(h *heat) {
	g := h.panels[0].cells
	if h.cellW > 0 {
		l.cellW, l.cellH = h.cellW, h.cellH
		return
	}
	side, most := 300.0, 22.0
	if len(h.panels) > 1 {
		side, most = 150, 11
	}
	// A large panel gets a pixel for each cell as far as the page allows.
	side = max(side, min(float64(max(g.rows, g.cols))/dotsPerPoint, 480))
	l.cellW = min(side/float64(g.cols), most)
	l.cellH = min(side/float64(g.rows), most)
	if h.square {
		l.cellW = min(l.cellW, l.cellH)
		l.cellH = l.cellW
	}
}

// labels chooses label sizes, and which labels there is room for.
func (l *layout) labels(h *heat) {
	l.rowFont, l.rowEvery = chooseLabels(l.cellH, h.rowNumbers)
	l.colFont, l.colEvery = chooseLabels(l.cellW, h.colNumbers)
}

func chooseLabels(pitch float64, numbers bool) (size float64, every int) {
	size = min(labelMax, max(labelMin, pitch/labelPitch))
	every = max(1, int(math.Ceil(size*labelPitch/pitch-1e-9)))
	if !numbers || every == 1 {
		return size, every
	}
	every *= 2 // numbers can be told without seeing each
	for round := 1; ; round *= 10 {
		for _, m := range []int{1, 2, 5} {
			if m*round >= every {
				return size, m * round
			}
		}
	}
}

func (h *heat) titled() bool {
	for _, p := range h.panels {
		if p.title != "" {
			return true
		}
	}
	return false
}

// shortenTitles moves the words that all panel titles begin with to the figure's
// title, where the panels are too narrow for them.
func (h *heat) shortenTitles(room float64) {
	var most float64
	for _, p := range h.panels {
		most = max(most, float64(textWidth(p.title, panelSize)))
	}
	if most <= room || len(h.panels) < 2 {
		return
	}
	common := strings.Fields(h.panels[0].title)
	for _, p := range h.panels[1:] {
		words := strings.Fields(p.title)
		n := 0
		for n < min(len(common), len(words)) && words[n] == common[n] {
			n++
		}
		common = common[:n]
	}
	shared := strings.Join(common, " ")
	for i := range h.panels {
		h.panels[i].title = strings.TrimSpace(strings.TrimPrefix(h.panels[i].title, shared))
	}
	h.title = strings.Trim(h.title+" · "+shared, " ·")
}

// across is how many of n panels stand side by side: a divisor of n near a square,
// rather wide than high.
func across(n int) int {
	if n <= 4 {
		return n
	}
	root := int(math.Ceil(math.Sqrt(float64(n))))
	for c := root; c <= root*3/2; c++ {
		if n%c == 0 {
			return c
		}
	}
	return root
}

// snap puts a length on the pixel grid of a PNG.
func snap(x float64) float64 { return math.Round(x*dotsPerPoint) / dotsPerPoint }

func snapCell(x float64) float64 {
	if x < 2 {
		return x
	}
	return math.Floor(x*dotsPerPoint) / dotsPerPoint
}

func widthOf(labels []string, every int, size float64) float64 {
	var w vg.Length
	for i := 0; i < len(labels); i += every {
		w = max(w, textWidth(labels[i], vg.Length(size)))
	}
	return float64(w)
}

func tickWidth(ticks []tick) float64 {
	var w vg.Length
	for _, t := range ticks {
		w = max(w, textWidth(t.text, vg.Length(labelMax)))
	}
	return float64(w)
}

// ticks are round numbers from lo to hi, about five of them.
func ticks(lo, hi float64) []tick {
	raw := (hi - lo) / 4
	unit := math.Pow(10, math.Floor(math.Log10(raw)))
	step := unit
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		step = m * unit
		if step >= raw*0.85 {
			break
		}
	}
	digits := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	if step == 2.5*unit {
		digits++
	}
	var out []tick
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+step*1e-9; i++ {
		v := i * step
		text := strconv.FormatFloat(v, 'f', digits, 64)
		if math.Abs(v) >= 1e6 || digits > 5 {
			text = strconv.FormatFloat(v, 'g', 3, 64)
		}
		if i == 0 {
			text = "0"
		}
		out = append(out, tick{v, strings.Replace(text, "-", "−", 1)})
	}
	return out
}
