package checkpoint

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/gonterp/gonterp/runtime/spelling"
	"github.com/gonterp/gonterp/runtime/torch"
)

// Entry is what a file says about one tensor.
type Entry struct {
	Name   string
	DType  torch.DType // as stored
	Shape  []int
	Bytes  int64
	File   string
	Offset int64 // of the first byte, from the start of File
}

// Store hands out the tensors of a checkpoint. It is safe for use by several
// goroutines.
type Store interface {
	// Names are the stored tensors in order of name, FP8 scales included.
	Names() []string
	Entry(name string) (Entry, bool)
	// Tensor is the stored weight as dtype, on the CPU. It is shared and
	// read-only: the caller neither writes into it nor frees it. In the stored
	// dtype it is wrapped where it lies in the file; another dtype is converted
	// and kept in the cache. An FP8 weight is multiplied by its block's scale.
	// A name that is not there is a *MissingError.
	Tensor(name string, dtype torch.DType) (*torch.Tensor, error)
	// Close gives back the cache. Tensors that are still held stay good.
	Close() error
}

// An Option changes how a checkpoint is opened.
type Option func(*files)

// CacheBytes bounds the memory that converted tensors are kept in. Those in use
// are never taken back; 0 keeps none.
func CacheBytes(n int64) Option { return func(s *files) { s.cache.limit = n } }

// defaultCacheBytes lets a 1B model stored in bfloat16 stay converted to float32.
const defaultCacheBytes = 4 << 30

// files is a Store over mapped files, or over one file in memory.
type files struct {
	where   string // the folder or the file, for messages
	names   []string
	tensors map[string]place
	block   [2]int

	mu    sync.Mutex
	cache cache
}

type place struct {
	stored
	in *mapping
}

func newFiles(where string, opts []Option) *files {
	s := &files{where: where, tensors: map[string]place{}, block: [2]int{fp8Block, fp8Block}}
	s.cache.limit = defaultCacheBytes
	for _, o := range opts {
		o(s)
	}
	return s
}

// OpenBytes reads a safetensors file that is in memory, such as an embedded one.
// name stands for it in errors. data must not change afterwards.
func OpenBytes(name string, data []byte, opts ...Option) (Store, error) {
	tensors, err := parseHeader(name, data)
	if err != nil {
		return nil, err
	}
	s := newFiles(name, opts)
	s.add(mapBytes(name, data), tensors)
	return s, nil
}

func (s *files) add(m *mapping, tensors []stored) {
	for _, t := range tensors {
		s.tensors[t.name] = place{t, m}
		s.names = append(s.names, t.name)
	}
	slices.Sort(s.names)
}

func (s *files) Names() []string { return slices.Clone(s.names) }

func (s *files) Entry(name string) (Entry, bool) {
	p, ok := s.tensors[name]
	if !ok {
		return Entry{}, false
	}
	return Entry{Name: name, DType: p.dtype.dtype, Shape: slices.Clone(p.shape), Bytes: p.end - p.begin, File: p.in.file, Offset: p.begin}, true
}

func (s *files) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cache.clear()
	return nil
}

func (s *files) Tensor(name string, dtype torch.DType) (*torch.Tensor, error) {
	p, ok := s.tensors[name]
	if !ok {
		return nil, &MissingError{s.where, name, spelling.NearestFew(3, name, slices.Values(s.names))}
	}
	if err := torch.Open(); err != nil {
		return nil, err
	}
	stored := p.dtype.dtype
	if dtype.IsFloat() && stored != noDType && !stored.IsFloat() {
		return nil, &FileError{File: p.in.file, Tensor: name, Problem: fmt.Sprintf("stored as %s, where weights are floats", p.dtype.word)}
	}
	if stored == noDType {
		return nil, &FileError{File: p.in.file, Tensor: name, Problem: fmt.Sprintf("stored as %s, which cannot be computed with", p.dtype.word)}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := cacheKey{name, dtype}
	if t := s.cache.get(key); t != nil {
		return t, nil
	}
	// What is made here belongs to the store, whatever arena the caller has.
	runtime.LockOSThread() // the arena belongs to an OS thread
	defer runtime.UnlockOSThread()
	defer torch.Swap(torch.Swap(nil))
	if stored == dtype && p.aligned() {
		t := torch.Blob(p.pointer(), stored, p.shape, p.in)
		s.cache.put(key, t, 0)
		return t, nil
	}
	t, err := s.convert(p, dtype)
	if err != nil {
		return nil, err
	}
	s.cache.put(key, t, int64(t.Nbytes()))
	return t, nil
}

// convert makes a tensor of its own memory.
func (s *files) convert(p place, dtype torch.DType) (*torch.Tensor, error) {
	stored := p.dtype.dtype
	if stored != dtype && isFP8(stored) && strings.HasSuffix(p.name, ".weight") {
		return s.dequantise(p, dtype)
	}
	if p.aligned() {
		return torch.Blob(p.pointer(), stored, p.shape, p.in).To(dtype), nil
	}
	t := torch.Empty(stored, torch.CPU, p.shape...)
	copy(bytesOf(t), p.bytes())
	return t.To(dtype), nil
}

func (p place) bytes() []byte { return p.in.data[p.begin:p.end] }

func (p place) pointer() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(p.bytes())) }

// aligned says whether the processor may read whole elements where they lie.
func (p place) aligned() bool {
	return p.end > p.begin && uintptr(p.pointer())%uintptr(p.dtype.dtype.Size()) == 0
}

// bytesOf is the memory of a contiguous tensor that nobody else has seen yet.
func bytesOf(t *torch.Tensor) []byte {
	return unsafe.Slice((*byte)(t.Data()), t.Nbytes())
}

// A MissingError is a tensor that a checkpoint does not have.
type MissingError struct {
	Where   string // the folder or file
	Name    string
	Nearest []string
}

func (e *MissingError) Error() string {
	s := fmt.Sprintf("%s: no tensor %s", e.Where, e.Name)
	if len(e.Nearest) > 0 {
		s += "; the nearest names are " + strings.Join(e.Nearest, ", ")
	}
	return s
}
