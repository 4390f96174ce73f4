package torch

// SetThreads sets how many CPU threads an op may use, from any calling thread.
func SetThreads(k int) {
	if k < 1 {
		panic(&Error{Op: "SetThreads", Text: "it needs at least one thread"})
	}
	begin()
	prog.threads = uint64(k)
	prog.thread = 0 // so that the next program tells its thread
	mu.Unlock()
}

// Threads is how many CPU threads an op may use.
func Threads() int {
	begin()
	k := plainCall(fn.getThreads, 0)
	mu.Unlock()
	return int(k & 0xffffffff)
}
