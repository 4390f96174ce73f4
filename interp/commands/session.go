package commands

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/gonterp/gonterp/interp"
)

// A Session is a session with commands. It implements interp.Sessions.
type Session struct {
	interp.Sessions
	interrupted atomic.Bool
	saved       string // what was written last, which may be written again

	mu      sync.Mutex
	entries []entry
}

// An entry is a cell that was run.
type entry struct {
	number int
	code   string
	well   bool
}

// New puts the commands before a session.
func New(s interp.Sessions) *Session { return &Session{Sessions: s} }

// A call is a command at work.
type call struct {
	session *Session
	args    string
	silent  bool
	out     interp.Output
	outcome interp.Outcome
}

// print writes to the cell's output.
func (c *call) print(text string) { c.out.Stream(c.outcome.Count, "stdout", text) }

// Execute runs a cell of Go, or a command. A command takes a number as a cell does.
func (s *Session) Execute(cell interp.Cell, out interp.Output) interp.Outcome {
	s.interrupted.Store(false)
	l, ok := parse(cell.Code)
	if !ok {
		return s.execute(cell, out)
	}
	c := &call{session: s, args: l.args, silent: cell.Silent, out: out}
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
	c.outcome.Count = c.session.Sessions.Execute(interp.Cell{Silent: c.silent}, c.out).Count
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
	s.interrupted.Store(true)
	s.Sessions.Interrupt()
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
