package kernel

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// How much of a dying worker's text is kept, and how many lines of it are shown:
// the reason is at its start, and every thread's stack behind it.
const (
	lastWords = 64 << 10
	lastLines = 40
)

// A death is why a worker ended.
type death struct {
	reason string // one line
	stdout string // what was left in its standard output
	text   string // and in its standard error, with what the runtime said
	idle   bool   // no cell was at work
}

// obituary puts together why a worker ended.
func (p *process) obituary() death {
	d := death{stdout: leftover(p.stdout), text: string(clip([]byte(leftover(p.stderr))))}
	crash := p.crash.text()
	cause := causeOf(d.text + crash)
	state := p.cmd.ProcessState
	status, _ := state.Sys().(syscall.WaitStatus)
	switch {
	case strings.Contains(crash, "SIGBUS"):
		d.reason = "a mapped file was cut short while in use (SIGBUS); was a checkpoint overwritten?"
	case cause != "":
		d.reason = cause
	case status.Signaled() && status.Signal() == syscall.SIGKILL:
		d.reason = "it was killed (signal 9); most often that is the system being out of memory"
	case status.Signaled():
		d.reason = fmt.Sprintf("it was ended by signal %d (%v)", status.Signal(), status.Signal())
	default:
		d.reason = fmt.Sprintf("it ended with exit status %d", state.ExitCode())
	}
	if !strings.Contains(d.text, strings.TrimSpace(crash)) {
		d.text += crash
	}
	if lines := strings.SplitAfterN(d.text, "\n", lastLines+1); len(lines) > lastLines {
		d.text = strings.Join(lines[:lastLines], "") + "...\n"
	}
	return d
}

// causeOf finds the line of a dying process's text that says why it dies: Go's
// words, or those of C++.
func causeOf(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, start := range []string{"fatal error: ", "panic: ", "SIG", "runtime: out of memory", "terminate called"} {
			if strings.HasPrefix(line, start) {
				return line
			}
		}
	}
	return ""
}

// leftover reads what is in a pipe without waiting.
func leftover(f *os.File) string {
	var all []byte
	raw, err := f.SyscallConn()
	if err != nil {
		return ""
	}
	raw.Control(func(fd uintptr) {
		syscall.SetNonblock(int(fd), true)
		b := make([]byte, 64<<10)
		for {
			n, err := syscall.Read(int(fd), b)
			if err == syscall.EINTR {
				continue
			}
			if n <= 0 {
				return
			}
			all = append(all, b[:n]...)
		}
	})
	return string(bytes.ToValidUTF8(all, []byte("\uFFFD")))
}

// clip keeps the start of a long text, where the reason is.
func clip(b []byte) []byte {
	if len(b) > lastWords {
		return b[:lastWords]
	}
	return b
}

// A tail collects a bounded text from a pipe.
type tail struct {
	mu   sync.Mutex
	b    []byte
	done chan struct{}
}

func follow(f *os.File) *tail {
	t := &tail{done: make(chan struct{})}
	go func() {
		defer close(t.done)
		defer f.Close()
		b := make([]byte, 4<<10)
		for {
			n, err := f.Read(b)
			t.mu.Lock()
			if len(t.b) <= lastWords {
				t.b = append(t.b, b[:n]...)
			}
			t.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return t
}

// text is what was written. A child that still has the pipe open does not hold
// it up.
func (t *tail) text() string {
	select {
	case <-t.done:
	case <-time.After(100 * time.Millisecond):
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.ToValidUTF8(clip(t.b), []byte("\uFFFD")))
}
