//go:build linux && !amd64

package torch

import "syscall"

func threadPointer() uintptr { return uintptr(syscall.Gettid()) }
