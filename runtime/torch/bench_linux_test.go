package torch

import (
	"runtime"
	"syscall"
	"testing"
	"unsafe"
)

// BenchmarkSmallOp is a product of one element, the cost of an op itself, beside
// the least that libtorch's dispatcher needs for it: two argument handles, the
// call, a delete. cpu-ns/op is the thread's own time, which a busy machine doesn't
// change.
func BenchmarkSmallOp(b *testing.B) {
	need(b)
	x := floats(1.5)
	b.Run("bare", func(b *testing.B) {
		begin()
		defer mu.Unlock()
		measure(b, func() {
			add(fn.newHandle, uint64(x.h), ptr(&stack[0]))
			add(fn.newHandle, uint64(x.h), ptr(&stack[1]))
			add(fn.dispatch, ptr(opMul.name), ptr(opMul.overload), ptr(&stack[0]), build)
			run()
			add(fn.del, stack[0])
			run()
		})
	})
	inArena := func(op func()) func(b *testing.B) {
		return func(b *testing.B) {
			need(b)
			a := NewArena()
			defer Swap(Swap(a))
			measure(b, func() {
				op()
				a.Release(0)
			})
		}
	}
	b.Run("arena", inArena(func() { opMul.call(tensor(x), tensor(x)) }))
	b.Run("direct", inArena(func() { x.Mul(x) }))
	b.Run("number", inArena(func() { x.Mul(2) }))
	b.Run("user", func(b *testing.B) { measure(b, func() { x.Mul(x) }) })
}

func measure(b *testing.B, op func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadTime()
	for b.Loop() {
		op()
	}
	b.ReportMetric(float64(threadTime()-before)/float64(b.N), "cpu-ns/op")
}

// threadTime is the time that the calling thread has run, in nanoseconds.
func threadTime() int64 {
	const clock = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&t)), 0)
	return t.Nano()
}
