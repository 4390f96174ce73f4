package tokenizer

import "slices"

// A class is a set of code points, made for asking one at a time.
type class struct {
	low  [4]uint64 // code points below 256
	page [0x1100]uint16
	bits [][4]uint64
}

const maxRune = 0x10ffff

// newClass is the set of the pairs of first and last code point.
func newClass(pairs []rune) *class {
	c := &class{bits: [][4]uint64{{}, {^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}}}
	const empty, full = 0, 1
	for i := 0; i < len(pairs); i += 2 {
		first, last := pairs[i], pairs[i+1]
		for page := first >> 8; page <= last>>8; page++ {
			from, to := max(first, page<<8)&255, min(last, page<<8|255)&255
			if from == 0 && to == 255 {
				c.page[page] = full
				continue
			}
			if c.page[page] == full {
				continue
			}
			if c.page[page] == empty {
				c.page[page] = uint16(len(c.bits))
				c.bits = append(c.bits, [4]uint64{})
			}
			b := &c.bits[c.page[page]]
			for r := from; r <= to; r++ {
				b[r>>6] |= 1 << (r & 63)
			}
		}
	}
	c.low = c.bits[c.page[0]]
	return c
}

func (c *class) has(r rune) bool {
	if r < 256 {
		return c.low[r>>6]>>(r&63)&1 != 0
	}
	return c.bits[c.page[r>>8]][r>>6&3]>>(r&63)&1 != 0
}

// negate is every code point that the pairs leave out.
func negate(pairs []rune) []rune {
	var out []rune
	next := rune(0)
	for i := range sortPairs(pairs) {
		if pairs[2*i] > next {
			out = append(out, next, pairs[2*i]-1)
		}
		next = max(next, pairs[2*i+1]+1)
	}
	if next <= maxRune {
		out = append(out, next, maxRune)
	}
	return out
}

// both is what lies in a and in b.
func both(a, b []rune) []rune { return negate(append(negate(a), negate(b)...)) }

// sortPairs sorts the pairs where they are and is their number.
func sortPairs(pairs []rune) int {
	sorted := make([][2]rune, len(pairs)/2)
	for i := range sorted {
		sorted[i] = [2]rune{pairs[2*i], pairs[2*i+1]}
	}
	slices.SortFunc(sorted, func(a, b [2]rune) int { return int(a[0]) - int(b[0]) })
	for i, p := range sorted {
		pairs[2*i], pairs[2*i+1] = p[0], p[1]
	}
	return len(sorted)
}

// named are the classes that patterns spell \p{…}.
var named = map[string][]rune{
	"L": letters, "Lu": upper, "Ll": lower, "Lt": title, "Lm": modifiers, "Lo": otherLetters,
	"M": marks, "N": numbers, "P": punctuation, "S": symbols, "Han": han,
}
