package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/kernel/output"
)

// Capture starts to pass on what the process writes beside its session; write
// takes the text. The function it returns waits for what is on its way.
type Capture func(write func(name string, text []byte)) (drain func(), err error)

// A Process is what Serve may have of the process that it is alone in.
type Process struct {
	Capture Capture         // of what the process writes
	Journal *output.Journal // of what it has not sent yet
	Ending  func()          // is called when the requests have ended, before the session is closed
}

// Serve answers requests from in on out until in ends, and then closes the session.
// It calls open once, while requests already wait.
func Serve(in io.Reader, out io.Writer, open func() (interp.Sessions, error), own Process) error {
	s := &server{out: sender{w: out}, shells: map[string]*shell{}, asked: map[uint64]chan frame{}, drain: func() {}}
	s.text = output.NewStream(func(p output.Piece) {
		s.out.send(frame{Kind: kindStream, ID: p.Run, Cell: p.Cell, Name: p.Name, Text: p.Text, Number: int(p.Number)})
	}, own.Journal)
	if own.Capture != nil {
		drain, err := own.Capture(func(name string, text []byte) {
			run := s.running()
			s.text.Write(run, 0, name, string(text))
		})
		if err != nil {
			return err
		}
		s.drain = drain
	}
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		session, err := open()
		if err != nil {
			s.flush()
			s.out.send(frame{Kind: kindReady, Failure: err.Error()})
			return
		}
		s.session = session
		s.out.send(frame{Kind: kindReady})
	}()
	err := s.serve(in, opened)
	if own.Ending != nil {
		own.Ending()
	}
	s.unanswered()
	<-opened
	if s.session != nil {
		return errors.Join(err, s.session.Close())
	}
	return err
}

// A server is a session and what is asked of it.
type server struct {
	out     sender
	session interp.Sessions
	text    *output.Stream
	drain   func()
	one     sync.Mutex // held by the running cell of a session that has no shells

	mu     sync.Mutex
	shells map[string]*shell
	run    uint64 // the request of the cell that started last
	asked  map[uint64]chan frame
	asks   uint64
}

// A shell is a queue of cells.
type shell struct {
	cells    chan frame
	received uint64 // the latest request; under server.mu
	finished uint64 // the latest one that is over
}

func (s *server) running() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run
}

// shell is the queue of a name, which is there from its first cell on.
func (s *server) shell(name string, opened <-chan struct{}) *shell {
	s.mu.Lock()
	defer s.mu.Unlock()
	sh := s.shells[name]
	if sh == nil {
		sh = &shell{cells: make(chan frame, 1024)}
		s.shells[name] = sh
		go func() {
			<-opened
			for f := range sh.cells {
				s.execute(f, sh)
			}
			if session, ok := s.session.(interp.Shells); ok && name != "" {
				session.CloseShell(name)
			}
		}()
	}
	return sh
}

// closeShell ends a queue, whose session's shell is closed when it is empty.
func (s *server) closeShell(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sh := s.shells[name]; sh != nil {
		delete(s.shells, name)
		close(sh.cells)
	}
}

// serve reads requests. Cells of a shell run one after the other, and messages of
// comms between them; everything else is answered beside them.
func (s *server) serve(in io.Reader, opened <-chan struct{}) error {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, sh := range s.shells {
			close(sh.cells)
		}
	}()
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		f, err := receive(r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch f.Kind {
		case kindExecute, kindComm:
			sh := s.shell(f.Shell, opened)
			s.mu.Lock()
			sh.received = f.ID
			s.mu.Unlock()
			sh.cells <- f
		case kindCloseShell:
			s.closeShell(f.Shell)
		case kindLine:
			s.mu.Lock()
			answer := s.asked[f.Ask]
			delete(s.asked, f.Ask)
			s.mu.Unlock()
			if answer != nil {
				answer <- f
			}
		case kindInterrupt:
			s.mu.Lock()
			sh, target := s.shells[f.Shell], uint64(0)
			if sh != nil {
				target = sh.received
			}
			s.mu.Unlock()
			if sh != nil {
				go func() {
					<-opened
					s.interrupt(f.Shell, sh, target)
				}()
			}
		default:
			go func() {
				<-opened
				s.answer(f)
			}()
		}
	}
}

// interrupt stops the target, the cell of a shell that was sent last. An interrupt that comes while the
// cell is about to begin finds nothing to stop, so it is told again.
func (s *server) interrupt(name string, sh *shell, target uint64) {
	if s.session == nil {
		return
	}
	for range 5 {
		s.mu.Lock()
		over := sh.finished >= target
		s.mu.Unlock()
		if over {
			return
		}
		if session, ok := s.session.(interp.Shells); ok {
			session.InterruptShell(name)
		} else {
			s.session.Interrupt()
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// unanswered ends the questions that nobody will answer any more.
func (s *server) unanswered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ask, answer := range s.asked {
		delete(s.asked, ask)
		answer <- frame{Failure: "the front end is gone"}
	}
}

// answer serves the requests that run no cell.
func (s *server) answer(f frame) {
	reply := frame{Kind: kindReply, ID: f.ID}
	defer func() {
		if r := recover(); r != nil {
			reply.Failure = fmt.Sprintf("%s: %v\n%s", f.Kind, r, debug.Stack())
		}
		s.out.send(reply)
	}()
	if s.session == nil {
		reply.Failure = "the session did not start"
		return
	}
	switch f.Kind {
	case kindComplete:
		c := s.session.Complete(f.Code, f.Cursor)
		reply.Completion = &c
	case kindInspect:
		b, found := s.session.Inspect(f.Code, f.Cursor, f.Detail)
		reply.Found = found
		if found {
			reply.Bundle = pack(b)
		}
	case kindIsComplete:
		c := s.session.IsComplete(f.Code)
		reply.Completeness = &c
	default:
		reply.Failure = fmt.Sprintf("an unknown request %q: supervisor and worker are of different versions", f.Kind)
	}
}

// execute runs one cell and replies when all it showed is on its way.
func (s *server) execute(f frame, sh *shell) {
	s.mu.Lock()
	if f.Kind == kindExecute {
		s.run = f.ID
	}
	s.mu.Unlock()
	if _, ok := s.session.(interp.Shells); !ok {
		s.one.Lock()
		defer s.one.Unlock()
	}
	o := s.runCell(f)
	s.mu.Lock()
	sh.finished = f.ID
	s.mu.Unlock()
	s.flush()
	reply := frame{Kind: kindReply, ID: f.ID, Outcome: &outcome{Count: o.Count, Err: o.Err}}
	if o.Value != nil {
		reply.Outcome.Value = pack(*o.Value)
	}
	if err := s.out.send(reply); err != nil {
		reply.Outcome = &outcome{Count: o.Count, Err: &interp.CellError{Name: "output error", Value: err.Error(), Traceback: []string{err.Error()}}}
		s.out.send(reply)
	}
}

func (s *server) runCell(f frame) (o interp.Outcome) {
	if s.session == nil {
		return interp.Outcome{Err: &interp.CellError{Name: "start error", Value: "the session did not start"}}
	}
	defer func() {
		if r := recover(); r != nil {
			o.Err = &interp.CellError{Name: "internal error", Value: fmt.Sprint(r), Traceback: []string{fmt.Sprint(r), string(debug.Stack())}}
		}
	}()
	out := shown{s, f.ID}
	if f.Kind == kindComm {
		m := unpackComm(f)
		if session, ok := s.session.(interp.Comms); ok {
			o.Err = session.Comm(f.Shell, m, out)
		} else if m.Kind == "open" {
			out.Comm(0, interp.CommMessage{Kind: "close", ID: m.ID})
		}
		return o
	}
	return s.session.Execute(interp.Cell{Code: f.Code, Silent: f.Silent, Number: f.Number, Shell: f.Shell}, out)
}

func (s *server) flush() {
	s.drain()
	s.text.Flush()
}

// shown passes on what the session shows. A session keeps each cell's for what
// the cell's goroutines show later.
type shown struct {
	s   *server
	run uint64
}

func (o shown) Stream(cell int, name, text string) {
	o.s.drain()
	o.s.text.Write(o.run, cell, name, text)
}

func (o shown) Display(cell int, b interp.Bundle, id string, update bool) {
	o.s.flush()
	o.s.out.send(frame{Kind: kindDisplay, ID: o.run, Cell: cell, Bundle: pack(b), Display: id, Update: update})
}

func (o shown) Clear(cell int, wait bool) {
	o.s.flush()
	o.s.out.send(frame{Kind: kindClear, ID: o.run, Cell: cell, Wait: wait})
}

func (o shown) Comm(cell int, m interp.CommMessage) error {
	o.s.flush()
	return o.s.out.send(packComm(frame{ID: o.run, Cell: cell}, m))
}

func (o shown) Input(prompt string, password bool) (string, error) {
	o.s.flush()
	answer := make(chan frame, 1)
	o.s.mu.Lock()
	o.s.asks++
	ask := o.s.asks
	o.s.asked[ask] = answer
	o.s.mu.Unlock()
	if err := o.s.out.send(frame{Kind: kindInput, ID: o.run, Ask: ask, Text: prompt, Password: password}); err != nil {
		return "", err
	}
	f := <-answer
	if f.Interrupted {
		return "", interp.ErrInterrupted
	}
	if f.Failure != "" {
		return "", errors.New(f.Failure)
	}
	return f.Text, nil
}
