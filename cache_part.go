package gonterp

import (
	"fmt"
	"io"
	"os"

	"github.com/gonterp/gonterp/runtime/torch"
)

// A cachePart is a file with the tokens of some of a cache's prompts.
type cachePart struct {
	rows    int // tokens
	columns []column
}

// openPart reads what a part holds; its numbers are read when they are used.
func openPart(file string, paths []string) (*cachePart, error) {
	entries, data, err := readPart(file)
	if err != nil {
		return nil, err
	}
	dtypes := map[string]torch.DType{}
	for dtype, word := range safetensorsWords {
		dtypes[word] = dtype
	}
	part := &cachePart{}
	for _, name := range append([]string{promptColumn, positionColumn, idsColumn}, paths...) {
		if name == idsColumn && len(part.columns) > 2 {
			continue
		}
		e, ok := entries[name]
		if !ok || len(e.Shape) == 0 {
			return nil, fmt.Errorf("%s has no %s", file, name)
		}
		part.rows = e.Shape[0]
		part.columns = append(part.columns, column{name: name, dtype: dtypes[e.DType], shape: e.Shape, read: func() (io.Reader, error) {
			return &fileRange{file: file, at: data + e.Offsets[0], left: e.Offsets[1] - e.Offsets[0]}, nil
		}})
	}
	return part, nil
}

// joined are the columns of all parts, one part after the other.
func joined(parts []*cachePart) []column {
	all := make([]column, len(parts[0].columns))
	for k := range all {
		c := parts[0].columns[k]
		c.shape = append([]int{}, c.shape...)
		c.shape[0] = 0
		for _, p := range parts {
			c.shape[0] += p.rows
		}
		c.read = func() (io.Reader, error) {
			readers := make([]io.Reader, len(parts))
			for i, p := range parts {
				r, err := p.columns[k].read()
				if err != nil {
					return nil, err
				}
				readers[i] = r
			}
			return io.MultiReader(readers...), nil
		}
		all[k] = c
	}
	return all
}

// fileRange reads a stretch of a file, which is open only while it is being read.
type fileRange struct {
	file     string
	at, left int64
	f        *os.File
}

func (r *fileRange) Read(p []byte) (int, error) {
	if r.f == nil && r.left > 0 {
		f, err := os.Open(r.file)
		if err != nil {
			return 0, err
		}
		r.f = f
	}
	if r.left == 0 {
		if r.f != nil {
			r.f.Close()
			r.f = nil
		}
		return 0, io.EOF
	}
	if int64(len(p)) > r.left {
		p = p[:r.left]
	}
	n, err := r.f.ReadAt(p, r.at)
	r.at, r.left = r.at+int64(n), r.left-int64(n)
	if err == io.EOF && r.left > 0 {
		return n, fmt.Errorf("%s ends before its data does. Delete it and call CacheTo again: only that part is computed anew", r.file)
	}
	if err == io.EOF {
		err = nil
	}
	return n, err
}
