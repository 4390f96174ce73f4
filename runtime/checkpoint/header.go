package checkpoint

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// A stored tensor is one entry of a safetensors header. begin and end are
// offsets from the start of the file.
type stored struct {
	name       string
	dtype      storedType
	shape      []int
	begin, end int64
}

// A FileError is a safetensors file, or its index, that cannot be used.
type FileError struct {
	File    string
	Tensor  string // "" where the fault is not one tensor's
	Problem string // what was expected and what was found
	Mend    string // what to do about it, "" where nothing sure can be said
}

func (e *FileError) Error() string {
	s := e.File
	if e.Tensor != "" {
		s += ": tensor " + e.Tensor
	}
	s += ": " + e.Problem
	if e.Mend != "" {
		s += "; " + e.Mend
	}
	return s
}

const (
	lengthBytes = 8           // the header's length, little-endian, before the header
	headerLimit = 100_000_000 // as the Python library has it
)

// parseHeader reads the header of a whole safetensors file and checks it as
// strictly as the Python library does: names and fields once each, offsets that
// cover the data without a hole or an overlap, sizes that the shapes ask for.
func parseHeader(file string, data []byte) ([]stored, error) {
	fail := func(format string, a ...any) error {
		return &FileError{File: file, Problem: fmt.Sprintf(format, a...), Mend: "download it again"}
	}
	if f, ok := recognise(data); ok && (len(data) <= lengthBytes || data[lengthBytes] != '{') {
		return nil, &FileError{File: file, Problem: "not a safetensors file: it is " + f.name, Mend: f.mend}
	}
	if len(data) < lengthBytes {
		return nil, fail("not a safetensors file: expected at least %d bytes, found %d", lengthBytes, len(data))
	}
	n := binary.LittleEndian.Uint64(data)
	if n > headerLimit {
		return nil, fail("not a safetensors file: its header would be %d bytes, expected at most %d", n, headerLimit)
	}
	if n > uint64(len(data)-lengthBytes) {
		return nil, fail("cut short inside the header: expected %d bytes of header, found %d", n, len(data)-lengthBytes)
	}
	head := data[lengthBytes : lengthBytes+n]
	if n == 0 || head[0] != '{' {
		return nil, fail("the header is not a JSON object")
	}
	if !utf8.Valid(head) {
		return nil, fail("the header is not UTF-8")
	}
	p := &headerReader{scanner: scanner{in: head}, seen: map[string]bool{}}
	err := p.object("the header", p.entry)
	if err == nil && !p.done() {
		err = fmt.Errorf("more text after the header's object: %s", p.found())
	}
	if err == nil {
		err = p.place(int64(lengthBytes+n), int64(len(data)))
	}
	if err != nil {
		fault := &FileError{File: file, Problem: err.Error()}
		if in, ok := err.(*tensorFault); ok {
			fault.Tensor, fault.Problem, fault.Mend = in.tensor, in.problem, in.mend
		}
		return nil, fault
	}
	return p.tensors, nil
}

type tensorFault struct{ tensor, problem, mend string }

func (f *tensorFault) Error() string { return f.tensor + ": " + f.problem }

type headerReader struct {
	scanner
	seen    map[string]bool
	tensors []stored
}

func (p *headerReader) entry(name string) error {
	if p.seen[name] {
		return &tensorFault{tensor: name, problem: "named twice in the header"}
	}
	p.seen[name] = true
	if name == "__metadata__" {
		if p.word("null") {
			return nil
		}
		return p.object(name, func(key string) error {
			_, err := p.text(name + ": " + key)
			return err
		})
	}
	t := stored{name: name}
	facts := [...]string{"dtype", "shape", "data_offsets"}
	var has [len(facts)]bool
	err := p.object("its entry", func(key string) error {
		i := slices.Index(facts[:], key)
		if i < 0 {
			return fmt.Errorf("unknown field %q", key)
		}
		if has[i] {
			return fmt.Errorf("%s given twice", key)
		}
		has[i] = true
		return p.fact(&t, key)
	})
	for i, key := range facts {
		if err == nil && !has[i] {
			err = fmt.Errorf("has no %s", key)
		}
	}
	if err != nil {
		return &tensorFault{tensor: name, problem: err.Error()}
	}
	p.tensors = append(p.tensors, t)
	return nil
}

func (p *headerReader) fact(t *stored, key string) error {
	if key == "dtype" {
		word, err := p.text(key)
		if err != nil {
			return err
		}
		known, ok := storedTypes[word]
		if !ok {
			return fmt.Errorf("dtype %s is not one that safetensors has", word)
		}
		t.dtype = known
		t.dtype.word = word
		return nil
	}
	v, err := p.numbers(key)
	if err != nil {
		return err
	}
	if key == "shape" {
		t.shape = make([]int, len(v))
		for i, n := range v {
			t.shape[i] = int(n)
		}
		return nil
	}
	if len(v) != 2 {
		return fmt.Errorf("data_offsets: expected 2 numbers, found %d", len(v))
	}
	t.begin, t.end = v[0], v[1]
	return nil
}

// place checks that the tensors cover the data, and makes offsets count from
// the start of the file.
func (p *headerReader) place(from, size int64) error {
	slices.SortFunc(p.tensors, func(x, y stored) int {
		if x.begin != y.begin {
			return cmp.Compare(x.begin, y.begin)
		}
		return cmp.Compare(x.end, y.end)
	})
	at, length := int64(0), size-from
	for i := range p.tensors {
		t := &p.tensors[i]
		fault := func(mend, format string, a ...any) error {
			return &tensorFault{t.name, fmt.Sprintf(format, a...), mend}
		}
		size, ok := t.bits()
		if !ok {
			return fault("", "shape %v has more elements than can be counted", t.shape)
		}
		if size%8 != 0 {
			return fault("", "shape %v of %s is not a whole number of bytes", t.shape, t.dtype.word)
		}
		switch {
		case t.end < t.begin:
			return fault("", "ends at byte %d before it begins at %d", t.end, t.begin)
		case t.begin < at:
			return fault("", "overlaps the tensor before it: begins at byte %d, expected %d", t.begin, at)
		case t.begin > at:
			return fault("", "begins at byte %d, expected %d: %d bytes belong to no tensor", t.begin, at, t.begin-at)
		case size/8 != t.end-t.begin:
			return fault("", "shape %v of %s takes %d bytes, found %d", t.shape, t.dtype.word, size/8, t.end-t.begin)
		case t.end > length:
			return fault("download it again", "cut short: expected data up to byte %d, found %d", t.end, length)
		}
		at = t.end
		t.begin, t.end = t.begin+from, t.end+from
	}
	if at != length {
		return fmt.Errorf("%d bytes after the last tensor belong to none", length-at)
	}
	return nil
}

// bits is the size of the tensor, false where it overflows.
func (t *stored) bits() (int64, bool) {
	n := uint64(t.dtype.bits)
	for _, s := range t.shape {
		hi, lo := bits.Mul64(n, uint64(s))
		if hi != 0 {
			return 0, false
		}
		n = lo
	}
	return int64(n), n <= math.MaxInt64
}
