package gonterp

import (
	"math"

	"github.com/gonterp/gonterp/runtime/trace"
)

// Progress is told how far a long sweep has come: a session shows it as a bar. nil,
// the default, tells nobody.
var Progress func(label string, done, total int)

// advance reports a step of a sweep, and ends the sweep where it was interrupted.
func advance(label string, done, total int) {
	if trace.Stopping() {
		panic(&trace.InterruptError{At: label})
	}
	if Progress != nil {
		Progress(label, done, total)
	}
}

// sweepTokens is how many tokens a sweep runs through the model at once: enough to
// read each weight once for many prompts, few enough that their logits fit in memory
// beside a model with a large vocabulary.
const sweepTokens = 512

// batches cuts rows of token ids into runs that fit into one pass, and gives each
// run as the range of its rows.
func batches(rows [][]int) [][2]int {
	var runs [][2]int
	for from := 0; from < len(rows); {
		to, width := from, 0
		for to < len(rows) {
			width = max(width, len(rows[to]))
			if to > from && width*(to+1-from) > sweepTokens {
				break
			}
			to++
		}
		runs = append(runs, [2]int{from, to})
		from = to
	}
	return runs
}

// repeated is n times the same prompt.
func repeated(row []int, n int) [][]int {
	rows := make([][]int, n)
	for i := range rows {
		rows[i] = row
	}
	return rows
}

// nans stand for n cells of a sweep that do not exist.
func nans(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = math.NaN()
	}
	return v
}
