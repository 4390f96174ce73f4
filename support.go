package gonterp

import (
	"fmt"
	"strings"

	"github.com/gonterp/gonterp/runtime/point"
)

// Support says what can be read from a model: a row for every standard value of
// every block, with its shape in words and, where it is missing, the reason.
type Support struct {
	Model string
	Rows  []SupportRow
}

// A SupportRow is one value of one module.
type SupportRow struct {
	Path    string
	Layout  string
	Axes    []string
	Missing string // why there is none, "" where there is one
	Doc     string
}

// Support lists the standard values of every block, found by running the forward
// on the meta device; no weight is touched.
func (m *Model) Support() *Support {
	s := &Support{Model: m.name}
	module := func(on point.Place, path string, layer int, shared bool) {
		for _, n := range point.All() {
			info := n.Info()
			if info.On != on {
				continue
			}
			row := SupportRow{Path: n.String(), Layout: info.Layout.Name, Axes: info.Layout.Axes, Doc: info.Doc}
			if path != "" {
				row.Path = path + "." + n.String()
			}
			if _, ok := m.plan.Find(row.Path); !ok && (!info.Derived || info.Sparse && m.config.IndexTopk == 0) {
				if _, err := m.find(row.Path); err == nil {
					continue // an alias of a value that has its own row
				}
				if shared {
					continue
				}
				row.Missing = m.whyMissing(n, layer, shared)
			}
			s.Rows = append(s.Rows, row)
		}
	}
	module(point.OnModel, "", 0, false)
	for i := range m.NumLayers {
		path := fmt.Sprintf("layers.%d", i)
		module(point.OnLayer, path, i, false)
		module(point.OnSelfAttn, path+".self_attn", i, false)
		module(point.OnMLP, path+".mlp", i, false)
		if m.config.Sparse(i) {
			module(point.OnMLP, path+".mlp.shared_experts", i, true)
		}
	}
	return s
}

// String is the table, with blocks alike written once.
func (s *Support) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: standard values\n", s.Model)
	groups := map[string][]int{} // the rows of a block, without its number → the blocks
	var order []string
	for start := 0; start < len(s.Rows); {
		layer, end := layerOf(s.Rows[start].Path), start
		var text strings.Builder
		for end < len(s.Rows) && layerOf(s.Rows[end].Path) == layer {
			text.WriteString(s.Rows[end].line(layer))
			end++
		}
		if groups[text.String()] == nil {
			order = append(order, text.String())
		}
		groups[text.String()] = append(groups[text.String()], layer)
		start = end
	}
	for _, text := range order {
		if layers := groups[text]; layers[0] >= 0 {
			fmt.Fprintf(&b, "\nlayers %s\n", spans(layers))
		}
		b.WriteString(text)
	}
	return b.String()
}

func (r *SupportRow) line(layer int) string {
	path := strings.TrimPrefix(r.Path, fmt.Sprintf("layers.%d.", layer))
	if r.Missing != "" {
		return fmt.Sprintf("  %-40s —  %s\n", path, strings.ReplaceAll(r.Missing, fmt.Sprintf("layers.%d.", layer), ""))
	}
	return fmt.Sprintf("  %-40s %s [%s]\n", path, r.Layout, strings.Join(r.Axes, " "))
}

func layerOf(path string) int {
	layer := -1
	fmt.Sscanf(path, "layers.%d.", &layer)
	return layer
}

// spans writes 0, 1, 2, 5 as "0-2, 5".
func spans(n []int) string {
	var parts []string
	for i := 0; i < len(n); {
		j := i
		for j+1 < len(n) && n[j+1] == n[j]+1 {
			j++
		}
		if i == j {
			parts = append(parts, fmt.Sprint(n[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", n[i], n[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}
