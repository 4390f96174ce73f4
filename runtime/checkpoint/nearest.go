package checkpoint

import (
	"cmp"
	"slices"
)

// nearest are up to three of names that a slip of the hand could have turned
// into name, the likeliest first.
func nearest(name string, names []string) []string {
	type candidate struct {
		name string
		away int
	}
	var found []candidate
	for _, n := range names {
		if d := distance(name, n, len(name)/3+1); d >= 0 {
			found = append(found, candidate{n, d})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.away, b.away) })
	var out []string
	for _, c := range found[:min(3, len(found))] {
		out = append(out, c.name)
	}
	return out
}

// distance counts the insertions, deletions and replacements between a and b
// (Levenshtein), -1 where it is more than limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return -1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		least := row[0]
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
			least = min(least, row[j+1])
		}
		if least > limit {
			return -1
		}
	}
	if row[len(b)] > limit {
		return -1
	}
	return row[len(b)]
}
