package interp

import (
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/gonterp/gonterp/interp/goroutine"
)

// An origin is where output comes from: the cell that started the goroutine.
type origin struct {
	session *Session
	cell    int
	out     Output
	stop    chan struct{} // closed when the cell is interrupted

	once      sync.Once
	abandoned atomic.Bool // it did not stop when it was interrupted
}

// interrupt closes stop.
func (o *origin) interrupt() {
	o.once.Do(func() { close(o.stop) })
}

// stopped says whether the cell has been interrupted.
func (o *origin) stopped() bool {
	select {
	case <-o.stop:
		return true
	default:
		return false
	}
}

// streams carry what cells write to their cell's Output, in order. fmt.Print
// and the like come straight; what is written to the cells' os.Stdout and
// os.Stderr comes through pipes, which are emptied before anything else is passed on.
type streams struct {
	current atomic.Pointer[origin] // of the cell that started last

	mu             sync.Mutex // one piece of output at a time
	stdout, stderr *stream
}

func newStreams() (*streams, error) {
	s := &streams{}
	var err error
	if s.stdout, err = newStream(s, "stdout"); err != nil {
		return nil, err
	}
	if s.stderr, err = newStream(s, "stderr"); err != nil {
		s.stdout.file.Close()
		return nil, err
	}
	return s, nil
}

// origin is the origin of the calling goroutine; one that no cell has started
// counts as the latest cell's.
func (s *streams) origin() *origin {
	if o, ok := goroutine.Marked().(*origin); ok && o.session.streams == s {
		return o
	}
	if o := s.current.Load(); o != nil {
		return o
	}
	return &origin{stop: make(chan struct{})}
}

// writer returns the stream behind a cell's os.Stdout or os.Stderr, else w.
func (s *streams) writer(w io.Writer) io.Writer {
	switch w {
	case s.stdout.file:
		return s.stdout
	case s.stderr.file:
		return s.stderr
	}
	return w
}

// flush passes on what the pipes hold.
func (s *streams) flush() { s.do(func() {}) }

// do calls f, which passes something on to an Output, when all that came before has been.
func (s *streams) do(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stdout.drain()
	s.stderr.drain()
	f()
}

func (s *streams) close() {
	s.flush()
	s.stdout.file.Close()
	s.stderr.file.Close()
}

// A stream is one of the two.
type stream struct {
	all  *streams
	name string
	file *os.File // what cells see
	read *os.File
	fd   int // of read, for reads that must not wait
}

func newStream(all *streams, name string) (*stream, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s := &stream{all: all, name: name, file: w, read: r}
	raw, err := r.SyscallConn()
	if err != nil {
		return nil, err
	}
	raw.Control(func(fd uintptr) { s.fd = int(fd) })
	go s.watch(raw)
	return s, nil
}

// watch empties the pipe whenever something is in it, until it is closed.
func (s *stream) watch(raw syscall.RawConn) {
	defer s.read.Close()
	for open := true; open; {
		asked := false
		err := raw.Read(func(uintptr) bool { // only waits: the reading is drain's
			if asked {
				return true
			}
			asked = true
			return false
		})
		if err != nil {
			return
		}
		s.all.mu.Lock()
		open = s.drain()
		s.all.mu.Unlock()
	}
}

// drain passes on what is in the pipe; it returns false at the pipe's end. The caller holds all.mu.
func (s *stream) drain() bool {
	var buf [16 << 10]byte
	for {
		n, err := syscall.Read(s.fd, buf[:])
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return err == syscall.EAGAIN
		case n == 0:
			return false
		default:
			if o := s.all.current.Load(); o != nil && o.out != nil {
				o.out.Stream(o.cell, s.name, string(buf[:n]))
			}
		}
	}
}

// Write implements io.Writer: it passes p on to the cell of the calling goroutine.
func (s *stream) Write(p []byte) (int, error) {
	o := s.all.origin()
	if o.out == nil {
		return len(p), nil
	}
	s.all.do(func() { o.out.Stream(o.cell, s.name, string(p)) })
	return len(p), nil
}
