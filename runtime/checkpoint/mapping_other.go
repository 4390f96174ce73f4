//go:build !unix

package checkpoint

import (
	"os"
	"time"
)

// An identity is a state of a file.
type identity struct {
	path    string
	size    int64
	changed time.Time
}

func identify(f *os.File, info os.FileInfo) identity {
	return identity{f.Name(), info.Size(), info.ModTime()}
}

// mmap reads the file, where the system has no mapping that Go offers.
func mmap(f *os.File, size int) ([]byte, error) {
	data := make([]byte, size)
	_, err := f.ReadAt(data, 0)
	return data, err
}
