package plotting

import (
	"fmt"
	"slices"
)

// lens draws layers × positions with the last layer on top, as a logit lens reads:
// a word in each cell, coloured by its value.
func lens(v *values, words [][]string, opts []Option) *Figure {
	s := newSettings("Lens", opts, "Labels", "Rows")
	v.need("Lens", "values [layers seq], one for each word", []int{2}, nil)
	rows, cols := v.shape[0], v.shape[1]
	if words != nil && (len(words) != rows || slices.ContainsFunc(words, func(w []string) bool { return len(w) != cols })) {
		panic(&Error{"Lens", fmt.Sprintf("%d lists of words for values of shape %v", len(words), v.shape), fmt.Sprintf("%d lists of %d words", rows, cols), ""})
	}
	p := panel{cells: grid{rows, cols, make([]float64, rows*cols)}}
	for r := range rows {
		copy(p.cells.at[(rows-1-r)*cols:], v.at[r*cols:(r+1)*cols])
	}
	for r := rows - 1; r >= 0 && words != nil; r-- {
		for _, w := range words[r] {
			p.words = append(p.words, tokenLabel(w))
		}
	}
	h := &heat{title: s.title, panels: []panel{p}, rowAxis: "layer", colAxis: "position", bar: v.last("value"), cellW: 34, cellH: 12}
	if words == nil {
		h.cellW = 14
	}
	h.scale = s.scaleFor(h.panels)
	h.rowLabels, h.rowNumbers = s.rowLabels(v, 0, rows)
	slices.Reverse(h.rowLabels)
	h.colLabels, h.colNumbers = s.tokenRows(v, 1, cols)
	return s.figure(h, fmt.Sprintf("lens %s: %d layers × %d positions, %s", v.name("of a tensor"), rows, cols, extent(h.panels)))
}

// matrix draws any two axes, row 0 on top.
func matrix(v *values, opts []Option) *Figure {
	s := newSettings("Matrix", opts, "Labels", "Rows", "Axes")
	v.need("Matrix", "a tensor of two axes", []int{2}, nil)
	rows, cols := v.shape[0], v.shape[1]
	at := slices.Clone(v.at)
	h := &heat{title: s.title, panels: []panel{{cells: grid{rows, cols, at}}}, rowAxis: v.axis(2), colAxis: v.axis(1), bar: v.last("value")}
	if s.axes != nil {
		h.rowAxis, h.colAxis = s.axes[0], s.axes[1]
	}
	unmask(h.panels[0].cells)
	h.scale = s.scaleFor(h.panels)
	h.rowLabels, h.rowNumbers = s.rowLabels(v, 0, rows)
	h.colLabels, h.colNumbers = s.tokenRows(v, 1, cols)
	return s.figure(h, fmt.Sprintf("matrix %s: %d × %d, %s", v.name("of a tensor"), rows, cols, extent(h.panels)))
}

// rowLabels are the labels of axis d where rows and columns have labels of their own.
func (s *settings) rowLabels(v *values, d, n int) ([]string, bool) {
	labels := v.labelsOf(d)
	if s.rows != nil {
		if len(s.rows) != n {
			panic(&Error{s.fn, fmt.Sprintf("%d Rows", len(s.rows)), fmt.Sprintf("one for each of %d rows", n), ""})
		}
		labels = s.rows
	}
	return labelsOrNumbers(labels, n), labels == nil
}
