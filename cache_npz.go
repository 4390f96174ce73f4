package gonterp

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/gonterp/gonterp/runtime/torch"
)

// npyWords are the dtypes by NumPy's names. NumPy has no bfloat16: it becomes float32.
var npyWords = map[torch.DType]string{
	torch.Float64: "<f8", torch.Float32: "<f4", torch.Float16: "<f2", torch.BFloat16: "<f4",
	torch.Int64: "<i8", torch.Int32: "<i4", torch.Int16: "<i2", torch.Int8: "|i1", torch.Uint8: "|u1", torch.Bool: "|b1",
}

// writeNPZ writes columns as an archive of .npy members, which numpy.load reads. The
// npyio package takes each array whole, as a Go value; these are read from parts as
// they are written, since they may be longer than memory.
func writeNPZ(w io.Writer, columns []column) error {
	archive := zip.NewWriter(w)
	for _, c := range columns {
		member, err := archive.CreateHeader(&zip.FileHeader{Name: c.name + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		header, err := npyHeader(c)
		if err != nil {
			return err
		}
		if _, err := member.Write(header); err != nil {
			return err
		}
		var through func(io.Reader) io.Reader
		if c.dtype == torch.BFloat16 {
			through = func(r io.Reader) io.Reader { return &widened{r} }
		}
		if err := c.copyTo(member, through); err != nil {
			return err
		}
	}
	return archive.Close()
}

// npyAlignment is what the length of a .npy header is a multiple of.
const npyAlignment = 64

// npyHeader is version 1.0 of NumPy's format: magic, length, and a Python dictionary
// padded with spaces.
func npyHeader(c column) ([]byte, error) {
	word, ok := npyWords[c.dtype]
	if !ok {
		return nil, fmt.Errorf("%s is %v, which NumPy cannot hold", c.name, c.dtype)
	}
	var shape strings.Builder
	for _, n := range c.shape {
		fmt.Fprintf(&shape, "%d, ", n)
	}
	const magic = "\x93NUMPY\x01\x00"
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", word, strings.TrimSuffix(shape.String(), " "))
	for (len(magic)+2+len(text)+1)%npyAlignment != 0 {
		text += " "
	}
	text += "\n"
	header := binary.LittleEndian.AppendUint16([]byte(magic), uint16(len(text)))
	return append(header, text...), nil
}

// widened turns bfloat16 into float32: two zero bytes before every two.
type widened struct{ r io.Reader }

func (w *widened) Read(p []byte) (int, error) {
	n := len(p) / 4
	if n == 0 {
		return 0, io.ErrShortBuffer
	}
	raw := make([]byte, 2*n)
	read, err := io.ReadAtLeast(w.r, raw, 2)
	if read%2 != 0 {
		_, more := io.ReadFull(w.r, raw[read:read+1])
		read, err = read+1, more
	}
	for i := range read / 2 {
		p[4*i], p[4*i+1], p[4*i+2], p[4*i+3] = 0, 0, raw[2*i], raw[2*i+1]
	}
	return 2 * read, err
}
