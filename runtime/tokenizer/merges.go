package tokenizer

import "math/bits"

// merges finds the merge of a pair of ids, in an open-addressed table.
type merges struct {
	slots []mergeSlot
	shift uint8
}

type mergeSlot struct {
	pair uint64
	merge
}

// A merge makes id of two tokens. The lowest rank comes first; ranks begin at 1,
// and 0 is a slot without a merge.
type merge struct{ rank, id int32 }

// newMerges has room for n merges.
func newMerges(n int) merges {
	size := tableSize(n)
	return merges{make([]mergeSlot, size), uint8(64 - bits.TrailingZeros(uint(size)))}
}

// slot is where the merge of a pair lies, or where it would.
func (m *merges) slot(pair uint64) *mergeSlot {
	// The golden ratio spreads neighbouring ids over the table.
	for at := pair * 0x9e3779b97f4a7c15 >> m.shift; ; at = (at + 1) & uint64(len(m.slots)-1) {
		if s := &m.slots[at]; s.rank == 0 || s.pair == pair {
			return s
		}
	}
}

func pair(left, right int32) uint64 { return uint64(uint32(left))<<32 | uint64(uint32(right)) }

// put lets left and right merge.
func (m *merges) put(left, right int32, new merge) {
	p := pair(left, right)
	*m.slot(p) = mergeSlot{p, new}
}

// find is the merge of left and right.
func (m *merges) find(left, right int32) (merge, bool) {
	found := m.slot(pair(left, right)).merge
	return found, found.rank > 0
}
