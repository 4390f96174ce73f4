package gonterp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonterp/gonterp/runtime/torch"
)

// countsTokens says whether an axis counts the tokens of a prompt.
func countsTokens(axis string) bool { return axis == "seq" || axis == "query" || axis == "key" }

// axisOf is the axis of one of the names that are written with | between them, or -1.
func axisOf(axes []string, names string) int {
	for d, a := range axes {
		for _, name := range strings.Split(names, "|") {
			if a == name {
				return d
			}
		}
	}
	return -1
}

// placed is position p of a prompt of n tokens, counted from the start; who asks for it
// and of which prompt stand in the error.
func placed(who, prompt string, p, n int) int {
	if p < -n || p >= n {
		panic(argumentErrorf("%s: position %d of %s, which has positions 0 to %d, or -1 to -%d from the end", who, p, prompt, n-1, n))
	}
	return (p + n) % n
}

// chosen is a bool for each of n positions.
func chosen(who string, positions []int, n int) *Tensor {
	on := make([]bool, n)
	for _, p := range positions {
		on[placed(who, "the prompt", p, n)] = true
	}
	return torch.FromBools(on, n)
}

// marked is a bool for each of n things.
func marked(who string, which []int, n int, things string) *Tensor {
	on := make([]bool, n)
	for _, i := range which {
		if i < 0 || i >= n {
			panic(argumentErrorf("%s(%d): there are %s 0 to %d", who, i, things, n-1))
		}
		on[i] = true
	}
	return torch.FromBools(on, n)
}

// realPositions is a bool for each position [batch seq] of what the pass shows, true at
// the given positions among each prompt's real tokens.
func (o *openPass) realPositions(who string, positions []int) *Tensor {
	rows, width := o.inputs.rows, o.inputs.width
	if o.row >= 0 {
		rows = rows[o.row : o.row+1]
		width = len(rows[0])
	}
	on := make([]bool, len(rows)*width)
	for r, row := range rows {
		for _, p := range positions {
			on[(r+1)*width-len(row)+placed(who, fmt.Sprintf("prompt %d", r), p, len(row))] = true
		}
	}
	return torch.FromBools(on, len(rows), width)
}

// onAxis shapes a vector so that it lies along axis d of dims axes.
func onAxis(v *Tensor, d, dims int) *Tensor {
	shape := slices.Repeat([]int{1}, dims)
	shape[d] = v.Numel()
	return v.Reshape(shape...)
}
