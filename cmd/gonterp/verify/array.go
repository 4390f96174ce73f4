package verify

import (
	"slices"
	"sort"

	"github.com/gonterp/gonterp"
)

// array is a tensor's numbers on the Go side.
type array struct {
	v     []float64
	shape []int
}

func newArray(t *gonterp.Tensor) array {
	return array{t.Double().Float64s(), t.Shape()}
}

func equalShape(a, b []int) bool { return slices.Equal(a, b) }

// sortSlots orders the slots of every token by the expert they hold. An array
// without a hidden axis has slots of one number.
func (a *array) sortSlots(experts array) {
	k := experts.shape[2]
	tokens := len(experts.v) / k
	width := len(a.v) / tokens / k
	sorted := make([]float64, 0, len(a.v))
	for t := range tokens {
		order := make([]int, k)
		for j := range order {
			order[j] = j
		}
		sort.Slice(order, func(i, j int) bool { return experts.v[t*k+order[i]] < experts.v[t*k+order[j]] })
		for _, j := range order {
			sorted = append(sorted, a.v[(t*k+j)*width:(t*k+j+1)*width]...)
		}
	}
	a.v = sorted
}
