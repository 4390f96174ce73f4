package tokenizer

import (
	"hash/maphash"
	"math/bits"
)

// A vocabulary is the texts of tokens and their ids.
type vocabulary struct {
	texts []string // of each id
	slots []slot   // at the hash of a text or after it
	seed  maphash.Seed
}

// A slot is the half of a hash and one more than the id that belongs to it, 0: none.
// Most texts that are not the one looked for differ in the hash, and need not be
// fetched.
type slot struct {
	hash uint32
	next int32
}

// addedRoom is how many added tokens come at no cost.
const addedRoom = 1024

// newVocabulary has room for n tokens whose ids are not above last.
func newVocabulary(n, last int) vocabulary {
	return vocabulary{make([]string, last+1, last+1+addedRoom), make([]slot, tableSize(n)), maphash.MakeSeed()}
}

// tableSize is the power of two that leaves an open-addressed table of n half empty.
func tableSize(n int) int { return 2 << bits.Len(uint(n)) }

// put gives text an id, and takes away the one that it had.
func (v *vocabulary) put(text string, id int32) {
	s, hash := v.slot(text)
	if s.next > 0 {
		v.texts[s.next-1] = ""
	}
	*s = slot{hash, id + 1}
	v.texts[id] = text
}

// id is the token with that text.
func (v *vocabulary) id(text string) (int32, bool) {
	s, _ := v.slot(text)
	return max(s.next-1, 0), s.next > 0
}

// slot is where text lies, or where it would.
func (v *vocabulary) slot(text string) (*slot, uint32) {
	full := maphash.String(v.seed, text)
	last, hash := uint64(len(v.slots)-1), uint32(full>>32)
	for at := full & last; ; at = (at + 1) & last {
		if s := &v.slots[at]; s.next == 0 || s.hash == hash && v.texts[s.next-1] == text {
			return s, hash
		}
	}
}
