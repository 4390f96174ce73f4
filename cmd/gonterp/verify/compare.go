package verify

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gonterp/gonterp"
)

// The tolerances of tests/reference/README.md.
const (
	float32Tolerance  = 1e-4 // of max(1, max|expected|)
	bfloat16Tolerance = 0.1  // relative L2
	noise             = 1e-5 // root mean square of what is rounding alone, such as the gradient of a constant
	masked            = -1e30
)

// result is how far a value is from the expected one, in units of the tolerance.
type result struct {
	path  string
	error float64
	why   string // of a difference that no tolerance covers
}

func (r result) ok() bool { return r.why == "" && r.error <= 1 }

func (r result) worse(o result) result {
	if r.path == "" || r.why == "" && (o.why != "" || o.error > r.error) {
		return o
	}
	return r
}

func (r result) String() string {
	if r.why != "" {
		return fmt.Sprintf("%s: %s", r.path, r.why)
	}
	return fmt.Sprintf("%.2g of the tolerance, at %s", r.error, r.path)
}

// compare is how far got[path] is from what was expected.
func (f *folder) compare(r *run, path string, got map[string]*gonterp.Tensor) (result, error) {
	want := f.expected[r.Name+"/"+path]
	have := got[path]
	res := result{path: path}
	if !equalShape(want.Shape(), have.Shape()) {
		res.why = fmt.Sprintf("shape %v, expected %v", have.Shape(), want.Shape())
		return res, nil
	}
	_, last := splitPath(path)
	a, b := newArray(have), newArray(want)
	plain := strings.TrimPrefix(path, "grad/")
	if slotted(plain) {
		ours, theirs, err := f.slots(r, plain, got)
		if err != nil {
			return res, err
		}
		a.sortSlots(ours)
		b.sortSlots(theirs)
	}
	counts := r.counts(path, a.shape)
	switch {
	case last == "output" && strings.HasSuffix(path, "indexer.output"):
		if tokens, wanted := r.differing(path, a, b); len(tokens) > 0 {
			res.why = fmt.Sprintf("query %d of row %d chose other keys than %v", tokens[0]%a.shape[1], tokens[0]/a.shape[1], slices.Sorted(maps.Keys(wanted[0])))
		}
	case !want.DType().IsFloat():
		for i := range a.v {
			if counts(i) && a.v[i] != b.v[i] {
				res.why = fmt.Sprintf("%v at element %d, expected %v", a.v[i], i, b.v[i])
				break
			}
		}
	default:
		res.error, res.why = f.distance(last, a, b, counts)
	}
	return res, nil
}

// distance compares floats; what neither is masked nor padding counts.
func (f *folder) distance(last string, a, b array, counts func(int) bool) (float64, string) {
	var worst, largest, difference, norm, n float64
	for i := range a.v {
		x, y := a.v[i], b.v[i]
		if !counts(i) {
			continue
		}
		if last == "attention_scores" && (y < masked || x < masked) {
			if (x < masked) != (y < masked) {
				return 0, fmt.Sprintf("%v at element %d, expected %v: one is masked", x, i, y)
			}
			continue
		}
		if last == "attention_probabilities" && (x == 0) != (y == 0) {
			return 0, fmt.Sprintf("%v at element %d, expected %v: one is zero", x, i, y)
		}
		if math.IsNaN(x) || math.IsInf(x, 0) || math.IsNaN(y) || math.IsInf(y, 0) {
			return 0, fmt.Sprintf("%v at element %d, expected %v", x, i, y)
		}
		worst, largest = max(worst, math.Abs(x-y)), max(largest, math.Abs(y))
		difference, norm, n = difference+(x-y)*(x-y), norm+y*y, n+1
	}
	if f.compute == "float32" {
		return worst / max(1, largest) / float32Tolerance, ""
	}
	return math.Sqrt(difference/max(norm, n*noise*noise)) / bfloat16Tolerance, ""
}

// slots are the experts of our slots and of the expected ones. A run that does not
// record its choice has that of a run of the same prompt without interventions.
func (f *folder) slots(r *run, path string, got map[string]*gonterp.Tensor) (ours, theirs array, err error) {
	at := sibling(path, "expert_indices")
	ours = newArray(got[at])
	if t := f.expected[r.Name+"/"+at]; t != nil {
		return ours, newArray(t), nil
	}
	for i := range f.runs {
		other := &f.runs[i]
		if t := f.expected[other.Name+"/"+at]; t != nil && len(other.Ops) == 0 && fmt.Sprint(other.IDs) == fmt.Sprint(r.IDs) {
			return ours, newArray(t), nil
		}
	}
	return ours, theirs, fmt.Errorf("%s cannot be compared: no run records %s for this prompt", path, at)
}

// counts says which elements of a value are not padding.
func (r *run) counts(path string, shape []int) func(i int) bool {
	if _, last := splitPath(path); last == "next_token_probs" {
		return func(i int) bool { // of the last position, which in a row padded on the right is no token
			row := r.Mask[i/shape[1]]
			return row[len(row)-1] != 0
		}
	}
	axes := tokenAxes(path, shape, len(r.Mask), len(r.Mask[0]))
	if len(axes) == 0 {
		return func(int) bool { return true }
	}
	inner := make([]int, len(shape)) // elements per step along each axis
	k := 1
	for d := len(shape) - 1; d >= 0; d-- {
		inner[d], k = k, k*shape[d]
	}
	return func(i int) bool {
		row := r.Mask[i/inner[0]%shape[0]]
		for _, d := range axes {
			if row[i/inner[d]%shape[d]] == 0 {
				return false
			}
		}
		return true
	}
}

// tokenAxes are the axes of a value that count tokens.
func tokenAxes(path string, shape []int, batch, seq int) []int {
	_, last := splitPath(path)
	if len(shape) < 2 || shape[0] != batch {
		return nil
	}
	switch last {
	case "attention_scores", "attention_probabilities":
		return []int{2, 3}
	case "attention_queries", "attention_keys", "attention_values":
		return []int{2}
	case "input_ids", "attention_mask", "input_size", "generated_ids", "step_logits":
		return nil
	}
	if shape[1] != seq {
		return nil
	}
	return []int{1}
}
