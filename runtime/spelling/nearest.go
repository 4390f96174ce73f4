package spelling

import (
	"cmp"
	"iter"
	"slices"
	"unicode"
)

// Nearest is the first of names that the fewest slips turn name into, "" where none is
// within the limit: a third of the letters of the longer of the two.
func Nearest(name string, names iter.Seq[string]) string {
	if found := NearestFew(1, name, names); len(found) > 0 {
		return found[0]
	}
	return ""
}

// NearestFew are up to most of names within the limit, the likeliest first, and of
// equally likely ones the earlier.
func NearestFew(most int, name string, names iter.Seq[string]) []string {
	type candidate struct {
		name string
		away int
	}
	var found []candidate
	word := []rune(name)
	for n := range names {
		other := []rune(n)
		limit := max(len(word), len(other)) / 3
		if n == name || limit == 0 || max(len(word)-len(other), len(other)-len(word)) > limit {
			continue
		}
		if away := slips(word, other); away <= limit {
			found = append(found, candidate{n, max(away, 1)}) // 0 where only the case differs
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.away, b.away) })
	var out []string
	for _, c := range found[:min(most, len(found))] {
		out = append(out, c.name)
	}
	return out
}

// slips counts the letters left out, typed too many, mistaken or swapped with the
// next between two words (the restricted Damerau-Levenshtein distance); letters of
// the other case are the same.
func slips(a, b []rune) int {
	same := func(x, y rune) bool { return x == y || unicode.ToLower(x) == unicode.ToLower(y) }
	beforeLast, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		beforeLast, last, row = last, row, beforeLast
		row[0] = i
		for j := 1; j <= len(b); j++ {
			mistaken := last[j-1]
			if !same(a[i-1], b[j-1]) {
				mistaken++
			}
			row[j] = min(mistaken, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] != a[i-2] && same(a[i-1], b[j-2]) && same(a[i-2], b[j-1]) {
				row[j] = min(row[j], beforeLast[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
