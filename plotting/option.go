package plotting

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// An Option changes how a figure is drawn. A function refuses the options that
// mean nothing to it.
type Option struct {
	name  string
	apply func(*settings)
}

type settings struct {
	fn      string
	title   string
	heads   []int
	prompts []int
	labels  []string
	ranged  bool
	lo, hi  float64
	palette *palette
	w, h    float64
	chosen  *values
	experts int
	rows    []string
	axes    []string
}

// Title is what stands above the figure.
func Title(text string) Option {
	return Option{"Title", func(s *settings) { s.title = text }}
}

// Heads selects the heads of a pattern and their order.
func Heads(heads ...int) Option {
	return Option{"Heads", func(s *settings) { s.heads = heads }}
}

// Prompts selects the prompts of a batch and their order.
func Prompts(prompts ...int) Option {
	return Option{"Prompts", func(s *settings) { s.prompts = prompts }}
}

// Labels are the token texts, one for each position, for a tensor that does not
// carry its own. A leading space is shown as ␣.
func Labels(tokens ...string) Option {
	return Option{"Labels", func(s *settings) { s.labels = tokens }}
}

// Range fixes the values at the two ends of the colour scale, so that two figures
// can be compared. Without it the scale is shared by the panels of one figure only.
func Range(lo, hi float64) Option {
	return Option{"Range", func(s *settings) {
		if !(lo < hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
			panic(&Error{s.fn, fmt.Sprintf("Range(%g, %g)", lo, hi), "two finite numbers, the lower one first", ""})
		}
		s.ranged, s.lo, s.hi = true, lo, hi
	}}
}

// Palette selects the colours: "blues", "greys", "fire" or "viridian" for amounts,
// "bluered" for values on both sides of zero.
func Palette(name string) Option {
	return Option{"Palette", func(s *settings) {
		p := paletteNamed(name)
		if p == nil {
			panic(&Error{s.fn, fmt.Sprintf("Palette(%q)", name), "one of " + strings.Join(paletteNames(), ", "), ""})
		}
		s.palette = p
	}}
}

// Size is the size of the whole figure in inches.
func Size(width, height float64) Option {
	return Option{"Size", func(s *settings) {
		if !(width >= 1 && width <= 100 && height >= 1 && height <= 100) {
			panic(&Error{s.fn, fmt.Sprintf("Size(%g, %g)", width, height), "a width and a height between 1 and 100 inches", ""})
		}
		s.w, s.h = width*72, height*72
	}}
}

// NumExperts says how many experts a router chooses from, where the tensor at
// hand lists chosen experts only.
func NumExperts(n int) Option {
	return Option{"NumExperts", func(s *settings) { s.experts = n }}
}

// Rows are the names of a figure's rows, from the first axis's first index on.
func Rows(names ...string) Option {
	return Option{"Rows", func(s *settings) { s.rows = names }}
}

// Axes are the names of what runs down and across.
func Axes(down, across string) Option {
	return Option{"Axes", func(s *settings) { s.axes = []string{down, across} }}
}

// newSettings applies the options a function takes and refuses the others.
func newSettings(fn string, opts []Option, takes ...string) *settings {
	s := &settings{fn: fn}
	takes = append([]string{"Title", "Range", "Palette", "Size"}, takes...)
	for _, o := range opts {
		if o.apply == nil {
			continue
		}
		if !slices.Contains(takes, o.name) {
			panic(&Error{fn, "option " + o.name, "one of " + strings.Join(takes, ", "), ""})
		}
		o.apply(s)
	}
	return s
}

// choose checks a selection of indices below n; an empty one is all of them.
func (s *settings) choose(option string, selected []int, n int) []int {
	if len(selected) == 0 {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return all
	}
	for _, i := range selected {
		if i < 0 || i >= n {
			panic(&Error{s.fn, fmt.Sprintf("%s(%d)", option, i), fmt.Sprintf("a number from 0 to %d", n-1), ""})
		}
	}
	return selected
}
