package kernel

import (
	"errors"
	"fmt"
	"log"
	"os"
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
	early    map[string]bool // by shell: a cell waits for the worker; true once it is interrupted
	models   loads           // what the next worker loads again
}

// A diedError is the outcome of a cell whose worker died.
type diedError struct{ death }

func (e *diedError) Error() string { return "the worker died: " + e.reason }

// supervise starts a worker when it is called for, and soon in any case.
func supervise(argv []string, l *log.Logger, ended func(death)) *supervised {
	s := &supervised{argv: argv, log: l, ended: ended, called: make(chan struct{}), starting: true, early: map[string]bool{}}
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
	over, cells := s.over, s.models.cells()
	s.mu.Unlock()
	var p *process
	err := errNoWorker
	if !over {
		p, err = launch(s.argv)
	}
	if err == nil && len(cells) > 0 && p.client.Ready() == nil {
		again(p.client, cells)
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
	d.idle = len(p.busy) == 0
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

// errNoWorker is the answer of a session that is not there.
var errNoWorker = errors.New("there is no worker")

// take gives the current process for a cell of a shell, which it counts, waiting for
// it where it is about to be there, and starting one where the last gave up.
func (s *supervised) take(shell string) (*process, error) {
	s.begin()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.await()
	if s.current == nil && !s.over {
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
	s.current.busy[shell]++
	return s.current, nil
}

func (s *supervised) await() {
	for s.starting {
		s.started.Wait()
	}
}

// run runs a cell. An error means that the worker could not.
func (s *supervised) run(c interp.Cell, out interp.Output) (o interp.Outcome, err error) {
	err = s.with(c.Shell, func(w *wire.Client) (err error) {
		o, err = w.Run(c, out)
		return err
	})
	if errors.Is(err, errEarly) {
		o.Err = &interp.CellError{Name: "interrupted", Value: err.Error(), Cell: c.Number, Traceback: []string{err.Error()}}
		return o, nil
	}
	if err == nil && o.Err == nil {
		s.mu.Lock()
		s.models.note(c.Code)
		s.mu.Unlock()
	}
	return o, err
}

// deliver passes a message of a comm on to the worker. An error means that it could
// not.
func (s *supervised) deliver(shell string, m interp.CommMessage, out interp.Output) (failed *interp.CellError, err error) {
	err = s.with(shell, func(w *wire.Client) (err error) {
		failed, err = w.Deliver(shell, m, out)
		return err
	})
	return failed, err
}

// errEarly is the end of a cell that was interrupted while it waited for a worker.
var errEarly = errors.New("the cell was interrupted before it ran")

// with lets the worker do something for a shell.
func (s *supervised) with(shell string, do func(*wire.Client) error) error {
	s.mu.Lock()
	s.early[shell] = false
	s.mu.Unlock()
	p, err := s.take(shell)
	if err != nil {
		s.mu.Lock()
		delete(s.early, shell)
		s.mu.Unlock()
		return err
	}
	defer func() {
		s.mu.Lock()
		if p.busy[shell]--; p.busy[shell] == 0 {
			delete(p.busy, shell)
		}
		s.mu.Unlock()
	}()
	err = p.client.Ready()
	s.mu.Lock()
	if err == nil && s.early[shell] {
		err = errEarly
	}
	delete(s.early, shell)
	s.mu.Unlock()
	if err == nil {
		err = do(p.client)
	}
	if _, lost := errors.AsType[*wire.LostError](err); lost {
		<-p.told
		err = &diedError{p.death}
	}
	return err
}

// reloaded are the lines that the next worker runs again.
func (s *supervised) reloaded() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.models.cells()
}

// session answers questions about code; without a worker it knows nothing.
func (s *supervised) session() interp.Sessions {
	s.begin()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.await()
	if s.current == nil {
		return absent{}
	}
	return s.current.client
}

// isBusy says whether a cell of a shell is at work, or waits for the worker.
func (s *supervised) isBusy(shell string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, early := s.early[shell]
	return early || s.current != nil && s.current.busy[shell] > 0
}

// interrupt stops the cell at work in a shell, if there is one.
func (s *supervised) interrupt(shell string) {
	if !s.isBusy(shell) {
		return
	}
	s.mu.Lock()
	p := s.current
	if _, early := s.early[shell]; early {
		s.early[shell], p = true, nil
	}
	s.mu.Unlock()
	if p != nil {
		p.client.InterruptShell(shell)
	}
}

// closeShell tells the worker that a shell is no more.
func (s *supervised) closeShell(shell string) {
	s.mu.Lock()
	p := s.current
	s.mu.Unlock()
	if p != nil {
		p.client.CloseShell(shell)
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
