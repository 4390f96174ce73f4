package commands

import (
	"errors"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/gonterp/gonterp/interp"
)

// A Session is a session with commands. It implements interp.Sessions.
type Session struct {
	interp.Sessions

	mu          sync.Mutex
	interrupted map[string]bool // by shell: since the latest cell
	saved       string          // what was written last, which may be written again
	entries     []entry
}

// An entry is a cell that was run.
type entry struct {
	number int
	code   string
	well   bool
}

// New puts the commands before a session.
func New(s interp.Sessions) *Session {
	return &Session{Sessions: s, interrupted: map[string]bool{}}
}

// A call is a command at work.
type call struct {
	session *Session
	args    string
	cell    interp.Cell // that the command stands in
	out     interp.Output
	outcome interp.Outcome
}

// print writes to the cell's output.
func (c *call) print(text string) { c.out.Stream(c.outcome.Count, "stdout", text) }

// Execute runs a cell of Go, or a command. A command takes a number as a cell does.
func (s *Session) Execute(cell interp.Cell, out interp.Output) interp.Outcome {
	s.setInterrupted(cell.Shell, false)
	l, ok := parse(cell.Code)
	if !ok {
		return s.execute(cell, out)
	}
	c := &call{session: s, args: l.args, cell: cell, out: out}
	var err error
	if l.asks {
		c.takeNumber()
		err = c.inspect(l)
	} else {
		var cmd command
		if cmd, err = find(l.name); err == nil {
			if cmd.name != "run" && cmd.name != "time" { // those run cells, which have numbers
				c.takeNumber()
			}
			err = cmd.run(c)
		}
		if err != nil && c.outcome.Count == 0 {
			c.takeNumber()
		}
	}
	if failed, ok := errors.AsType[*interp.CellError](err); ok {
		c.outcome.Err = failed
	} else if err != nil {
		c.outcome.Err = &interp.CellError{Name: "command error", Value: err.Error(), Cell: c.outcome.Count, Traceback: strings.Split(err.Error(), "\n")}
	}
	return c.outcome
}

// execute runs a cell of Go and remembers it.
func (s *Session) execute(cell interp.Cell, out interp.Output) interp.Outcome {
	outcome := s.Sessions.Execute(cell, out)
	if !cell.Silent && strings.TrimSpace(cell.Code) != "" {
		s.mu.Lock()
		s.entries = append(s.entries, entry{outcome.Count, cell.Code, outcome.Err == nil})
		s.mu.Unlock()
	}
	return outcome
}

// takeNumber runs a cell of nothing, so that the session counts the command.
func (c *call) takeNumber() {
	c.outcome.Count = c.session.Sessions.Execute(c.with(""), c.out).Count
}

// with is the cell with other code. The first one takes the cell's number, more of
// them the numbers that follow.
func (c *call) with(code string) interp.Cell {
	next := c.cell
	next.Code = code
	c.cell.Number = 0
	return next
}

func (c *call) inspect(l line) error {
	detail := 0
	if l.more {
		detail = 1
	}
	b, ok := c.session.Sessions.Inspect(l.args, utf8.RuneCountInString(l.args), detail)
	if !ok {
		return errors.New("nothing is known of " + l.args)
	}
	c.outcome.Value = &b
	return nil
}

// Interrupt stops the running cell, and the file that it is of.
func (s *Session) Interrupt() {
	s.setInterrupted("", true)
	s.Sessions.Interrupt()
}

// InterruptShell is Interrupt for a shell.
func (s *Session) InterruptShell(shell string) {
	s.setInterrupted(shell, true)
	if in, ok := s.Sessions.(interp.Shells); ok {
		in.InterruptShell(shell)
	} else {
		s.Sessions.Interrupt()
	}
}

// CloseShell implements interp.Shells.
func (s *Session) CloseShell(shell string) {
	if in, ok := s.Sessions.(interp.Shells); ok {
		in.CloseShell(shell)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.interrupted, shell)
}

// Comm implements interp.Comms.
func (s *Session) Comm(shell string, m interp.CommMessage, out interp.Output) *interp.CellError {
	if in, ok := s.Sessions.(interp.Comms); ok {
		return in.Comm(shell, m, out)
	}
	return nil
}

func (s *Session) setInterrupted(shell string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interrupted[shell] = on
}

func (s *Session) wasInterrupted(shell string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.interrupted[shell]
}

// IsComplete says that a command is complete, and code to be timed when it is.
func (s *Session) IsComplete(code string) interp.Completeness {
	l, ok := parse(code)
	if !ok {
		return s.Sessions.IsComplete(code)
	}
	if l.name == "time" && l.args != "" {
		return s.Sessions.IsComplete(l.args)
	}
	return interp.Completeness{Status: "complete"}
}

// Inspect describes the name at the cursor.
func (s *Session) Inspect(code string, cursor, detail int) (interp.Bundle, bool) {
	if l, ok := parse(code); ok {
		skipped := utf8.RuneCountInString(code[:l.at])
		return s.Sessions.Inspect(code[l.at:], max(cursor-skipped, 0), detail)
	}
	return s.Sessions.Inspect(code, cursor, detail)
}
