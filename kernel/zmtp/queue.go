package zmtp

import (
	"sync"
	"time"
)

// A queue holds what waits to be written to one peer.
type queue struct {
	mu       sync.Mutex
	ready    sync.Cond // there is something to write, or the queue is closed
	items    []item
	bytes    int
	limit    int
	closed   bool
	progress time.Time     // of the latest write, or of the first item after a pause
	space    chan struct{} // a token after each write, for one who waits for room
}

type item struct {
	flags  byte // flagCommand, or 0
	frames [][]byte
	bytes  int
}

func newQueue(limit int) *queue {
	q := &queue{limit: limit, space: make(chan struct{}, 1)}
	q.ready.L = &q.mu
	return q
}

func newItem(flags byte, frames [][]byte) item {
	it := item{flags: flags, frames: frames, bytes: 64}
	for _, f := range frames {
		it.bytes += len(f) + 32
	}
	return it
}

// push adds an item. It says false where there is no room; an empty queue takes
// an item of any size. A closed queue swallows everything.
func (q *queue) push(it item) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return true
	}
	if len(q.items) > 0 && q.bytes+it.bytes > q.limit {
		return false
	}
	if len(q.items) == 0 {
		q.progress = time.Now()
	}
	q.items = append(q.items, it)
	q.bytes += it.bytes
	q.ready.Signal()
	return true
}

// front waits for the oldest item, which stays in the queue until it is done.
func (q *queue) front() (it item, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 && !q.closed {
		q.ready.Wait()
	}
	if q.closed {
		return item{}, false
	}
	return q.items[0], true
}

// last says whether the oldest item is the only one.
func (q *queue) last() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items) <= 1
}

// done removes the oldest item.
func (q *queue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) > 0 {
		q.bytes -= q.items[0].bytes
		q.items[0] = item{}
		q.items = q.items[1:]
		if len(q.items) == 0 {
			q.items = nil
		}
	}
	q.progress = time.Now()
	select {
	case q.space <- struct{}{}:
	default:
	}
}

func (q *queue) state() (items int, quiet time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return 0, 0
	}
	return len(q.items), time.Since(q.progress)
}

func (q *queue) halfFree() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items) == 0 || q.bytes <= q.limit/2
}

// touch notes that bytes of the oldest item went out.
func (q *queue) touch() {
	q.mu.Lock()
	q.progress = time.Now()
	q.mu.Unlock()
}

func (q *queue) close() {
	q.mu.Lock()
	q.closed, q.items, q.bytes = true, nil, 0
	q.ready.Broadcast()
	q.mu.Unlock()
	select {
	case q.space <- struct{}{}:
	default:
	}
}
