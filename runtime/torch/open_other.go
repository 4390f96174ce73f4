//go:build !linux

package torch

import (
	"fmt"
	"runtime"
)

func dlsym(string) uintptr { return 0 }

func threadPointer() uintptr { return 0 }

func cross(*program) int32 { return 0 }

func loadCUDA(dir string) error { return load(dir) }

func load(string) error {
	return fmt.Errorf("tensors need Linux on amd64 or arm64; this is %s on %s", runtime.GOOS, runtime.GOARCH)
}
