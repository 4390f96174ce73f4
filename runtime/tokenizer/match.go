package tokenizer

import (
	"math"
	"unicode/utf8"
)

// match is where the pattern's match that begins at byte at of s ends, -1 where
// there is none. The first alternative that matches counts, and repetitions
// take as much as they can. hopeless is what earlier calls for s have found out.
func (p *pattern) match(s string, at int, hopeless *deadEnds) int {
	r, _ := utf8.DecodeRuneInString(s[at:])
	for i := range p.alts {
		a := &p.alts[i]
		if a.starts != nil && !a.starts.has(r) || i < len(hopeless) && at < hopeless[i] {
			continue
		}
		if end := sequence(a.items, s, at, nil); end >= 0 {
			return end
		}
		if i < len(hopeless) && a.runs() {
			hopeless[i], _ = a.items[0].run(s, at)
		}
	}
	return -1
}

// deadEnds is, for each of the first alternatives, up to where it cannot begin.
// One that begins with a run of a class and finds nothing that fits after any part
// of the run finds nothing from further on in the run either; without knowing
// that, a long run takes quadratic time.
type deadEnds [12]int

// runs tells whether a begins with a class, any number of times.
func (a *alternative) runs() bool {
	return len(a.items) > 0 && a.items[0].kind == oneOf && a.items[0].least <= 1 && a.items[0].most == math.MaxInt
}

// sequence matches items and then what then asks for.
func sequence(items []item, s string, at int, then func(int) int) int {
	for len(items) > 0 {
		it := &items[0]
		items = items[1:]
		switch it.kind {
		case lineStart:
			if at > 0 && s[at-1] != '\n' {
				return -1
			}
		case lineEnd:
			if at < len(s) && s[at] != '\n' {
				return -1
			}
		case ahead:
			if anyOf(it.alts, s, at, nil) >= 0 == it.none {
				return -1
			}
		case group:
			return repeat(it, 0, items, s, at, then)
		default:
			end, ok := it.run(s, at)
			if !ok {
				return -1
			}
			if len(items) == 0 && then == nil {
				return end
			}
			if it.least == it.most {
				at = end
				continue
			}
			return giveBack(it, items, s, at, end, then)
		}
	}
	if then != nil {
		return then(at)
	}
	return at
}

// run is how far the class goes, false where that is less than least times.
func (it *item) run(s string, at int) (int, bool) {
	n := 0
	for n < it.most && at < len(s) {
		if b := s[at]; b < utf8.RuneSelf {
			if it.class.low[b>>6]>>(b&63)&1 == 0 {
				break
			}
			at++
		} else {
			r, width := utf8.DecodeRuneInString(s[at:])
			if !it.class.has(r) {
				break
			}
			at += width
		}
		n++
	}
	return at, n >= it.least
}

// giveBack tries the rest after fewer and fewer repetitions.
func giveBack(it *item, rest []item, s string, from, end int, then func(int) int) int {
	first := from
	for range it.least {
		_, width := utf8.DecodeRuneInString(s[first:])
		first += width
	}
	for at := end; ; {
		if m := sequence(rest, s, at, then); m >= 0 {
			return m
		}
		if at <= first {
			return -1
		}
		_, width := utf8.DecodeLastRuneInString(s[from:at])
		at -= width
	}
}

// repeat matches a group after it matched done times.
func repeat(it *item, done int, rest []item, s string, at int, then func(int) int) int {
	if done < it.most {
		end := anyOf(it.alts, s, at, func(end int) int {
			if end == at { // an empty match repeats for ever
				return sequence(rest, s, at, then)
			}
			return repeat(it, done+1, rest, s, end, then)
		})
		if end >= 0 {
			return end
		}
	}
	if done < it.least {
		return -1
	}
	return sequence(rest, s, at, then)
}

func anyOf(alts []alternative, s string, at int, then func(int) int) int {
	for i := range alts {
		if end := sequence(alts[i].items, s, at, then); end >= 0 {
			return end
		}
	}
	return -1
}
