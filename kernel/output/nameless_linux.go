package output

import (
	"os"

	"golang.org/x/sys/unix"
)

// nameless makes a file that is memory.
func nameless() (*os.File, error) {
	fd, err := unix.MemfdCreate("gonterp-output", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "gonterp-output"), nil
}
