package tokenizer

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// word is the ids of a piece that no token crosses.
func (t *Tokenizer) word(w string) []int32 {
	if len(w) == 1 {
		if t.byteID[w[0]] < 0 {
			return nil
		}
		return t.byteIDs[w[0]][:]
	}
	slot := &t.cache[maphash.String(t.seed, w)%uint64(len(t.cache))]
	if c := slot.Load(); c != nil && c.word == w {
		return c.ids
	}
	ids := t.encodeWord(w)
	if len(w) < 256 {
		slot.Store(&cachedWord{strings.Clone(w), ids})
	}
	return ids
}

type cachedWord struct {
	word string
	ids  []int32
}

// cacheSize is the number of words whose ids are kept. A word takes the place of
// an older one with the same hash.
const cacheSize = 1 << 14

type wordCache = [cacheSize]atomic.Pointer[cachedWord]

func (t *Tokenizer) encodeWord(w string) []int32 {
	if t.ignoreMerges {
		if id, ok := t.id(w); ok {
			return []int32{id}
		}
	}
	ids := make([]int32, 0, len(w))
	for i := 0; i < len(w); i++ {
		if id := t.byteID[w[i]]; id >= 0 {
			ids = append(ids, id)
		}
	}
	if len(ids) < heapFrom {
		return t.mergeShort(ids)
	}
	return t.mergeLong(ids)
}

// heapFrom is the length from which a heap is faster than looking at every pair.
const heapFrom = 48

// mergeShort makes the merge of the lowest rank, the leftmost of equals, until
// there is none.
func (t *Tokenizer) mergeShort(ids []int32) []int32 {
	var room [heapFrom]merge
	found := room[:max(len(ids)-1, 0)]
	look := func(i int) {
		m, ok := t.merges.find(ids[i], ids[i+1])
		if !ok {
			m.rank = noMerge
		}
		found[i] = m
	}
	for i := range found {
		look(i)
	}
	for len(found) > 0 {
		best := 0
		for i := range found {
			if found[i].rank < found[best].rank {
				best = i
			}
		}
		if found[best].rank == noMerge {
			break
		}
		ids[best] = found[best].id
		ids = append(ids[:best+1], ids[best+2:]...)
		found = append(found[:best], found[best+1:]...)
		if best > 0 {
			look(best - 1)
		}
		if best < len(found) {
			look(best)
		}
	}
	return ids
}

const noMerge = 1<<31 - 1

// mergeLong is mergeShort in n log n.
func (t *Tokenizer) mergeLong(ids []int32) []int32 {
	nodes := make([]node, len(ids))
	for i, id := range ids {
		nodes[i] = node{id: id, before: int32(i) - 1, next: int32(i) + 1}
	}
	nodes[len(nodes)-1].next = -1
	q := make(mergeQueue, 0, len(ids))
	look := func(i int32) bool {
		n := &nodes[i]
		if n.next < 0 {
			n.merge = merge{}
			return false
		}
		var ok bool
		n.merge, ok = t.merges.find(n.id, nodes[n.next].id)
		return ok
	}
	for i := range nodes {
		if look(int32(i)) {
			q = append(q, place(nodes[i].rank, int32(i)))
		}
	}
	q.order()
	for len(q) > 0 {
		rank, at := q.pop()
		n := &nodes[at]
		if n.rank != rank {
			continue // of a pair that is no more
		}
		gone := &nodes[n.next]
		n.id, n.next = n.merge.id, gone.next
		gone.merge = merge{}
		if n.next >= 0 {
			nodes[n.next].before = at
		}
		if look(at) {
			q.push(place(n.rank, at))
		}
		if n.before >= 0 && look(n.before) {
			q.push(place(nodes[n.before].rank, n.before))
		}
	}
	out := ids[:0]
	for i := int32(0); i >= 0; i = nodes[i].next {
		out = append(out, nodes[i].id)
	}
	return out
}

// A node is a token of a word on its way, with its merge with the next.
type node struct {
	id, before, next int32
	merge
}
