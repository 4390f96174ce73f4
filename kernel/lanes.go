package kernel

import (
	"crypto/rand"
	"encoding/hex"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/gonterp/gonterp/kernel/message"
)

// Lanes are the queues of cells, and of comms' messages between them: the main
// shell's, and one for each subshell. Lanes do not wait for each other, and an error
// empties only its own lane.
type lanes struct {
	kernel *kernel

	mu   sync.Mutex
	byID map[string]*lane
}

type lane struct {
	queue   []*request
	active  bool          // a goroutine is working the queue off
	pending int           // queued or at work
	calm    chan struct{} // closed when pending falls to 0; nil without a waiter
}

func newLanes(k *kernel) *lanes {
	return &lanes{kernel: k, byID: map[string]*lane{"": {}}}
}

// push queues a request in the lane of its subshell.
func (l *lanes) push(r *request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	to := l.byID[r.Header.Subshell]
	if to == nil {
		go l.kernel.answer(r, func() { l.noLane(r) })
		return
	}
	to.queue = append(to.queue, r)
	to.pending++
	if !to.active {
		to.active = true
		go l.work(to)
	}
}

// noLane answers a cell of a subshell that is not there.
func (l *lanes) noLane(r *request) {
	if r.Header.Type == "execute_request" {
		l.kernel.reply(r, "execute_reply", message.Fail("unknown subshell", "there is no subshell "+r.Header.Subshell))
	}
}

// work serves a lane until its queue is empty.
func (l *lanes) work(from *lane) {
	for {
		l.mu.Lock()
		if len(from.queue) == 0 {
			from.active, from.queue = false, nil
			l.mu.Unlock()
			return
		}
		r := from.queue[0]
		from.queue = from.queue[1:]
		l.mu.Unlock()

		if r.Header.Type == "execute_request" {
			l.kernel.execute(r, from)
		} else {
			l.kernel.comm(r)
		}
		l.settle(from, 1)
	}
}

// take removes the cells from a lane's queue.
func (l *lanes) take(from *lane) []*request {
	l.mu.Lock()
	defer l.mu.Unlock()
	var cells, rest []*request
	for _, r := range from.queue {
		if r.Header.Type == "execute_request" {
			cells = append(cells, r)
		} else {
			rest = append(rest, r)
		}
	}
	from.queue = rest
	return cells
}

// settle counts requests that are done with.
func (l *lanes) settle(of *lane, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	of.pending -= n
	if of.pending == 0 && of.calm != nil {
		close(of.calm)
		of.calm = nil
	}
}

// settled waits until no cell of a shell is queued or at work, for at most limit.
func (l *lanes) settled(id string, limit time.Duration) {
	l.mu.Lock()
	of := l.byID[id]
	if of == nil || of.pending == 0 {
		l.mu.Unlock()
		return
	}
	if of.calm == nil {
		of.calm = make(chan struct{})
	}
	calm := of.calm
	l.mu.Unlock()
	select {
	case <-calm:
	case <-time.After(limit):
	}
}

func (l *lanes) create() string {
	b := make([]byte, 16)
	rand.Read(b)
	id := hex.EncodeToString(b)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.byID[id] = &lane{}
	return id
}

// remove closes a subshell. Cells that wait in it are answered, and it says false
// where there is no such subshell.
func (l *lanes) remove(id string) bool {
	l.mu.Lock()
	of := l.byID[id]
	if id == "" || of == nil {
		l.mu.Unlock()
		return false
	}
	delete(l.byID, id)
	l.mu.Unlock()
	cells := l.take(of)
	for _, r := range cells {
		l.kernel.answer(r, func() { l.noLane(r) })
	}
	l.settle(of, len(cells))
	return true
}

// list gives the ids of the subshells.
func (l *lanes) list() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	ids := slices.Sorted(maps.Keys(l.byID))
	return slices.DeleteFunc(append([]string{}, ids...), func(id string) bool { return id == "" })
}
