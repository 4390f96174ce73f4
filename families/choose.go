package families

import (
	"math"

	"github.com/gonterp/gonterp/runtime/torch"
)

// groups limits a choice to the experts of the best groups: of n groups of
// neighbours keep are kept, by their worth.
type groups struct {
	n, keep int
	worth   func(scores []float32) float32
}

// best is the worth of a group in V2, twoBest that in V3.
func best(scores []float32) float32 {
	first, _ := topTwo(scores)
	return first
}

func twoBest(scores []float32) float32 {
	first, second := topTwo(scores)
	return first + second
}

func topTwo(scores []float32) (first, second float32) {
	first, second = lowest, lowest
	for _, s := range scores {
		switch {
		case s > first:
			first, second = s, first
		case s > second:
			second = s
		}
	}
	return first, second
}

var lowest = float32(math.Inf(-1))

// choose picks k experts for every row of scores [... experts], by descending
// score, the lower expert first among equals: int64 [... k].
//
// The choice is made here and not by tensor operations because that gives the
// rule for ties on every device, and because the values decide which experts run.
// The meta device has no values, and any experts are as good as others there.
func choose(scores *torch.Tensor, k int, g groups) *torch.Tensor {
	shape := append([]int(nil), scores.Shape()...)
	experts := shape[len(shape)-1]
	shape[len(shape)-1] = k
	if scores.Device().IsMeta() {
		return torch.Empty(torch.Int64, scores.Device(), shape...)
	}
	values := scores.Floats()
	chosen := make([]int64, 0, len(values)/experts*k)
	worth := make([]float32, g.n)
	for ; len(values) > 0; values = values[experts:] {
		row := values[:experts]
		if g.keep < g.n {
			limit(row, g, worth)
		}
		chosen = top(chosen, row, k)
	}
	return torch.FromInts(chosen, shape...).ToDevice(scores.Device())
}

// limit lowers the scores of all experts outside the kept groups.
func limit(row []float32, g groups, worth []float32) {
	size := len(row) / g.n
	for i := range worth {
		worth[i] = g.worth(row[i*size : (i+1)*size])
	}
	kept := make([]bool, g.n)
	for _, i := range top(make([]int64, 0, g.keep), worth, g.keep) {
		kept[i] = true
	}
	for e := range row {
		if !kept[e/size] {
			row[e] = lowest
		}
	}
}

// top appends the places of the k greatest scores. NaN counts as lowest; nothing is
// chosen twice.
func top(chosen []int64, scores []float32, k int) []int64 {
	start := len(chosen)
	for range k {
		at := -1
		for e, s := range scores {
			if (at < 0 || s > scores[at] || scores[at] != scores[at] && s == s) && !taken(chosen[start:], e) {
				at = e
			}
		}
		chosen = append(chosen, int64(at))
	}
	return chosen
}

func taken(chosen []int64, e int) bool {
	for _, c := range chosen {
		if c == int64(e) {
			return true
		}
	}
	return false
}
