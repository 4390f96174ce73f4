package tokenizer

import (
	"hash/maphash"
	"math/bits"
)

// A vocabulary is the texts of tokens and their ids.
type vocabulary struct {
	texts []string // of each id
	slots []int32  // one more than the id of the text with that hash or a hash before, 0: none
	seed  maphash.Seed
}

// newVocabulary has room for n tokens whose ids are not above last.
func newVocabulary(n, last int) vocabulary {
	return vocabulary{make([]string, last+1), make([]int32, tableSize(n)), maphash.MakeSeed()}
}

// tableSize is the power of two that leaves an open-addressed table of n half empty.
func tableSize(n int) int { return 2 << bits.Len(uint(n)) }

// put gives text an id, and takes away the one that it had.
func (v *vocabulary) put(text string, id int32) {
	at := v.slot(text)
	if old := v.slots[at]; old > 0 {
		v.texts[old-1] = ""
	}
	v.slots[at] = id + 1
	v.texts[id] = text
}

// id is the token with that text.
func (v *vocabulary) id(text string) (int32, bool) {
	id := v.slots[v.slot(text)]
	return max(id-1, 0), id > 0
}

// slot is where text lies, or where it would.
func (v *vocabulary) slot(text string) int {
	last := len(v.slots) - 1
	for at := int(maphash.String(v.seed, text)) & last; ; at = (at + 1) & last {
		if id := v.slots[at] - 1; id < 0 || v.texts[id] == text {
			return at
		}
	}
}
