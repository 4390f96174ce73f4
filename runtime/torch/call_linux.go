//go:build linux && (!amd64 || notrampoline)

package torch

import (
	"runtime"
	"syscall"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Where there is no trampoline every call crosses by itself, and the goroutine
// stays on its thread for the length of the program. The tag notrampoline puts
// this path to the test where there is one.

type cfunc func(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9 uint64, x0, x1 float64) uint64

var cfuncs = map[uintptr]cfunc{}

func bound(fn uintptr) cfunc {
	f := cfuncs[fn]
	if f == nil {
		purego.RegisterFunc(&f, fn)
		cfuncs[fn] = f
	}
	return f
}

func threadPointer() uintptr { return uintptr(syscall.Gettid()) }

func cell(p uint64) *uint64 { q := uintptr(p); return *(**uint64)(unsafe.Pointer(&q)) }

func cross(p *program) int32 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	purego.SyscallN(p.setGrad, uintptr(p.want))
	if p.threads != 0 {
		purego.SyscallN(p.setThreads, uintptr(p.threads))
	}
	for i := range unsafe.Slice(p.calls, p.n) {
		c := &unsafe.Slice(p.calls, p.n)[i]
		switch c.fn {
		case moveWord:
			*cell(c.a[1]) = *cell(c.a[0])
			continue
		case storeWord:
			*cell(*cell(c.a[1])) = *cell(c.a[0])
			continue
		}
		a := &c.a
		c.ret = bound(c.fn)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], c.x[0], c.x[1])
		if rc := int32(c.ret); rc != 0 {
			if p.what != 0 {
				text, _, _ := purego.SyscallN(p.what)
				p.text = text
			}
			return rc
		}
	}
	return 0
}
