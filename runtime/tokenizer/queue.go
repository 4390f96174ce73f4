package tokenizer

// A mergeQueue is a heap of ranks and places, the lowest first. It is not
// container/heap, which allocates at every step.
type mergeQueue []uint64

// place is an entry: a rank before a place, so that equal ranks go from the left.
func place(rank, at int32) uint64 { return uint64(rank)<<32 | uint64(at) }

// order makes a heap of any list.
func (q mergeQueue) order() {
	for i := len(q)/2 - 1; i >= 0; i-- {
		q.sink(i)
	}
}

func (q *mergeQueue) push(e uint64) {
	*q = append(*q, e)
	h := *q
	i := len(h) - 1
	for ; i > 0 && h[(i-1)/2] > e; i = (i - 1) / 2 {
		h[i] = h[(i-1)/2]
	}
	h[i] = e
}

func (q *mergeQueue) pop() (rank, at int32) {
	h := *q
	first, last := h[0], len(h)-1
	h[0] = h[last]
	*q = h[:last]
	q.sink(0)
	return int32(first >> 32), int32(uint32(first))
}

func (q mergeQueue) sink(i int) {
	if i >= len(q) {
		return
	}
	e := q[i]
	for {
		child := 2*i + 1
		if child >= len(q) {
			break
		}
		if child+1 < len(q) && q[child+1] < q[child] {
			child++
		}
		if q[child] >= e {
			break
		}
		q[i] = q[child]
		i = child
	}
	q[i] = e
}
