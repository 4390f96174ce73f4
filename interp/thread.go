package interp

import "runtime"

// A thread is a goroutine that is locked to its OS thread for life: libtorch
// keeps its worker team, its grad mode and its CUDA state per thread.
type thread struct {
	jobs chan func()
}

func newThread() *thread {
	t := &thread{jobs: make(chan func())}
	go func() {
		runtime.LockOSThread()
		for f := range t.jobs {
			f()
		}
	}()
	return t
}

// do starts f on the thread and returns a channel that is closed when it is over.
func (t *thread) do(f func()) <-chan struct{} {
	over := make(chan struct{})
	t.jobs <- func() {
		defer close(over)
		f()
	}
	return over
}

// close ends the thread when its job is done.
func (t *thread) close() { close(t.jobs) }
