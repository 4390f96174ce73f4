//go:build unix

package checkpoint

import (
	"os"
	"syscall"
)

// An identity is a state of a file.
type identity struct {
	device, inode uint64
	size, changed int64
}

func identify(f *os.File, info os.FileInfo) identity {
	st := info.Sys().(*syscall.Stat_t)
	return identity{uint64(st.Dev), uint64(st.Ino), info.Size(), info.ModTime().UnixNano()}
}

func mmap(f *os.File, size int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
}
