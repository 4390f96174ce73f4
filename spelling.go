package gonterp

import (
	"iter"
	"strings"

	"github.com/gonterp/gonterp/runtime/point"
)

// nearest is the path of a value that is spelt most like path.
func (c *core) nearest(path string) string {
	return closest(path, func(yield func(string) bool) {
		for _, stop := range c.plan.Stops {
			for _, s := range stop.Sites {
				if !yield(s.Path) {
					return
				}
			}
		}
	})
}

// nearestName is nearest for a name that may be a word of the vocabulary alone.
func (c *core) nearestName(name string) string {
	if strings.Contains(name, ".") {
		return c.nearest(name)
	}
	return closest(name, func(yield func(string) bool) {
		for _, n := range point.All() {
			if !yield(n.String()) {
				return
			}
		}
	})
}

// closest is the known word that the fewest edits turn word into, "" where that would
// replace it whole.
func closest(word string, known iter.Seq[string]) string {
	best, distance := "", len(word)
	for k := range known {
		if d := editDistance(word, k, distance); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// editDistance is Levenshtein's, given up at limit.
func editDistance(a, b string, limit int) int {
	if d := len(a) - len(b); d >= limit || -d >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
