package interp

import (
	"maps"
	"sync"
	"time"

	"github.com/gonterp/gonterp/interp/engine"
	"github.com/gonterp/gonterp/interp/goroutine"
)

// patience is how long an interrupted cell may take to stop before its thread
// is given up: a host call that blocks for ever cannot be stopped from outside.
const patience = 1500 * time.Millisecond

// A lane is where the cells of one shell run, one after the other.
type lane struct {
	execute sync.Mutex // one cell at a time
	thread  *thread
	closed  bool    // no cell runs any more; under execute
	at      *origin // of the running cell; under Session.running
}

// closed is the error of a cell of a lane that is closed.
func closed() *CellError {
	return &CellError{Name: "closed", Value: "the shell of this cell has been closed", Traceback: []string{"the shell of this cell has been closed"}}
}

func newLane() *lane { return &lane{thread: newThread()} }

// lane is that of a shell. Where the engine runs one cell at a time it is the main one.
func (s *Session) lane(shell string) *lane {
	s.running.Lock()
	defer s.running.Unlock()
	if _, ok := s.engine.(engine.Parallel); !ok {
		shell = ""
	}
	l := s.lanes[shell]
	if l == nil {
		l = newLane()
		s.lanes[shell] = l
	}
	return l
}

func (s *Session) shells() map[string]*lane {
	s.running.Lock()
	defer s.running.Unlock()
	return maps.Clone(s.lanes)
}

// number is that of a cell.
func (s *Session) number(c Cell) int {
	s.running.Lock()
	defer s.running.Unlock()
	n := c.Number
	if n == 0 {
		n = s.count + 1
	}
	if !c.Silent {
		s.count = max(s.count, n)
	}
	return n
}

// on runs f on a lane's thread, for o, and returns when it is over or given up.
func (s *Session) on(l *lane, o *origin, f func()) {
	s.running.Lock()
	l.at = o
	s.running.Unlock()
	s.streams.current.Store(o)
	over := l.thread.do(func() {
		goroutine.Mark(o)
		f()
	})
	select {
	case <-over:
	case <-o.stop:
		s.await(l, o, over)
	}
	s.running.Lock()
	l.at = nil
	s.running.Unlock()
	s.streams.flush()
}

// await waits for an interrupted cell to end, and gives its thread up where it
// does not. An interrupt that came between two steps of starting the cell is
// told again.
func (s *Session) await(l *lane, o *origin, over <-chan struct{}) {
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for end := time.After(patience); ; {
		select {
		case <-over:
			return
		case <-again.C:
			s.interruptNow(o)
		case <-end:
			o.abandoned.Store(true)
			l.thread.close()
			l.thread = newThread()
			<-l.thread.do(func() { s.after(false) })
			return
		}
	}
}

// Interrupt stops the main shell's running cell; it does nothing where none runs.
func (s *Session) Interrupt() { s.InterruptShell("") }

// InterruptShell stops the running cell of a shell.
func (s *Session) InterruptShell(shell string) {
	s.running.Lock()
	defer s.running.Unlock()
	l := s.lanes[shell]
	if l == nil || l.at == nil {
		return
	}
	l.at.interrupt()
	s.interruptNow(l.at)
}

func (s *Session) interruptNow(o *origin) {
	if e, ok := s.engine.(engine.Parallel); ok {
		e.InterruptOf(o)
	} else {
		s.engine.Interrupt()
	}
	if s.opt.Interrupted != nil {
		s.opt.Interrupted()
	}
}

// CloseShell waits for the running cell of a shell and frees its thread.
func (s *Session) CloseShell(shell string) {
	s.running.Lock()
	l := s.lanes[shell]
	delete(s.lanes, shell)
	s.running.Unlock()
	if l == nil {
		return
	}
	l.execute.Lock()
	defer l.execute.Unlock()
	l.thread.close()
	l.closed = true
}

// Comm implements Comms.
func (s *Session) Comm(shell string, m CommMessage, out Output) *CellError {
	if s.opt.Comm == nil {
		return nil
	}
	l := s.lane(shell)
	l.execute.Lock()
	defer l.execute.Unlock()
	if l.closed {
		return closed()
	}
	before := s.streams.current.Load()
	o := &origin{session: s, out: out, stop: make(chan struct{})}
	failed := make(chan *CellError, 1)
	s.on(l, o, func() {
		_, err := s.call(o, func() []engine.Value {
			s.within(func() { s.opt.Comm(m) })
			return nil
		})
		failed <- err
	})
	s.streams.current.CompareAndSwap(o, before)
	if o.abandoned.Load() {
		return s.leftBehind(o)
	}
	return <-failed
}

// within calls compiled code that may call functions of cells.
func (s *Session) within(f func()) {
	if e, ok := s.engine.(engine.Parallel); ok {
		e.Call(f)
		return
	}
	f()
}
