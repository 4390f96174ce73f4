package gonterp

import (
	"fmt"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/gonterp/gonterp/runtime/trace"
)

// threads counts the open passes of each OS thread. A goroutine is locked to its
// thread while it has one: the forward is a coroutine of it, and switching to a
// coroutine under another number of locks is fatal, so there is exactly one lock.
var threads = struct {
	sync.Mutex
	open    map[int][]*openPass
	waiting map[int]*core // what a thread waits for
}{open: map[int][]*openPass{}, waiting: map[int]*core{}}

// lockThread locks the goroutine to its thread, once however many passes it opens, and
// says which thread that is.
func lockThread() int {
	runtime.LockOSThread()
	id := syscall.Gettid()
	threads.Lock()
	nested := len(threads.open[id]) > 0
	threads.Unlock()
	if nested {
		runtime.UnlockOSThread()
	}
	return id
}

// current is the pass of this model that is open on the calling thread, or nil.
func (c *core) current() *openPass {
	id := syscall.Gettid()
	threads.Lock()
	defer threads.Unlock()
	for _, o := range threads.open[id] {
		if o.core == c {
			return o
		}
	}
	return nil
}

// wait takes the model's turn, or gives the thread back and panics when interrupted,
// or when it would wait for ever.
func (c *core) wait(thread int) {
	defer func() {
		threads.Lock()
		delete(threads.waiting, thread)
		threads.Unlock()
	}()
	began, said := time.Now(), false
	for {
		select {
		case c.turn <- struct{}{}:
			return
		default:
		}
		if !said && time.Since(began) > patience {
			said = true
			trace.Notice(fmt.Sprintf("waiting for %s: another goroutine has a pass of it open. If that one waits for this one, neither will go on", c.name))
		}
		if c.circle(thread) {
			unlockThread(thread, nil)
			panic(&DeadlockError{c.name})
		}
		select {
		case c.turn <- struct{}{}:
			return
		case <-time.After(20 * time.Millisecond):
			if trace.Stopping() {
				unlockThread(thread, nil)
				panic(&trace.InterruptError{At: "another goroutine's pass, which this one waits for"})
			}
		}
	}
}

// patience is how long a pass waits for its turn before it says so.
const patience = 3 * time.Second

// circle notes that the thread waits for c, and says whether whoever has c waits, in
// the end, for a model that this thread has.
func (c *core) circle(thread int) bool {
	threads.Lock()
	defer threads.Unlock()
	threads.waiting[thread] = c
	for range threads.waiting {
		holder := -1
		for id, open := range threads.open {
			for _, o := range open {
				if o.core == c {
					holder = id
				}
			}
		}
		if holder == thread {
			return true
		}
		if c = threads.waiting[holder]; c == nil {
			return false
		}
	}
	return false
}

// unlockThread forgets that o is open on the thread, and lets the goroutine go after the
// last one.
func unlockThread(thread int, o *openPass) {
	threads.Lock()
	left := threads.open[thread][:0]
	for _, other := range threads.open[thread] {
		if other != o {
			left = append(left, other)
		}
	}
	if len(left) == 0 {
		delete(threads.open, thread)
	} else {
		threads.open[thread] = left
	}
	threads.Unlock()
	if len(left) == 0 {
		runtime.UnlockOSThread()
	}
}
