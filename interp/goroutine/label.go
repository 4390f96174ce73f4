// Package goroutine tells which cell started a goroutine. The mark is a pprof
// label: the runtime hands labels on to every goroutine that a marked one
// starts, also from compiled code, which no bookkeeping of our own could. A mark is
// held as long as there is such a goroutine.
// Imports only the standard library.
package goroutine

import (
	"context"
	"runtime"
	"runtime/pprof"
	"sync"
	"unsafe"
	"weak"
)

// labels is a function that the runtime keeps for packages like this one; see
// its comment in runtime/proflabel.go.
//
//go:linkname labels runtime/pprof.runtime_getProfLabel
func labels() unsafe.Pointer

var marks sync.Map // weak pointer to a label set -> what Mark was given

// key is a label set's in marks. A weak pointer is not taken for that of a later
// object at the same place, whose mark the clean-up would delete.
func key() weak.Pointer[byte] { return weak.Make((*byte)(labels())) }

// Mark marks the calling goroutine, and the goroutines it starts from now on, with v.
func Mark(v any) {
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("gonterp", "cell")))
	k := key()
	marks.Store(k, v)
	runtime.AddCleanup((*byte)(labels()), func(k weak.Pointer[byte]) { marks.Delete(k) }, k)
}

// Marked returns the mark of the calling goroutine, nil if it has none.
func Marked() any {
	v, _ := marks.Load(key())
	return v
}
