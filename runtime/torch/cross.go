package torch

import (
	"math"
	"sync"
	"unsafe"
)

// call is one C call: up to ten integer words and two doubles. The trampoline
// knows this layout, and program's.
type call struct {
	fn  uintptr
	a   [10]uint64
	x   [2]float64
	ret uint64
}

// Two calls are not calls but moves between words, so that one program can pass
// on what an earlier call in it made.
const (
	moveWord  = 0 // *a1 = *a0
	storeWord = 1 // **a1 = *a0
)

type program struct {
	n          uint64
	calls      *call
	thread     uint64 // that the last program ran on
	mode       uint64 // grad mode there
	want       uint64 // grad mode for this program
	setGrad    uintptr
	setThreads uintptr
	threads    uint64 // 0: leave as it is
	what       uintptr
	text       uintptr // libtorch's words, when a call failed
}

const maxCalls = 4096

// mu is held from the first word written into the buffers below to the last one
// read. The buffers are globals: C sees stable addresses, and no op allocates them.
var (
	mu    sync.Mutex
	prog  program
	calls [maxCalls]call
	n     int
	stack [32]uint64   // the dispatcher's arguments, then its results
	out   [2048]uint64 // where other functions put results
	nout  int
	dims  [4096]int64 // sizes and strides
	ndims int

	letters [512]byte // an op's string argument
)

// settle fills in what every program needs, once libtorch is open.
func settle() {
	prog.setGrad, prog.setThreads, prog.what = fn.setGrad, fn.setThreads, fn.what
	prog.calls = &calls[0]
}

// begin takes the lock and starts a program; every begin is followed by finish,
// or by fail.
func begin() *thread {
	if !opened.Load() {
		if err := Open(); err != nil {
			panic(&Error{Op: "open", Text: err.Error(), cause: err})
		}
	}
	mu.Lock()
	n, nout, ndims = 0, 0, 0
	th := callingThread()
	prog.want = th.mode
	if queued.Load() != 0 {
		drain()
	}
	return th
}

func add(f uintptr, a ...uint64) *call {
	if n == maxCalls {
		mu.Unlock()
		panic(&Error{Op: "program", Text: "more calls in one op than fit"})
	}
	c := &calls[n]
	n++
	c.fn = f
	copy(c.a[:], a)
	return c
}

// move copies the word at from to the place to when the program gets there.
func move(from, to *uint64)  { add(moveWord, ptr(from), ptr(to)) }
func store(from, to *uint64) { add(storeWord, ptr(from), ptr(to)) }

// slot is a fresh word for a result.
func slot() *uint64 {
	p := &out[nout]
	nout++
	return p
}

// run crosses into C. It leaves libtorch's words on failure.
func run() (text string, ok bool) {
	if n == 0 {
		return "", true
	}
	prog.n = uint64(n)
	n = 0
	prog.text = 0
	if rc := cross(&prog); rc != 0 {
		return cstring(prog.text), false
	}
	return "", true
}

func ptr[E any](p *E) uint64 { return uint64(uintptr(unsafe.Pointer(p))) }

// at is the memory at an address that C gave.
func at(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

func cstring(p uintptr) string {
	if p == 0 {
		return ""
	}
	b := (*byte)(at(p))
	k := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(b), k)) != 0 {
		k++
	}
	return string(unsafe.Slice(b, k))
}

func cname(s string) *byte { return &append([]byte(s), 0)[0] }

func bits(v float64) uint64 { return math.Float64bits(v) }

// list writes ints where C can read them.
func list(v []int) uint64 {
	at := ndims
	ndims += max(len(v), 1)
	for i, x := range v {
		dims[at+i] = int64(x)
	}
	return ptr(&dims[at])
}

// contiguous writes a shape and its row-major strides.
func contiguous(shape []int) (sizes, strides uint64) {
	sizes = list(shape)
	at, k := ndims, int64(1)
	ndims += max(len(shape), 1)
	for i := len(shape) - 1; i >= 0; i-- {
		dims[at+i] = k
		k *= int64(max(shape[i], 1))
	}
	return sizes, ptr(&dims[at])
}

// letter writes a string where C can read it.
func letter(s string) uint64 {
	if copy(letters[:], s) < len(s) {
		mu.Unlock()
		panic(&Error{Op: "program", Text: "a string argument is longer than fits"})
	}
	return ptr(&letters[0])
}
