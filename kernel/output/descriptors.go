package output

import (
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Descriptors reads what the process and its children write to file descriptors
// 1 and 2. Writers of the same pipe keep their order; between the two pipes it
// is kept as far as they are read in turn.
type Descriptors struct {
	mu    sync.Mutex // one reads at a time, so that what is read is written in that order
	pipes []*pipe
	write func(name string, text []byte)
	buf   []byte
}

type pipe struct {
	name string
	file *os.File
	raw  syscall.RawConn
}

// Read starts to read the given read ends of two pipes, whose write ends are
// file descriptors 1 and 2. write is called with one text at a time.
func Read(stdout, stderr *os.File, write func(name string, text []byte)) (*Descriptors, error) {
	d := &Descriptors{write: write, buf: make([]byte, 64<<10)}
	for _, p := range []*pipe{{name: "stdout", file: stdout}, {name: "stderr", file: stderr}} {
		raw, err := p.file.SyscallConn()
		if err != nil {
			return nil, err
		}
		p.raw = raw
		Enlarge(p.file)
		d.pipes = append(d.pipes, p)
	}
	for _, p := range d.pipes {
		go d.follow(p)
	}
	return d, nil
}

// rest is how long text may stay in its pipe. What a dying process wrote last is
// still there for whoever holds the read end too, and text is read in fewer,
// larger pieces.
const rest = 20 * time.Millisecond

// roomy is the size asked for a pipe: rest must not slow a writer down.
const roomy = 1 << 20

// follow reads a pipe whenever something is in it.
func (d *Descriptors) follow(p *pipe) {
	for {
		err := p.raw.Read(func(fd uintptr) bool {
			// Only whether there is something: reading it can wait.
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
			return n > 0 || err != nil && err != unix.EINTR
		})
		if err != nil {
			return
		}
		time.Sleep(rest)
		for range roomy / len(d.buf) {
			p.raw.Control(func(fd uintptr) { err = d.once(fd, p) })
			if err != nil {
				break
			}
		}
	}
}

// once reads a pipe without waiting.
func (d *Descriptors) once(fd uintptr, p *pipe) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := syscall.Read(int(fd), d.buf)
	for err == syscall.EINTR {
		n, err = syscall.Read(int(fd), d.buf)
	}
	if n > 0 {
		d.write(p.name, d.buf[:n])
		return nil
	}
	if err == nil {
		return io.EOF
	}
	return err
}

// Drain reads what has been written so far. What children go on writing does
// not keep it for ever.
func (d *Descriptors) Drain() {
	const rounds = 64
	for range rounds {
		idle := true
		for _, p := range d.pipes {
			p.raw.Control(func(fd uintptr) {
				if d.once(fd, p) == nil {
					idle = false
				}
			})
		}
		if idle {
			return
		}
	}
}
