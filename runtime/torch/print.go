package torch

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

const (
	printWhole = 1000 // elements up to which a tensor is printed whole
	printEdge  = 3    // indices shown at each end of a longer axis
	printWidth = 80
)

// String is the elements in rows, shortened where they are many, then shape, dtype
// and where the tensor came from.
func (t *Tensor) String() string {
	if t == nil {
		return "tensor(nil)"
	}
	facts := fmt.Sprint(t.shape) + " " + t.dtype.String()
	if !t.device.IsCPU() {
		facts += " " + t.device.String()
	}
	if t.origin != nil && t.origin.Path != "" {
		facts += " " + t.origin.Path
	}
	if t.device.IsMeta() {
		return "tensor(no values) " + facts
	}
	if t.Numel() == 0 {
		return "tensor([]) " + facts
	}
	p := t.printer()
	var b strings.Builder
	b.WriteString("tensor(")
	p.write(&b, 0, 0, len("tensor("))
	b.WriteString(")")
	if len(t.shape) > 1 {
		return b.String() + "\n" + facts
	}
	return b.String() + " " + facts
}

// A printer holds the elements that are shown, as text of one width.
type printer struct {
	shown  []int  // length of each axis, of what is shown
	cut    []bool // whether an axis has a gap in the middle
	cells  []string
	stride []int
}

func (t *Tensor) printer() *printer {
	p := &printer{cut: make([]bool, len(t.shape))}
	shown := t.Detach()
	if t.Numel() > printWhole {
		for d, size := range t.shape {
			if size > 2*printEdge {
				p.cut[d] = true
				shown = Cat(d, shown.Narrow(d, 0, printEdge), shown.Narrow(d, -printEdge, printEdge))
			}
		}
	}
	p.shown = shown.shape
	p.stride = make([]int, len(p.shown))
	k := 1
	for d := len(p.shown) - 1; d >= 0; d-- {
		p.stride[d] = k
		k *= p.shown[d]
	}
	p.cells = shown.texts()
	width := 0
	for _, c := range p.cells {
		width = max(width, len(c))
	}
	for i, c := range p.cells {
		p.cells[i] = strings.Repeat(" ", width-len(c)) + c
	}
	return p
}

// write writes the part of axis d that starts at cell from, indented by indent.
func (p *printer) write(b *strings.Builder, d, from, indent int) {
	if d == len(p.shown) {
		b.WriteString(p.cells[from])
		return
	}
	b.WriteString("[")
	last := d == len(p.shown)-1
	line := indent + 1
	for i := range p.shown[d] {
		gap := p.cut[d] && i == printEdge
		if last {
			w := len(p.cells[from+i]) + 2
			if i > 0 {
				b.WriteString(",")
				if gap {
					b.WriteString(" ...,")
					line += 5
				}
				if line+w > printWidth {
					b.WriteString("\n" + strings.Repeat(" ", indent+1))
					line = indent + 1
				} else {
					b.WriteString(" ")
				}
			}
			line += w
		} else if i > 0 {
			b.WriteString("," + strings.Repeat("\n", len(p.shown)-1-d) + strings.Repeat(" ", indent+1))
			if gap {
				b.WriteString("...," + strings.Repeat("\n", len(p.shown)-1-d) + strings.Repeat(" ", indent+1))
			}
		}
		p.write(b, d+1, from+i*p.stride[d], indent+1)
	}
	b.WriteString("]")
}

// texts formats every element, all in the same way.
func (t *Tensor) texts() []string {
	cells := make([]string, 0, t.Numel())
	switch {
	case t.dtype == Bool:
		for _, v := range t.Bools() {
			cells = append(cells, strconv.FormatBool(v))
		}
	case t.dtype.IsComplex():
		v := t.To(Complex64).ViewAsReal().Float64s()
		format := formatFor(v)
		for i := 0; i < len(v); i += 2 {
			sign := "+"
			if math.Signbit(v[i+1]) {
				sign = ""
			}
			cells = append(cells, format(v[i])+sign+format(v[i+1])+"i")
		}
	case t.dtype.IsFloat():
		v := t.Float64s()
		format := formatFor(v)
		for _, x := range v {
			cells = append(cells, format(x))
		}
	default:
		for _, v := range t.Ints() {
			cells = append(cells, strconv.FormatInt(v, 10))
		}
	}
	return cells
}

// formatFor chooses among "1.", "1.2345" and "1.2345e-06" by the range of the
// values, so that all of them can be told apart.
func formatFor(v []float64) func(float64) string {
	whole, least, most := true, math.Inf(1), 0.0
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		whole = whole && x == math.Trunc(x)
		if a := math.Abs(x); a != 0 {
			least, most = min(least, a), max(most, a)
		}
	}
	kind, digits, tail := byte('f'), 4, ""
	switch {
	case whole && most < 1e8:
		digits, tail = 0, "."
	case most >= 1e8 || least < 1e-4 || most/least > 1000 && most != 0:
		kind = 'e'
	}
	return func(x float64) string {
		switch {
		case math.IsNaN(x):
			return "nan"
		case math.IsInf(x, 0):
			return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(x, 'f', -1, 64), "+"))
		}
		return strconv.FormatFloat(x, kind, digits, 64) + tail
	}
}
