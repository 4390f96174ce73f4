package tokenizer

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A pattern is a regular expression in the dialect of tokenizer.json
// (Oniguruma's Ruby syntax), as far as tokenizers use it: classes, quantifiers,
// alternatives, groups, lookahead and line anchors. Go's regexp has no
// lookahead, prefers other alternatives and knows another Unicode.
type pattern struct {
	text string
	alts []alternative
}

// An alternative is a sequence of items. starts is what it can start with, nil
// where that is anything, and in groups.
type alternative struct {
	items  []item
	starts *class
}

type itemKind int8

const (
	oneOf itemKind = iota // of a class, from least to most times
	group                 // one of alts, from least to most times
	ahead                 // one of alts follows, or none of them does
	lineStart
	lineEnd
)

type item struct {
	kind        itemKind
	class       *class
	least, most int
	alts        []alternative
	none        bool // of ahead: none of alts may follow
}

func compile(text string) (*pattern, error) {
	p := &patternParser{in: []rune(text)}
	alts, err := p.alternatives(false)
	if err == nil && p.at < len(p.in) {
		err = fmt.Errorf("unmatched )")
	}
	if err != nil {
		return nil, fmt.Errorf("pattern %q at character %d: %w", text, p.at, err)
	}
	for i := range alts {
		alts[i].starts = starts(alts[i].items)
	}
	return &pattern{text, alts}, nil
}

type patternParser struct {
	in    []rune
	at    int
	depth int
}

func (p *patternParser) peek(s string) bool {
	return strings.HasPrefix(string(p.in[p.at:min(len(p.in), p.at+len(s))]), s)
}

func (p *patternParser) take(s string) bool {
	if !p.peek(s) {
		return false
	}
	p.at += len([]rune(s))
	return true
}

func (p *patternParser) alternatives(fold bool) ([]alternative, error) {
	if p.depth++; p.depth > 50 {
		return nil, fmt.Errorf("groups nested more than 50 deep")
	}
	defer func() { p.depth-- }()
	var alts []alternative
	for {
		items, err := p.sequence(fold)
		if err != nil {
			return nil, err
		}
		alts = append(alts, alternative{items: items})
		if !p.take("|") {
			return alts, nil
		}
	}
}

func (p *patternParser) sequence(fold bool) ([]item, error) {
	var items []item
	for p.at < len(p.in) && p.in[p.at] != '|' && p.in[p.at] != ')' {
		it, err := p.item(fold)
		if err != nil {
			return nil, err
		}
		if it.kind == oneOf || it.kind == group {
			if err := p.quantifier(&it); err != nil {
				return nil, err
			}
		}
		items = append(items, it)
	}
	return items, nil
}

func (p *patternParser) item(fold bool) (item, error) {
	for _, g := range []struct {
		open string
		item item
		fold bool
	}{
		{"(?:", item{kind: group}, fold}, {"(?i:", item{kind: group}, true}, {"(?!", item{kind: ahead, none: true}, fold}, {"(?=", item{kind: ahead}, fold},
	} {
		if !p.take(g.open) {
			continue
		}
		alts, err := p.alternatives(g.fold)
		if err != nil {
			return item{}, err
		}
		if !p.take(")") {
			return item{}, fmt.Errorf("expected )")
		}
		g.item.alts = alts
		return g.item, nil
	}
	switch c := p.in[p.at]; c {
	case '(':
		if p.peek("(?") {
			return item{}, fmt.Errorf("this kind of group is not known")
		}
		p.at++
		alts, err := p.alternatives(fold)
		if err == nil && !p.take(")") {
			err = fmt.Errorf("expected )")
		}
		return item{kind: group, alts: alts}, err
	case '^':
		p.at++
		return item{kind: lineStart}, nil
	case '$':
		p.at++
		return item{kind: lineEnd}, nil
	case '.':
		p.at++
		return item{kind: oneOf, class: newClass(negate([]rune{'\n', '\n'}))}, nil
	case '[':
		p.at++
		pairs, err := p.set(fold)
		return item{kind: oneOf, class: newClass(pairs)}, err
	case '*', '+', '?', '{':
		return item{}, fmt.Errorf("nothing before %c to repeat", c)
	}
	pairs, err := p.char()
	if fold {
		pairs = folded(pairs)
	}
	return item{kind: oneOf, class: newClass(pairs)}, err
}

// char is one character or an escape, as pairs.
func (p *patternParser) char() ([]rune, error) {
	c := p.in[p.at]
	p.at++
	if c != '\\' {
		return []rune{c, c}, nil
	}
	if p.at == len(p.in) {
		return nil, fmt.Errorf("nothing after \\")
	}
	c = p.in[p.at]
	p.at++
	switch c {
	case 'r':
		return []rune{'\r', '\r'}, nil
	case 'n':
		return []rune{'\n', '\n'}, nil
	case 't':
		return []rune{'\t', '\t'}, nil
	case 's':
		return slices.Clone(spaces), nil
	case 'S':
		return negate(slices.Clone(spaces)), nil
	case 'p', 'P':
		end := slices.Index(p.in[p.at:], '}')
		if end < 1 || p.in[p.at] != '{' {
			return nil, fmt.Errorf("expected {class} after \\%c", c)
		}
		name, not := strings.CutPrefix(string(p.in[p.at+1:p.at+end]), "^")
		pairs, ok := named[name]
		if !ok {
			return nil, fmt.Errorf("class \\%c{%s} is not known; known are %s", c, name, strings.Join(slices.Sorted(maps.Keys(named)), ", "))
		}
		p.at += end + 1
		pairs = slices.Clone(pairs)
		if not != (c == 'P') {
			pairs = negate(pairs)
		}
		return pairs, nil
	}
	if c < 128 && (unicode.IsLetter(c) || unicode.IsDigit(c)) {
		return nil, fmt.Errorf("escape \\%c is not known", c)
	}
	return []rune{c, c}, nil
}

// set is what stands between [ and ].
func (p *patternParser) set(fold bool) ([]rune, error) {
	if p.depth++; p.depth > 50 {
		return nil, fmt.Errorf("classes nested more than 50 deep")
	}
	defer func() { p.depth-- }()
	not := p.take("^")
	pairs, err := p.setMembers(fold)
	if fold {
		pairs = folded(pairs)
	}
	if not {
		pairs = negate(pairs)
	}
	return pairs, err
}

// setMembers is the union of what stands before the next ] or &&, and what it has
// in common with what follows &&.
func (p *patternParser) setMembers(fold bool) ([]rune, error) {
	var pairs []rune
	for first := true; ; first = false {
		switch {
		case p.at >= len(p.in):
			return nil, fmt.Errorf("expected ]")
		case first && (p.peek("]") || p.peek("&&")):
			return nil, fmt.Errorf("empty class")
		case p.take("]"):
			return pairs, nil
		case p.take("&&"):
			others, err := p.setMembers(fold)
			return both(pairs, others), err
		case p.take("["):
			inner, err := p.set(fold)
			if err != nil {
				return nil, err
			}
			pairs = append(pairs, inner...)
			continue
		}
		from, err := p.char()
		if err != nil {
			return nil, err
		}
		single := len(from) == 2 && from[0] == from[1]
		if !single || !p.peek("-") || p.at+1 >= len(p.in) || p.in[p.at+1] == ']' {
			pairs = append(pairs, from...)
			continue
		}
		p.at++
		to, err := p.char()
		if err != nil {
			return nil, err
		}
		if len(to) != 2 || to[0] != to[1] || to[0] < from[0] {
			return nil, fmt.Errorf("a range that ends before it begins")
		}
		pairs = append(pairs, from[0], to[0])
	}
}

func (p *patternParser) quantifier(it *item) error {
	it.least, it.most = 1, 1
	switch {
	case p.take("?"):
		it.least = 0
	case p.take("*"):
		it.least, it.most = 0, math.MaxInt
	case p.take("+"):
		it.most = math.MaxInt
	case p.peek("{"):
		end := slices.Index(p.in[p.at:], '}')
		if end < 0 {
			return fmt.Errorf("expected }")
		}
		low, high, two := strings.Cut(string(p.in[p.at+1:p.at+end]), ",")
		var err error
		if it.least, err = strconv.Atoi(low); err != nil || it.least < 0 {
			return fmt.Errorf("expected a count after {")
		}
		it.most = it.least
		if two {
			it.most = math.MaxInt
			if high != "" {
				if it.most, err = strconv.Atoi(high); err != nil || it.most < it.least {
					return fmt.Errorf("expected a count after the comma")
				}
			}
		}
		p.at += end + 1
	default:
		return nil
	}
	if p.peek("?") || p.peek("+") || p.peek("*") || p.peek("{") {
		return fmt.Errorf("lazy, possessive and doubled quantifiers are not known")
	}
	return nil
}

// folded adds the other cases of every character.
func folded(pairs []rune) []rune {
	out := slices.Clone(pairs)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1]-pairs[i] > 0x1000 {
			continue
		}
		for r := pairs[i]; r <= pairs[i+1]; r++ {
			for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
				out = append(out, other, other)
			}
		}
	}
	return out
}

// starts is the union of the classes that can come first, nil where a match
// can be empty or start with something else than a class.
func starts(items []item) *class {
	var all *class
	for _, it := range items {
		if it.kind != oneOf {
			return nil
		}
		if all == nil {
			all = it.class
		} else {
			all = union(all, it.class)
		}
		if it.least > 0 {
			return all
		}
	}
	return nil
}

func union(a, b *class) *class {
	c := &class{}
	seen := map[[4]uint64]uint16{}
	for page := range c.page {
		x, y := a.bits[a.page[page]], b.bits[b.page[page]]
		for i := range x {
			x[i] |= y[i]
		}
		n, ok := seen[x]
		if !ok {
			n = uint16(len(c.bits))
			seen[x] = n
			c.bits = append(c.bits, x)
		}
		c.page[page] = n
	}
	c.low = c.bits[c.page[0]]
	return c
}
