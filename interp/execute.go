package interp

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/gonterp/gonterp/interp/check"
	"github.com/gonterp/gonterp/interp/engine"
)

// Execute runs a cell and returns when it is over and all that it wrote has
// been delivered to out. The cells of a shell run one at a time.
func (s *Session) Execute(c Cell, out Output) Outcome {
	l := s.lane(c.Shell)
	l.execute.Lock()
	defer l.execute.Unlock()
	if l.closed {
		return Outcome{Err: closed()}
	}
	o := &origin{session: s, cell: s.number(c), out: out, stop: make(chan struct{})}
	result := make(chan Outcome, 1)
	s.on(l, o, func() {
		value, err := s.run(o, c.Code)
		result <- Outcome{Count: o.cell, Value: value, Err: err}
	})
	if o.abandoned.Load() {
		return Outcome{Count: o.cell, Err: s.leftBehind(o)}
	}
	return <-result
}

// leftBehind is the error of a cell whose thread was given up.
func (s *Session) leftBehind(o *origin) *CellError {
	err := &CellError{
		Name: "interrupted", Cell: o.cell,
		Value: "interrupted; the cell is still blocked in a call that cannot be stopped, and has been left behind",
	}
	err.Traceback = []string{err.Value}
	return err
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
			failed = s.failed(o, recover())
			value = nil
		}
		if !o.abandoned.Load() { // else that has been done, and another cell may be running
			s.after(ok)
		}
	}()
	values := run()
	if o.stopped() { // in a last call, which has come back
		panic(engine.Interrupted{})
	}
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
	s.state.Lock()
	s.waiting = append(s.waiting, waitingCell{number, code})
	s.state.Unlock()
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
