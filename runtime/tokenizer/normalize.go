package tokenizer

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalizer reads normalizer: whether text is brought into form NFC.
func normalizer(raw json.RawMessage) (nfc bool, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		return false, nil
	}
	var n struct {
		Type  string            `json:"type"`
		Inner []json.RawMessage `json:"normalizers"`
	}
	if err := json.Unmarshal(raw, &n); err != nil {
		return false, fmt.Errorf("normalizer: %w", err)
	}
	switch n.Type {
	case "NFC":
		return true, nil
	case "Sequence":
		for _, inner := range n.Inner {
			is, err := normalizer(inner)
			if err != nil {
				return false, err
			}
			nfc = nfc || is
		}
		return nfc, nil
	}
	return false, fmt.Errorf("normalizer: type %q is not known; known are NFC and Sequence", n.Type)
}

// normal is s in form NFC, and for each of its bytes the code point of s it
// comes from, counted from first; nil where s has that form already. A composed
// character comes from the first of those that it replaces, and one that is
// decomposed gives all its parts its own place, as in the tokenizers library.
func normal(s string, first int) (string, []span) {
	if norm.NFC.IsNormalString(s) {
		return s, nil
	}
	c := composer{next: first}
	for _, m := range decompose(s) {
		c.add(m)
	}
	c.flush()
	return string(c.out), c.from
}

// A mark is a character on its way through normalization. grown counts the
// characters that it stands for beyond the one it replaces: 1 where a
// decomposition added it, negative where it took others in.
type mark struct {
	r     rune
	ccc   uint8 // canonical combining class
	grown int
}

// decompose is s in form NFD.
func decompose(s string) []mark {
	var out []mark
	pending := 0 // where the marks begin that are still to be put in order
	for i, r := range s {
		parts := norm.NFD.PropertiesString(s[i:]).Decomposition()
		if len(parts) == 0 {
			parts = utf8.AppendRune(nil, r)
		}
		for grown := 0; len(parts) > 0; grown = 1 {
			r, width := utf8.DecodeRune(parts)
			m := mark{r, norm.NFD.Properties(parts).CCC(), grown}
			if m.ccc == 0 {
				order(out[pending:])
				pending = len(out) + 1
			}
			out = append(out, m)
			parts = parts[width:]
		}
	}
	order(out[min(pending, len(out)):])
	return out
}

func order(marks []mark) {
	slices.SortStableFunc(marks, func(a, b mark) int { return int(a.ccc) - int(b.ccc) })
}

// A composer puts characters together again (Unicode 16, section 3.11).
type composer struct {
	starter *mark
	waiting []mark // after the starter, not composed with it
	last    int    // combining class of the last that waits, -1: none does

	out  []byte
	from []span
	next int // code point of the text that is to be replaced
}

func (c *composer) add(m mark) {
	if c.starter == nil {
		if m.ccc != 0 {
			c.emit(m)
			return
		}
		c.starter, c.last = &m, -1
		return
	}
	if c.last < int(m.ccc) {
		pair := string(c.starter.r) + string(m.r)
		if one, width := utf8.DecodeRuneInString(norm.NFC.String(pair)); width == len(norm.NFC.String(pair)) {
			c.starter.r, c.starter.grown = one, c.starter.grown+m.grown-1
			return
		}
	}
	if m.ccc == 0 {
		c.flush()
		c.starter, c.last = &m, -1
		return
	}
	c.waiting = append(c.waiting, m)
	c.last = int(m.ccc)
}

func (c *composer) flush() {
	if c.starter != nil {
		c.emit(*c.starter)
	}
	for _, m := range c.waiting {
		c.emit(m)
	}
	c.starter, c.waiting = nil, c.waiting[:0]
}

func (c *composer) emit(m mark) {
	at := c.next
	if m.grown > 0 {
		at--
	} else {
		c.next += 1 - m.grown
	}
	c.out = utf8.AppendRune(c.out, m.r)
	for range utf8.RuneLen(m.r) {
		c.from = append(c.from, span{at, at + 1})
	}
}
