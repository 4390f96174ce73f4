package plotting

import (
	"fmt"
	"strings"
)

const patternWant = "an attention pattern [batch heads query key], [heads query key] or [query key]"

// mostPanels is how many panels one figure draws.
const mostPanels = 256

// pattern draws attention patterns, or the scores before the softmax.
func pattern(v *values, opts []Option) *Figure {
	s := newSettings("Pattern", opts, "Heads", "Prompts", "Labels")
	v.need("Pattern", patternWant, []int{2, 3, 4}, []string{"query|seq", "key|seq"})
	h := &heat{title: s.title, square: true, rowAxis: "query", colAxis: "key"}
	h.panels = s.patternPanels(v)
	for _, p := range h.panels {
		unmask(p.cells)
	}
	hideFuture(h.panels)
	h.scale = s.scaleFor(h.panels)
	h.bar = v.last("attention")

	n := len(v.shape)
	rows, cols := v.shape[n-2], v.shape[n-1]
	queries, keys := v.labelsOf(n-2), v.labelsOf(n-1)
	if s.labels != nil {
		if len(s.labels) != cols || rows > cols {
			panic(&Error{"Pattern", fmt.Sprintf("%d Labels", len(s.labels)), fmt.Sprintf("one for each of %d keys (the last %d are the queries)", cols, rows), ""})
		}
		keys, queries = s.labels, s.labels[cols-rows:]
	}
	h.rowLabels, h.colLabels = labelsOrNumbers(queries, rows), labelsOrNumbers(keys, cols)
	h.rowNumbers, h.colNumbers = queries == nil, keys == nil

	return s.figure(h, fmt.Sprintf("attention pattern %s: %s, %d queries × %d keys, %s",
		v.name("of a tensor"), panelsInWords(h.panels), rows, cols, extent(h.panels)))
}

// patternPanels cuts the tensor into panels by its leading axes.
func (s *settings) patternPanels(v *values) []panel {
	n := len(v.shape)
	batch, heads := 1, 1
	batchAxis, headAxis := -1, -1
	for d := range n - 2 {
		if n == 4 && d == 0 || v.axes != nil && v.axes[d] == "batch" {
			batch, batchAxis = v.shape[d], d
		} else {
			heads, headAxis = v.shape[d], d
		}
	}
	if headAxis < 0 && s.heads != nil {
		panic(&Error{"Pattern", "Heads with " + v.describe(), "a tensor with an axis of heads", ""})
	}
	if batchAxis < 0 && s.prompts != nil {
		panic(&Error{"Pattern", "Prompts with " + v.describe(), "a tensor with an axis of prompts", ""})
	}
	rows, cols := v.shape[n-2], v.shape[n-1]
	chosenPrompts, chosenHeads := s.choose("Prompts", s.prompts, batch), s.choose("Heads", s.heads, heads)
	if count := len(chosenPrompts) * len(chosenHeads); count > mostPanels {
		panic(&Error{"Pattern", fmt.Sprintf("%d panels (%s)", count, v.describe()), fmt.Sprintf("at most %d", mostPanels), "plotting.Pattern(t, plotting.Heads(0, 1, 2, 3))"})
	}
	var panels []panel
	for _, b := range chosenPrompts {
		for _, i := range chosenHeads {
			at := make([]float64, rows*cols)
			copy(at, v.at[(b*heads+i)*rows*cols:])
			var title []string
			if layer := v.layer(); layer != "" {
				title = append(title, layer)
			}
			if batch > 1 {
				title = append(title, "prompt "+nameOf(v.labelsOf(batchAxis), b))
			}
			if headAxis >= 0 {
				title = append(title, "head "+nameOf(v.labelsOf(headAxis), i))
			}
			panels = append(panels, panel{title: strings.Join(title, " "), cells: grid{rows, cols, at}})
		}
	}
	return panels
}

func nameOf(labels []string, i int) string {
	if labels == nil {
		return fmt.Sprint(i)
	}
	return labels[i]
}

// panelsInWords counts panels and names the first and the last.
func panelsInWords(panels []panel) string {
	first, last := panels[0].title, panels[len(panels)-1].title
	switch {
	case len(panels) == 1 && first == "":
		return "one panel"
	case len(panels) == 1:
		return first
	case first == "":
		return fmt.Sprintf("%d panels", len(panels))
	}
	return fmt.Sprintf("%d panels, %s to %s", len(panels), first, last)
}
