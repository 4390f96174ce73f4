package gonterp

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gonterp/gonterp/runtime/torch"
)

// A textTable is rows of cells, printed in columns that line up.
type textTable struct {
	rows  [][]string
	right bool // align all but the first column to the right
}

func (t *textTable) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *textTable) String() string {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			gap := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i > 0 {
				line.WriteString("  ")
			}
			if t.right && i > 0 {
				line.WriteString(gap + cell)
			} else {
				line.WriteString(cell + gap)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// gridWidth is how many columns of numbers a printed grid has, the last ones where
// there are more.
const gridWidth = 16

// gridText prints a tensor of two axes: a line for each row, a column for each column.
func gridText(t *Tensor) string {
	at, cols := t.Float64s(), t.Size(1)
	return grid(t, gridWidth, true, func(r, c int) string { return number(at[r*cols+c]) })
}

// grid prints cells under the names that t's origin gives its two axes, at most width
// columns of them: the last ones.
func grid(t *Tensor, width int, right bool, cell func(r, c int) string) string {
	o, rows, cols := t.Origin(), t.Size(0), t.Size(1)
	first := max(0, cols-width)
	table := &textTable{right: right}
	header := []string{o.Axes[0] + `\` + o.Axes[1]}
	for c := first; c < cols; c++ {
		header = append(header, label(o, 1, c))
	}
	table.add(header...)
	for r := range rows {
		line := []string{label(o, 0, r)}
		for c := first; c < cols; c++ {
			line = append(line, cell(r, c))
		}
		table.add(line...)
	}
	if first == 0 {
		return table.String()
	}
	what := "columns"
	if countsTokens(o.Axes[1]) {
		what = "positions"
	}
	return fmt.Sprintf("%s\n(the last %d of %d %s)", table, width, cols, what)
}

// label is the name of index i of axis d: its token, quoted so that spaces show, or
// its number.
func label(o *torch.Origin, d, i int) string {
	if d < len(o.Labels) && i < len(o.Labels[d]) {
		if countsTokens(o.Axes[d]) {
			return strconv.Quote(o.Labels[d][i])
		}
		return o.Labels[d][i]
	}
	return strconv.Itoa(i)
}

// none stands where there is no number.
const none = "—"

// number is a value with two decimals; — where there is none.
func number(v float64) string {
	if math.IsNaN(v) {
		return none
	}
	s := strconv.FormatFloat(v, 'f', 2, 64)
	if s == "-0.00" {
		return "0.00"
	}
	return s
}

// percent is a probability, short; — where there is none.
func percent(p float64) string {
	if math.IsNaN(p) {
		return none
	}
	if p > 0 && p < 0.0005 {
		return "<0.1%"
	}
	return strconv.FormatFloat(100*p, 'f', 1, 64) + "%"
}

// perLayer says of a tensor that its rows are layers: what it is, the name of its
// columns, and their labels.
func (m *Model) perLayer(t *Tensor, what, columns string, labels []string) *Tensor {
	return t.WithOrigin(&torch.Origin{Model: m.name, Path: what, Axes: []string{"layer", columns}, Labels: [][]string{nil, labels}})
}
