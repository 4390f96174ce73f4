package gonterp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"unsafe"

	"github.com/gonterp/gonterp/runtime/torch"
)

// A column is a tensor to be written to a file, which may be longer than memory: its
// bytes are read when they are written.
type column struct {
	name  string
	dtype torch.DType
	shape []int
	read  func() (io.Reader, error)
}

// numel is how many numbers it holds; size how many bytes.
func (c *column) numel() int {
	n := 1
	for _, s := range c.shape {
		n *= s
	}
	return n
}

func (c *column) size() int64 { return int64(c.numel()) * int64(c.dtype.Size()) }

// columnOf is a tensor in memory as a column.
func columnOf(name string, t *Tensor) column {
	return column{name: name, dtype: t.DType(), shape: t.Shape(), read: func() (io.Reader, error) { return bytes.NewReader(rawBytes(t)), nil }}
}

// rawBytes is a copy of a tensor's bytes, row by row.
func rawBytes(t *Tensor) []byte {
	host := t.Detach().ToDevice(torch.CPU).Contiguous()
	raw := make([]byte, host.Nbytes())
	if len(raw) > 0 {
		copy(raw, unsafe.Slice((*byte)(host.Data()), len(raw)))
	}
	runtime.KeepAlive(host)
	return raw
}

// copyTo writes the column's bytes, and checks that there were as many as it said.
func (c *column) copyTo(w io.Writer, through func(io.Reader) io.Reader) error {
	r, err := c.read()
	if err != nil {
		return err
	}
	counted := &countingReader{r: r}
	if through != nil {
		r = through(counted)
	} else {
		r = counted
	}
	if _, err := io.Copy(w, r); err != nil {
		return err
	}
	if counted.n != c.size() {
		return fmt.Errorf("%s has %d bytes and should have %d: its parts have been changed", c.name, counted.n, c.size())
	}
	return nil
}

type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// writeFile makes a file that is whole or not there: it is written beside its place
// and then moved.
func writeFile(file string, write func(w io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing %s: %w", file, errors.Join(err, os.Remove(f.Name())))
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := errors.Join(write(w), w.Flush(), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
