//go:build !linux

package output

import "os"

// nameless makes a file that no folder lists.
func nameless() (*os.File, error) {
	f, err := os.CreateTemp("", "gonterp-output-*")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}
