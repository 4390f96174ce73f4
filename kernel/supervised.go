package kernel

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/kernel/wire"
)

// A worker that dies this often in a row within quickDeath of its start is not
// started again before a cell asks for it.
const (
	quickDeath = 2 * time.Second
	quickMost  = 3
)

// courtesy is how long the first worker's start leaves the processor to the
// kernel's first answer.
const courtesy = 40 * time.Millisecond

// How much of a dying worker's text is kept, and how many lines of it are shown:
// the reason is at its start, and every thread's stack behind it.
const (
	lastWords = 64 << 10
	lastLines = 40
)

// Supervised is the worker that is there now, and its successors.
type supervised struct {
	argv   []string
	log    *log.Logger
	ended  func(death) // called after each death that was not asked for
	call   sync.Once
	called chan struct{} // closed when the first worker should start

	mu       sync.Mutex
	starting bool      // a worker is about to be there
	started  sync.Cond // it is, or cannot be
	current  *process
	quick    int
	last     death
	over     bool
}

// A death is why a worker ended.
type death struct {
	reason string // one line
	text   string // what it wrote last and could not pass on
	idle   bool   // no cell was at work
}

// A diedError is the outcome of a cell whose worker died.
type diedError struct{ death }

func (e *diedError) Error() string { return "the worker died: " + e.reason }

// A process is one worker.
type process struct {
	cmd     *exec.Cmd
	client  *wire.Client
	started time.Time
	busy    int           // cells at work; under supervised.mu
	dead    chan struct{} // closed when the process is gone
	told    chan struct{} // closed when death says why
	death   death

	events         *os.File
	stdout, stderr *os.File // read ends, for what is left in them
	crash          *tail
}

// supervise starts a worker when it is called for, and soon in any case.
func supervise(argv []string, l *log.Logger, ended func(death)) *supervised {
	s := &supervised{argv: argv, log: l, ended: ended, called: make(chan struct{}), starting: true}
	s.started.L = &s.mu
	go func() {
		select {
		case <-s.called:
		case <-time.After(courtesy):
		}
		s.start()
	}()
	return s
}

// begin starts the first worker now.
func (s *supervised) begin() { s.call.Do(func() { close(s.called) }) }

// start makes a process the current one. An error is kept for those who ask for
// the session.
func (s *supervised) start() {
	s.mu.Lock()
	over := s.over
	s.mu.Unlock()
	var p *process
	err := errNoWorker
	if !over {
		p, err = launch(s.argv)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starting = false
	s.started.Broadcast()
	if over {
		return
	}
	if err != nil {
		s.last = death{reason: "the worker cannot be started: " + err.Error(), idle: true}
		s.current, s.quick = nil, quickMost
		s.log.Print(s.last.reason)
		return
	}
	s.current = p
	go s.watch(p)
}

// launch starts a worker.
func launch(argv []string) (*process, error) {
	var files []*os.File
	pipe := func() (r, w *os.File, err error) {
		r, w, err = os.Pipe()
		if err == nil {
			files = append(files, r, w)
		}
		return r, w, err
	}
	fail := func(err error) (*process, error) {
		for _, f := range files {
			f.Close()
		}
		return nil, err
	}
	var ends [5][2]*os.File // requests, events, stdout, stderr, crash; each reader, writer
	for i := range ends {
		r, w, err := pipe()
		if err != nil {
			return fail(err)
		}
		ends[i] = [2]*os.File{r, w}
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = ends[2][1], ends[3][1]
	cmd.ExtraFiles = []*os.File{ends[0][0], ends[1][1], ends[2][0], ends[3][0], ends[4][1]}
	cmd.Env = environment()
	// A group of its own: an interrupt of the front end's is for the supervisor,
	// and what cells leave running ends with the worker. The worker sees the end of
	// its requests when the supervisor dies; a death signal would not let it take its
	// children along.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p := &process{cmd: cmd, started: time.Now(), dead: make(chan struct{}), told: make(chan struct{}), events: ends[1][0], stdout: ends[2][0], stderr: ends[3][0]}
	if err := cmd.Start(); err != nil {
		return fail(err)
	}
	go func() {
		cmd.Wait()
		close(p.dead)
	}()
	for _, f := range []*os.File{ends[0][0], ends[1][1], ends[2][1], ends[3][1], ends[4][1]} {
		f.Close()
	}
	p.client = wire.NewClient(ends[0][1], ends[1][0])
	p.crash = follow(ends[4][0])
	return p, nil
}

// watch waits for a worker's death, says why, and starts another.
func (s *supervised) watch(p *process) {
	<-p.dead
	<-p.client.Gone()
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // what its cells left running
	d := p.obituary()
	p.client.Close()
	for _, f := range []*os.File{p.events, p.stdout, p.stderr} {
		f.Close()
	}
	s.mu.Lock()
	d.idle = p.busy == 0
	s.last, p.death = d, d
	s.current = nil
	if time.Since(p.started) < quickDeath {
		s.quick++
	} else {
		s.quick = 0
	}
	again := !s.over && s.quick < quickMost
	over := s.over
	s.starting = again
	s.mu.Unlock()
	if !over {
		s.log.Printf("the worker died: %s", d.reason)
		s.ended(d)
	}
	close(p.told)
	if again {
		s.start()
	}
}

// obituary puts together why a worker ended.
func (p *process) obituary() death {
	d := death{text: leftover(p.stdout) + leftover(p.stderr)}
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
	return string(bytes.ToValidUTF8(clip(all), []byte("\uFFFD")))
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

// errNoWorker is the answer of a session that is not there.
var errNoWorker = errors.New("there is no worker")

// take gives the current process, waiting for it where it is about to be there,
// and starting one for a cell where the last gave up.
func (s *supervised) take(cells int) (*process, error) {
	s.begin()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.await()
	if s.current == nil && cells > 0 && !s.over {
		s.quick, s.starting = quickMost-1, true
		s.mu.Unlock()
		s.start()
		s.mu.Lock()
		s.await()
	}
	if s.current == nil {
		if s.last.reason != "" {
			return nil, fmt.Errorf("%w: %s", errNoWorker, s.last.reason)
		}
		return nil, errNoWorker
	}
	s.current.busy += cells
	return s.current, nil
}

func (s *supervised) await() {
	for s.starting {
		s.started.Wait()
	}
}

// run runs a cell. An error means that the worker could not.
func (s *supervised) run(c interp.Cell, out interp.Output) (interp.Outcome, error) {
	p, err := s.take(1)
	if err != nil {
		return interp.Outcome{}, err
	}
	defer func() {
		s.mu.Lock()
		p.busy--
		s.mu.Unlock()
	}()
	if err := p.client.Ready(); err != nil {
		return interp.Outcome{}, err
	}
	o, err := p.client.Run(c, out)
	if _, lost := errors.AsType[*wire.LostError](err); lost {
		<-p.told
		return o, &diedError{p.death}
	}
	return o, err
}

// session answers questions about code; without a worker it knows nothing.
func (s *supervised) session() interp.Sessions {
	p, err := s.take(0)
	if err != nil {
		return absent{}
	}
	return p.client
}

// interrupt stops the cell at work, if there is one.
func (s *supervised) interrupt() {
	s.mu.Lock()
	p := s.current
	busy := p != nil && p.busy > 0
	s.mu.Unlock()
	if busy {
		p.client.Interrupt()
	}
}

// stop ends the worker: politely, and after closing by force.
func (s *supervised) stop() {
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	s.begin()
	s.mu.Lock()
	s.await()
	p := s.current
	s.mu.Unlock()
	if p == nil {
		return
	}
	p.client.Interrupt()
	p.client.Close()
	select {
	case <-p.dead:
	case <-time.After(closing + 500*time.Millisecond):
	}
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.dead
}
