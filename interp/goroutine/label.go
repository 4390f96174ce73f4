// Package goroutine tells which cell started a goroutine. The mark is a pprof
// label: the runtime hands labels on to every goroutine that a marked one
// starts, also from compiled code, which no bookkeeping of our own could.
// Imports only the standard library.
package goroutine

import (
	"context"
	"runtime/pprof"
	"sync"
	"unsafe"
)

// labels is a function that the runtime keeps for packages like this one; see
// its comment in runtime/proflabel.go.
//
//go:linkname labels runtime/pprof.runtime_getProfLabel
func labels() unsafe.Pointer

var marks sync.Map // label set -> what Mark was given

// Mark marks the calling goroutine, and the goroutines it starts from now on, with v.
func Mark(v any) {
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("gonterp", "cell")))
	marks.Store(labels(), v)
}

// Marked returns the mark of the calling goroutine, nil if it has none.
func Marked() any {
	v, _ := marks.Load(labels())
	return v
}
