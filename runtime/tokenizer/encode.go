package tokenizer

import "unicode/utf8"

// An encoder makes one Encoding.
type encoder struct {
	Encoding
	t      *Tokenizer
	runeAt []int32 // of each byte of the text, its code point; nil where they are the same

	outer, inner  []section
	pieces, other []span
}

// runes finds where the code points of text begin.
func (e *encoder) runes(text string) {
	if utf8.RuneCountInString(text) == len(text) {
		return
	}
	e.runeAt = make([]int32, len(text))
	n := int32(-1)
	for i := range len(text) {
		if utf8.RuneStart(text[i]) {
			n++
		}
		e.runeAt[i] = n
	}
}

func (e *encoder) runeOf(at int) int {
	if e.runeAt == nil {
		return at
	}
	return int(e.runeAt[at])
}

func (e *encoder) text(text string) {
	room := len(text)/4 + 2
	e.IDs, e.Offsets = make([]int, 0, room), make([][2]int, 0, room)
	e.outer = e.t.raw.sections(text, nil)
	for _, s := range e.outer {
		if s.token != nil {
			e.push(s.token.ID, e.runeOf(s.from), e.runeOf(s.to-1)+1)
			continue
		}
		piece := text[s.from:s.to]
		if e.t.nfc {
			if changed, from := normal(piece, e.runeOf(s.from)); from != nil {
				e.normalized(changed, 0, from)
				continue
			}
		}
		e.normalized(piece, s.from, nil)
	}
}

// normalized encodes s, whose bytes come from the text's bytes at begin on, or
// from the code points in from.
func (e *encoder) normalized(s string, begin int, from []span) {
	e.inner = e.t.normal.sections(s, e.inner[:0])
	place := func(i, j int) (int, int) {
		if from != nil {
			return from[i].from, from[j-1].to
		}
		return e.runeOf(begin + i), e.runeOf(begin+j-1) + 1
	}
	for _, part := range e.inner {
		if part.token != nil {
			a, b := place(part.from, part.to)
			e.push(part.token.ID, a, b)
			continue
		}
		e.pieces = append(e.pieces[:0], part.span)
		for _, sp := range e.t.splitters {
			e.other = e.other[:0]
			for _, p := range e.pieces {
				e.other = sp.split(s, p, e.other)
			}
			e.pieces, e.other = e.other, e.pieces
		}
		for _, p := range e.pieces {
			at := p.from
			for _, id := range e.t.word(s[p.from:p.to]) {
				end := min(at+len(e.t.texts[id]), p.to)
				a, b := place(at, end)
				e.push(int(id), a, b)
				at = end
			}
		}
	}
}

func (e *encoder) push(id, from, to int) {
	e.IDs = append(e.IDs, id)
	e.Offsets = append(e.Offsets, [2]int{from, to})
}

// around puts special tokens before and after.
func (e *encoder) around(before, after []int) {
	if len(before)+len(after) == 0 {
		return
	}
	ids := make([]int, 0, len(before)+len(e.IDs)+len(after))
	ids = append(append(append(ids, before...), e.IDs...), after...)
	offsets := make([][2]int, len(ids))
	copy(offsets[len(before):], e.Offsets)
	e.IDs, e.Offsets = ids, offsets
}

// trimOffsets leaves out the spaces at the ends of each token, as the ByteLevel
// post-processor does.
func (e *encoder) trimOffsets() {
	for i, id := range e.IDs {
		s, o := e.t.texts[id], &e.Offsets[i]
		before, after := 0, 0
		for before < len(s) && s[before] == ' ' {
			before++
		}
		for after < len(s) && s[len(s)-1-after] == ' ' {
			after++
		}
		if before == 1 && e.t.trimKeep && (i == 0 || o[0] == 0) {
			before = 0
		}
		o[0] = min(o[0]+before, o[1])
		if after > 0 && o[1] >= after {
			o[1] = max(o[1]-after, o[0])
		}
	}
}
