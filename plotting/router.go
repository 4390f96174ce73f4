package plotting

import (
	"fmt"
	"math"
	"strings"
)

const routerWant = "router values [batch seq experts] or [seq experts], or expert weights [batch seq top_k] with their indices"

// router draws what a router gives every expert, or the weights of the chosen.
func router(v *values, opts []Option) *Figure {
	s := newSettings("Router", opts, "Prompts", "Labels", "Chosen", "NumExperts")
	v.need("Router", routerWant, []int{2, 3}, []string{"seq", "num_experts|top_k"})
	slots := v.whole || v.axis(1) == "top_k"
	if s.chosen != nil && v.axis(1) == "" {
		slots = fmt.Sprint(s.chosen.shape) == fmt.Sprint(v.shape)
	}
	if s.chosen != nil && fmt.Sprint(leading(s.chosen)) != fmt.Sprint(leading(v)) {
		panic(&Error{"Router", fmt.Sprintf("%s with Chosen of %s", v.describe(), s.chosen.describe()), "indices for the same prompts and positions", ""})
	}
	dense, bar := v, v.last("router")
	switch {
	case v.whole:
		dense, bar = s.spread(v, nil), "chosen"
	case slots && s.chosen == nil:
		panic(&Error{"Router", v.describe() + ", the weights of chosen experts without saying which", routerWant, "plotting.Router(weights, plotting.Chosen(indices))"})
	case slots:
		dense = s.spread(s.chosen, v)
	}
	n := len(dense.shape)
	rows, cols := dense.shape[n-2], dense.shape[n-1]
	h := &heat{title: s.title, rowAxis: "token", colAxis: "expert", bar: bar}
	h.cellW, h.cellH = min(14, 460/float64(cols)), min(12, max(400/float64(rows), 1/dotsPerPoint))
	h.panels = s.routerPanels(dense, rows, cols)
	if !slots && s.chosen != nil {
		s.markChosen(h.panels, s.chosen, rows, cols)
	}
	h.scale = s.scaleFor(h.panels)
	h.rowLabels, h.rowNumbers = s.tokenRows(v, len(v.shape)-2, rows)
	h.colLabels, h.colNumbers = labelsOrNumbers(nil, cols), true
	return s.figure(h, fmt.Sprintf("router %s: %s, %d tokens × %d experts, %s",
		v.name("of a tensor"), panelsInWords(h.panels), rows, cols, extent(h.panels)))
}

func leading(v *values) []int { return v.shape[:len(v.shape)-1] }

// spread puts slots [... top_k] at their experts [... num_experts]: the weights, or
// ones where there are none. An expert that was not chosen has no value.
func (s *settings) spread(indices, weights *values) *values {
	k := indices.shape[len(indices.shape)-1]
	experts := s.experts
	for _, e := range indices.at {
		if e < 0 || s.experts > 0 && int(e) >= s.experts {
			panic(&Error{"Router", fmt.Sprintf("expert %g", e), fmt.Sprintf("expert indices from 0 to %d", max(s.experts-1, 0)), ""})
		}
		experts = max(experts, int(e)+1)
	}
	out := *indices
	out.shape = append(append([]int{}, leading(indices)...), experts)
	out.at = make([]float64, len(indices.at)/k*experts)
	for i := range out.at {
		out.at[i] = math.NaN()
	}
	for i, e := range indices.at {
		w := 1.0
		if weights != nil {
			w = weights.at[i]
		}
		out.at[i/k*experts+int(e)] = w
	}
	if weights != nil {
		out.path, out.model = weights.path, weights.model
	}
	return &out
}

func (s *settings) routerPanels(v *values, rows, cols int) []panel {
	batch := len(v.at) / (rows * cols)
	var panels []panel
	for _, b := range s.choose("Prompts", s.prompts, batch) {
		title := v.layer()
		if batch > 1 {
			title = strings.TrimSpace(fmt.Sprintf("%s prompt %d", title, b))
		}
		at := make([]float64, rows*cols)
		copy(at, v.at[b*rows*cols:])
		panels = append(panels, panel{title: title, cells: grid{rows, cols, at}})
	}
	if len(panels) > mostPanels {
		panic(&Error{"Router", fmt.Sprintf("%d prompts", len(panels)), fmt.Sprintf("at most %d", mostPanels), "plotting.Router(t, plotting.Prompts(0, 1))"})
	}
	return panels
}

// markChosen outlines the chosen experts on the values of all.
func (s *settings) markChosen(panels []panel, indices *values, rows, cols int) {
	k := indices.shape[len(indices.shape)-1]
	for i, b := range s.choose("Prompts", s.prompts, len(indices.at)/(rows*k)) {
		for j := range rows * k {
			e := int(indices.at[b*rows*k+j])
			if e < 0 || e >= cols {
				panic(&Error{"Router", fmt.Sprintf("expert %d in Chosen", e), fmt.Sprintf("expert indices from 0 to %d", cols-1), ""})
			}
			panels[i].marks = append(panels[i].marks, mark{j / k, e})
		}
	}
}

// tokenRows are the labels of the rows of axis d, and whether they are numbers.
func (s *settings) tokenRows(v *values, d, n int) ([]string, bool) {
	labels := v.labelsOf(d)
	if s.labels != nil {
		if len(s.labels) != n {
			panic(&Error{s.fn, fmt.Sprintf("%d Labels", len(s.labels)), fmt.Sprintf("one for each of %d positions", n), ""})
		}
		labels = s.labels
	}
	return labelsOrNumbers(labels, n), labels == nil
}
