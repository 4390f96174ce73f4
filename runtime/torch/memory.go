package torch

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A thread is what this package keeps for an OS thread that called it.
type thread struct {
	arena *Arena
	mode  uint64 // 1 while recording
}

var (
	threads  = map[uintptr]*thread{}
	lastID   uintptr
	lastSeen *thread
)

func callingThread() *thread {
	id := threadPointer()
	if id == lastID && lastSeen != nil {
		return lastSeen
	}
	th := threads[id]
	if th == nil {
		th = &thread{}
		threads[id] = th
	}
	lastID, lastSeen = id, th
	return th
}

// An Arena owns the results of the ops that its thread runs while it is current,
// and frees them when told, not when Go's collector finds out.
type Arena struct{ ts []*Tensor }

// NewArena is an empty arena, not yet current.
func NewArena() *Arena { return &Arena{} }

// Swap makes a the arena of the calling OS thread and returns the one before.
// With nil, results belong to the user: they live while a variable holds them.
func Swap(a *Arena) (old *Arena) {
	mu.Lock()
	defer mu.Unlock()
	th := callingThread()
	old, th.arena = th.arena, a
	return old
}

// Mark is the place that Release goes back to.
func (a *Arena) Mark() int { return len(a.ts) }

// Release frees what came into the arena after mark, except keep, which stays.
func (a *Arena) Release(mark int, keep ...*Tensor) {
	begin()
	w := mark
next:
	for _, t := range a.ts[mark:] {
		for _, k := range keep {
			if k == t {
				a.ts[w] = t
				w++
				continue next
			}
		}
		free(t.h)
		t.h = 0
		inArenas.count--
		inArenas.bytes -= t.bytes
	}
	clear(a.ts[w:])
	a.ts = a.ts[:w]
	flushFrees()
	mu.Unlock()
}

// Free frees everything in the arena.
func (a *Arena) Free() { a.Release(0) }

// Own is a second handle of the same values that belongs to the user whatever
// arena t is in.
func (t *Tensor) Own() *Tensor {
	begin()
	r := giveUser(t.second("Own"))
	r.origin = t.origin
	mu.Unlock()
	return r
}

// second is another handle of t's values, nobody's yet; the lock is held.
func (t *Tensor) second(op string) *Tensor {
	t.alive(op)
	h := slot()
	add(fn.newHandle, uint64(t.h), ptr(h))
	if text, ok := run(); !ok {
		fail(op, []arg{tensor(t)}, text)
	}
	r := &Tensor{h: uintptr(*h), dtype: t.dtype, device: t.device, owner: t.owner}
	r.setShape(t.shape)
	return r
}

func (t *Tensor) setShape(shape []int) {
	t.shape = append(t.few[:0:len(t.few)], shape...)
}

type tally struct{ count, bytes int64 }

// All are guarded by mu.
var (
	byUser   tally
	inArenas tally
	since    int64 // bytes given to the user since the last collection
)

// adopt gives a new tensor its owner: the thread's arena, or the user. A view
// has no bytes of its own.
func (th *thread) adopt(t *Tensor, view bool) *Tensor {
	if !view && t.owner == nil && !t.device.IsMeta() {
		t.bytes = int64(t.Nbytes())
	}
	if th.arena != nil {
		th.arena.ts = append(th.arena.ts, t)
		inArenas.count++
		inArenas.bytes += t.bytes
		return t
	}
	return giveUser(t)
}

// giveUser leaves t to Go's collector.
func giveUser(t *Tensor) *Tensor {
	byUser.count++
	byUser.bytes += t.bytes
	since += t.bytes
	runtime.AddCleanup(t, bury, dead{t.h, t.bytes})
	return t
}

// The queue of handles whose tensors Go's collector found unreachable. They are
// deleted at the next op: deleting may run C++ that belongs on a calling thread.
var (
	queueMu sync.Mutex
	queue   []dead
	spare   []dead
	queued  atomic.Int64
)

type dead struct {
	h     uintptr
	bytes int64
}

func bury(d dead) {
	queueMu.Lock()
	queue = append(queue, d)
	queueMu.Unlock()
	queued.Add(1)
}

// drain deletes what is in the queue; mu is held and no program is being written.
func drain() {
	queueMu.Lock()
	q := queue
	queue = spare[:0]
	queueMu.Unlock()
	queued.Add(-int64(len(q)))
	for _, d := range q {
		byUser.count--
		byUser.bytes -= d.bytes
		free(d.h)
	}
	flushFrees()
	spare = q[:0]
}

func free(h uintptr) {
	if h == 0 {
		return
	}
	if n == maxCalls {
		flushFrees()
	}
	add(fn.del, uint64(h))
}

func flushFrees() {
	if n > 0 {
		run()
	}
}

// LiveTensors counts the tensors not yet freed, the user's and the arenas', and
// the bytes of their elements.
func LiveTensors() (count int, bytes int64) {
	begin()
	defer mu.Unlock()
	return int(byUser.count + inArenas.count), byUser.bytes + inArenas.bytes
}

// Collect runs Go's collector and frees every tensor that no variable holds.
func Collect() {
	sweep()
	begin()
	since = 0
	mu.Unlock()
}

// sweep waits until the cleanups that a collection found have run: those of one
// collection are queued before it ends, and a last one tells that they were served.
func sweep() {
	runtime.GC()
	done := make(chan struct{})
	s := new(sentinel)
	runtime.AddCleanup(s, func(c chan struct{}) { close(c) }, done)
	s = nil
	runtime.GC()
	select {
	case <-done:
	case <-time.After(100 * time.Millisecond):
	}
}

// A sentinel holds a pointer so that it is not packed with other small objects.
type sentinel struct{ _ *int }

// limit is how many bytes the user's tensors may grow by between collections.
var limit = sync.OnceValue(func() int64 {
	const least = 256 << 20
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return least
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "MemTotal:" {
			kB, _ := strconv.ParseInt(f[1], 10, 64)
			return max(least, kB<<10/16)
		}
	}
	return least
})
