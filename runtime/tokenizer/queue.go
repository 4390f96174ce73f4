package tokenizer

import "slices"

// A mergeQueue is a heap of ranks and places, the lowest first. It is not
// container/heap, which allocates at every step.
type mergeQueue []uint64

// place is an entry: a rank before a place, so that equal ranks go from the left.
func place(rank, at int32) uint64 { return uint64(rank)<<32 | uint64(at) }

// order makes a heap of any list: a sorted one is.
func (q mergeQueue) order() { slices.Sort(q) }

func (q *mergeQueue) push(e uint64) {
	*q = append(*q, e)
	q.rise(len(*q)-1, e)
}

func (q *mergeQueue) pop() (rank, at int32) {
	h := *q
	first, last := h[0], len(h)-1
	e := h[last]
	h = h[:last]
	*q = h
	if last > 0 {
		// The last entry nearly always belongs at the bottom again, so the hole goes
		// there without asking and the entry rises from it.
		h.rise(h.hole(0), e)
	}
	return int32(first >> 32), int32(uint32(first))
}

// hole moves the lower child up, from i to the bottom, and is where it ends.
func (q mergeQueue) hole(i int) int {
	for {
		child := 2*i + 1
		if child+1 >= len(q) {
			if child < len(q) {
				q[i] = q[child]
				i = child
			}
			return i
		}
		left, right := q[child], q[child+1]
		if right < left {
			child++
		}
		q[i] = min(left, right)
		i = child
	}
}

// rise puts e at i or above.
func (q mergeQueue) rise(i int, e uint64) {
	for ; i > 0 && q[(i-1)/2] > e; i = (i - 1) / 2 {
		q[i] = q[(i-1)/2]
	}
	q[i] = e
}
