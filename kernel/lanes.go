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

// Lanes are the queues of cells: the main shell's, and one for each subshell. A
// session runs one cell at a time, so a cell of one lane may wait for another
// lane's; an error empties only its own lane.
type lanes struct {
	kernel *kernel
	turn   sync.Mutex // held by the cell at work

	mu      sync.Mutex
	byID    map[string]*lane
	pending int           // cells queued or at work, all lanes
	calm    chan struct{} // closed when pending falls to 0; nil without a waiter
}

type lane struct {
	queue  []*request
	active bool // a goroutine is working the queue off
}

// push queues a cell in the lane of its subshell.
func (l *lanes) push(r *request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID == nil {
		l.byID = map[string]*lane{"": {}}
	}
	to := l.byID[r.Header.Subshell]
	if to == nil {
		go l.kernel.answer(r, func() {
			l.kernel.reply(r, "execute_reply", message.Fail("unknown subshell", "there is no subshell "+r.Header.Subshell))
		})
		return
	}
	to.queue = append(to.queue, r)
	l.pending++
	if !to.active {
		to.active = true
		go l.work(to)
	}
}

// work runs the cells of a lane until its queue is empty.
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

		l.turn.Lock()
		l.kernel.execute(r, func() []*request { return l.take(from) })
		l.turn.Unlock()
		l.settle(1)
	}
}

// take empties a lane's queue.
func (l *lanes) take(from *lane) []*request {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := from.queue
	from.queue = nil
	return q
}

// settle counts cells that are done with.
func (l *lanes) settle(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending -= n
	if l.pending == 0 && l.calm != nil {
		close(l.calm)
		l.calm = nil
	}
}

// settled waits until no cell is queued or at work, for at most limit.
func (l *lanes) settled(limit time.Duration) {
	l.mu.Lock()
	if l.pending == 0 {
		l.mu.Unlock()
		return
	}
	if l.calm == nil {
		l.calm = make(chan struct{})
	}
	calm := l.calm
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
	if l.byID == nil {
		l.byID = map[string]*lane{"": {}}
	}
	l.byID[id] = &lane{}
	return id
}

func (l *lanes) remove(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.byID[id]; id == "" || !ok {
		return false
	}
	delete(l.byID, id)
	return true
}

func (l *lanes) list() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	ids := slices.Sorted(maps.Keys(l.byID))
	return slices.DeleteFunc(append([]string{}, ids...), func(id string) bool { return id == "" })
}
