//go:build !notrampoline

package torch

import "unsafe"

//go:linkname cgocall runtime.cgocall
//go:noescape
func cgocall(fn uintptr, arg unsafe.Pointer) int32

func threadPointer() uintptr

var batchPC uintptr

// cross runs the program and returns the first non-zero return value.
func cross(p *program) int32 { return cgocall(batchPC, unsafe.Pointer(p)) }
