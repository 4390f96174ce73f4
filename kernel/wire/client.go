package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/kernel/output"
)

// kept is how many cells a client remembers the outputs of, for what their
// goroutines may still write.
const kept = 1024

// A Client is a session in another process. Its methods may be called from any
// goroutine; the cells of a shell run in the order of the calls.
type Client struct {
	in    io.WriteCloser
	out   sender
	open  sync.Once
	ready chan struct{}

	mu      sync.Mutex
	next    uint64
	waiting map[uint64]chan frame
	outputs map[uint64]interp.Output
	latest  interp.Output
	piece   uint64          // the latest piece of text that came
	journal *output.Journal // where those are that did not; nil where there is none
	oldest  uint64
	failure string
	lost    error
	gone    chan struct{}
}

// NewClient talks to a Serve that reads from in and writes to out, and keeps what it
// has not sent yet in the journal, which may be nil.
func NewClient(in io.WriteCloser, out io.Reader, journal *output.Journal) *Client {
	c := &Client{
		journal: journal,
		in:      in, out: sender{w: in},
		ready: make(chan struct{}), gone: make(chan struct{}),
		waiting: map[uint64]chan frame{}, outputs: map[uint64]interp.Output{}, oldest: 1,
	}
	go c.read(out)
	return c
}

// A LostError says that the process of the session is gone.
type LostError struct{ Err error }

func (e *LostError) Error() string {
	return "the session's process is gone: " + e.Err.Error()
}

func (e *LostError) Unwrap() error { return e.Err }

// Gone is closed when the session's process has closed its side.
func (c *Client) Gone() <-chan struct{} { return c.gone }

// Ready waits until the session is open and gives the error that kept it from
// opening.
func (c *Client) Ready() error {
	select {
	case <-c.ready:
		if c.failure != "" {
			return fmt.Errorf("%s", c.failure)
		}
		return nil
	case <-c.gone:
		return &LostError{c.lost}
	}
}

func (c *Client) read(out io.Reader) {
	r := bufio.NewReaderSize(out, 64<<10)
	var err error
	for {
		var f frame
		if f, err = receive(r); err != nil {
			break
		}
		c.take(f)
	}
	if c.journal != nil {
		for _, p := range c.journal.Rest(c.piece) {
			c.take(frame{Kind: kindStream, ID: p.Run, Cell: p.Cell, Name: p.Name, Text: strings.ToValidUTF8(p.Text, "\uFFFD")})
		}
		c.journal.Close()
	}
	c.mu.Lock()
	c.lost = err
	c.mu.Unlock()
	close(c.gone)
}

func (c *Client) take(f frame) {
	switch f.Kind {
	case kindReady:
		c.open.Do(func() {
			c.failure = f.Failure
			close(c.ready)
		})
	case kindReply:
		c.mu.Lock()
		answer := c.waiting[f.ID]
		delete(c.waiting, f.ID)
		c.mu.Unlock()
		if answer != nil {
			answer <- f
		}
	default:
		c.mu.Lock()
		o := c.outputs[f.ID]
		if o == nil { // of a cell long past
			o = c.latest
		}
		c.mu.Unlock()
		if f.Kind == kindStream {
			c.piece = uint64(f.Number)
		}
		if o == nil {
			return
		}
		switch f.Kind {
		case kindStream:
			o.Stream(f.Cell, f.Name, f.Text)
		case kindDisplay:
			o.Display(f.Cell, f.Bundle.unpack(), f.Display, f.Update)
		case kindClear:
			o.Clear(f.Cell, f.Wait)
		case kindComm:
			if to, ok := o.(interp.CommOutput); ok {
				to.Comm(f.Cell, unpackComm(f))
			}
		case kindInput:
			go func() {
				line, err := o.Input(f.Text, f.Password)
				answer := frame{Kind: kindLine, Ask: f.Ask, Text: line}
				if err != nil {
					answer.Failure, answer.Interrupted = err.Error(), errors.Is(err, interp.ErrInterrupted)
				}
				c.out.send(answer)
			}()
		}
	}
}

// ask sends a request and waits for its reply.
func (c *Client) ask(f frame, o interp.Output) (frame, error) {
	answer := make(chan frame, 1)
	c.mu.Lock()
	c.next++
	f.ID = c.next
	c.waiting[f.ID] = answer
	if o != nil {
		c.outputs[f.ID] = o
		if f.Kind == kindExecute {
			c.latest = o
		}
		for ; len(c.outputs) > kept; c.oldest++ {
			delete(c.outputs, c.oldest)
		}
	}
	c.mu.Unlock()
	if err := c.out.send(f); err != nil {
		select {
		case <-c.gone:
		default:
			return frame{}, &LostError{err}
		}
	}
	select {
	case reply := <-answer:
		return reply, nil
	case <-c.gone:
		select {
		case reply := <-answer:
			return reply, nil
		default:
			return frame{}, &LostError{c.lost}
		}
	}
}

// Run executes a cell as Execute does, and tells a lost process from a cell that
// failed.
func (c *Client) Run(cell interp.Cell, o interp.Output) (interp.Outcome, error) {
	return c.outcome(frame{Kind: kindExecute, Code: cell.Code, Silent: cell.Silent, Number: cell.Number, Shell: cell.Shell}, o)
}

// Deliver passes a message of a comm on to the session's Comm, and tells a lost process from
// a handler that failed.
func (c *Client) Deliver(shell string, m interp.CommMessage, o interp.Output) (*interp.CellError, error) {
	outcome, err := c.outcome(packComm(frame{Shell: shell}, m), o)
	return outcome.Err, err
}

// outcome asks for what ends as a cell does.
func (c *Client) outcome(f frame, o interp.Output) (interp.Outcome, error) {
	reply, err := c.ask(f, o)
	if err != nil {
		return interp.Outcome{}, err
	}
	if reply.Outcome == nil {
		return interp.Outcome{}, fmt.Errorf("wire: a reply without an outcome")
	}
	outcome := interp.Outcome{Count: reply.Outcome.Count, Err: reply.Outcome.Err}
	if reply.Outcome.Value != nil {
		v := reply.Outcome.Value.unpack()
		outcome.Value = &v
	}
	return outcome, nil
}

// Execute implements interp.Sessions.
func (c *Client) Execute(cell interp.Cell, o interp.Output) interp.Outcome {
	outcome, err := c.Run(cell, o)
	if err != nil {
		outcome.Err = &interp.CellError{Name: "worker lost", Value: err.Error(), Traceback: []string{err.Error()}}
	}
	return outcome
}

// Complete implements interp.Sessions.
func (c *Client) Complete(code string, cursor int) interp.Completion {
	reply, err := c.ask(frame{Kind: kindComplete, Code: code, Cursor: cursor}, nil)
	if err != nil || reply.Completion == nil {
		return interp.Completion{Start: cursor, End: cursor}
	}
	return *reply.Completion
}

// Inspect implements interp.Sessions.
func (c *Client) Inspect(code string, cursor, detail int) (interp.Bundle, bool) {
	reply, err := c.ask(frame{Kind: kindInspect, Code: code, Cursor: cursor, Detail: detail}, nil)
	if err != nil || !reply.Found {
		return interp.Bundle{}, false
	}
	return reply.Bundle.unpack(), true
}

// IsComplete implements interp.Sessions. Its status is "unknown" where the
// session cannot be asked.
func (c *Client) IsComplete(code string) interp.Completeness {
	reply, err := c.ask(frame{Kind: kindIsComplete, Code: code}, nil)
	if err != nil || reply.Completeness == nil {
		return interp.Completeness{Status: "unknown"}
	}
	return *reply.Completeness
}

// Interrupt implements interp.Sessions.
func (c *Client) Interrupt() { c.InterruptShell("") }

// InterruptShell implements interp.Shells.
func (c *Client) InterruptShell(shell string) {
	c.out.send(frame{Kind: kindInterrupt, Shell: shell})
}

// CloseShell implements interp.Shells. It does not wait.
func (c *Client) CloseShell(shell string) {
	c.out.send(frame{Kind: kindCloseShell, Shell: shell})
}

// Close ends the session; its process sees the end of its input.
func (c *Client) Close() error { return c.in.Close() }
