package torch

import (
	"testing"
)

// BenchmarkSmallOp is a product of one element, the cost of an op itself, beside
// the least that libtorch's dispatcher needs for it: two argument handles, the
// call, a delete.
func BenchmarkSmallOp(b *testing.B) {
	need(b)
	x := FromFloats([]float32{1.5})
	b.Run("bare", func(b *testing.B) {
		th := begin()
		_ = th
		for b.Loop() {
			add(fn.newHandle, uint64(x.h), ptr(&stack[0]))
			add(fn.newHandle, uint64(x.h), ptr(&stack[1]))
			add(fn.dispatch, ptr(opMul.name), ptr(opMul.overload), ptr(&stack[0]), build)
			run()
			add(fn.del, stack[0])
			run()
		}
		mu.Unlock()
	})
	b.Run("arena", func(b *testing.B) {
		a := NewArena()
		defer Swap(Swap(a))
		for b.Loop() {
			opMul.call(tensor(x), tensor(x))
			if a.Mark() == 100 {
				a.Release(0)
			}
		}
		a.Free()
	})
	b.Run("direct", func(b *testing.B) {
		a := NewArena()
		defer Swap(Swap(a))
		for b.Loop() {
			x.Mul(x)
			if a.Mark() == 100 {
				a.Release(0)
			}
		}
		a.Free()
	})
	b.Run("user", func(b *testing.B) {
		for b.Loop() {
			x.Mul(x)
		}
	})
	b.Run("scalar", func(b *testing.B) {
		for b.Loop() {
			x.Mul(2)
		}
	})
}
