package output

import (
	"os"

	"golang.org/x/sys/unix"
)

// Enlarge asks for a megabyte of room in a pipe: of the usual 64 KiB writer and
// reader wait for each other many times in one picture.
func Enlarge(pipe *os.File) {
	if raw, err := pipe.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { unix.FcntlInt(fd, unix.F_SETPIPE_SZ, roomy) })
	}
}
