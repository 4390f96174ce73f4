// Package torch is tensors: libtorch, called from pure Go.
//
// libtorch_cpu.so exports plain C functions for its stable ABI. This package
// opens the library when the first op needs it and calls those functions through
// one assembly trampoline, so a program that uses it is built with CGO_ENABLED=0
// and works with every libtorch from 2.11 on.
//
// Two other roads were measured and left. github.com/sugarme/gotch binds the C++
// API by cgo: 12.3 µs and 106 kB of Go heap an op against 1 µs here, 196 s of C++
// compilation on the user's machine, and a libtorch pinned to 2.1.0 of 2023.
// github.com/gopherdata/gophernotes would have brought tensors with a kernel, but
// it is a program and not a library, does not compile on Go 1.26, and dies on an
// interrupt.
//
// A [Tensor] never changes: every method returns a new one. Ops may be called
// from any goroutine; one lock surrounds each. Grad mode and an [Arena] belong to
// the calling OS thread, so whoever uses them calls runtime.LockOSThread first.
//
// Maths panics with an [*Error]; opening returns errors.
//
// It may import purego, gonum's matrices, runtime/folder, and docs for the pages its
// errors name.
package torch
