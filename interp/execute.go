package interp

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gonterp/gonterp/interp/check"
	"github.com/gonterp/gonterp/interp/engine"
	"github.com/gonterp/gonterp/interp/goroutine"
)

// Execute runs a cell and returns when it is over and all that it wrote has
// been delivered to out. Cells run one at a time.
func (s *Session) Execute(c Cell, out Output) Outcome {
	s.execute.Lock()
	defer s.execute.Unlock()
	number := s.count + 1
	if !c.Silent {
		s.count = number
	}
	s.running.Lock()
	s.stop = make(chan struct{})
	stop := s.stop
	s.running.Unlock()
	o := &origin{session: s, cell: number, out: out}
	s.streams.current.Store(o)
	result := make(chan Outcome, 1)
	over := s.thread.do(func() {
		goroutine.Mark(o)
		value, err := s.run(o, c.Code)
		result <- Outcome{Count: number, Value: value, Err: err}
	})
	select {
	case <-over:
	case <-stop:
		s.await(o, over)
	}
	s.running.Lock()
	s.stop = nil
	s.running.Unlock()
	s.streams.flush()
	if o.abandoned.Load() {
		err := &CellError{
			Name: "interrupted", Cell: number,
			Value: "interrupted; the cell is still blocked in a call that cannot be stopped, and has been left behind",
		}
		err.Traceback = []string{err.Value}
		return Outcome{Count: number, Err: err}
	}
	return <-result
}

// await waits for an interrupted cell to end, and gives its thread up where it
// does not. An interrupt that came between two steps of starting the cell is
// told again.
func (s *Session) await(o *origin, over <-chan struct{}) {
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for end := time.After(patience); ; {
		select {
		case <-over:
			return
		case <-again.C:
			s.interruptNow()
		case <-end:
			o.abandoned.Store(true)
			s.thread.close()
			s.thread = newThread()
			<-s.thread.do(func() { s.after(false) })
			return
		}
	}
}

// run checks, compiles and runs a cell on the session's thread.
func (s *Session) run(o *origin, code string) (*Bundle, *CellError) {
	number := o.cell
	if strings.TrimSpace(code) == "" {
		return nil, nil
	}
	run, err := s.prepare(number, code)
	if err != nil {
		var errs check.Errors
		if errors.As(err, &errs) && errs.OnlyUndefined() && onlyFunctions(code) {
			s.wait(number, code, errs)
			return nil, nil
		}
		return nil, s.refused(number, code, err)
	}
	value, cellErr := s.call(o, run)
	if cellErr == nil {
		s.retry()
	}
	return value, cellErr
}

// prepare returns the func value of a cell, whose declarations are then there.
func (s *Session) prepare(number int, code string) (engine.Run, error) {
	s.state.Lock()
	defer s.state.Unlock()
	s.sources[number] = code
	return s.compile(number, code)
}

// compile does the work of prepare; a fault of our own must not end the session.
func (s *Session) compile(number int, code string) (run engine.Run, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error, a fault of gonterp and not of the cell: %v\n%s", p, debug.Stack())
		}
	}()
	c, err := s.check.Cell(number, code)
	if err != nil {
		return nil, err
	}
	if err = s.literals(c); err == nil {
		run, err = s.engine.Compile(c)
	}
	if err != nil {
		s.check.Drop(c)
		return nil, err
	}
	s.check.Commit(c)
	return run, nil
}

// call runs a compiled cell and shows its value.
func (s *Session) call(o *origin, run engine.Run) (value *Bundle, failed *CellError) {
	if s.opt.BeforeCell != nil {
		s.opt.BeforeCell()
	}
	ok := false
	defer func() {
		if !ok {
			failed = s.failed(o.cell, recover())
			value = nil
		}
		if !o.abandoned.Load() { // else that has been done, and another cell may be running
			s.after(ok)
		}
	}()
	values := run()
	value = s.show(values)
	ok = true
	return value, nil
}

func (s *Session) after(ok bool) {
	if s.opt.AfterCell != nil {
		s.opt.AfterCell(ok)
	}
}

// wait keeps a cell of functions until the names that they use are there.
func (s *Session) wait(number int, code string, errs check.Errors) {
	s.waiting = append(s.waiting, waitingCell{number, code})
	var names []string
	for _, d := range errs {
		name, _ := d.Undefined()
		if _, meant, ok := strings.Cut(d.Text, "; "); ok {
			name += " (" + meant + ")"
		}
		names = append(names, name)
	}
	fmt.Fprintf(s.streams.stderr, "not defined yet: this cell takes effect when %s is there\n", strings.Join(names, ", "))
}

// retry declares the waiting cells that can be.
func (s *Session) retry() {
	s.state.Lock()
	defer s.state.Unlock()
	todo := s.waiting
	s.waiting = nil
	for _, w := range todo {
		if run, err := s.compile(w.number, w.code); err != nil {
			s.waiting = append(s.waiting, w)
		} else {
			declare(run)
		}
	}
}

// declare runs a cell of declarations: only an interrupt can make it panic.
func declare(run engine.Run) {
	defer func() { _ = recover() }()
	run()
}
