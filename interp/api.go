package interp

import (
	"encoding/json"
	"errors"
)

// The plain data that a front end (the kernel, the terminal, a batch run) and a
// Session exchange. All of it survives JSON, so a session can live in another
// process. Offsets into code count code points.

// A Cell is one piece of input.
type Cell struct {
	Code   string
	Silent bool // leaves no trace in counters and history
	// Number is what a front end has numbered the cell; 0 takes the next number.
	Number int
	// Shell names the queue that the cell is of. Cells of one shell run one after
	// the other, those of two shells at the same time where the engine can.
	// "" is the main one; another is there from its first cell on.
	Shell string
}

// A Bundle is one thing to show, in several forms. Data maps a MIME type to a
// string, to []byte (binary forms), or to a value that encodes as JSON.
// text/plain is always among them.
type Bundle struct {
	Data     map[string]any
	Metadata map[string]any
}

// Output receives what a cell shows while it runs, in order. Everything a cell
// wrote has been delivered when Execute returns; cell is the number of the cell
// that started the goroutine that wrote, also when that cell is over.
type Output interface {
	Stream(cell int, name, text string) // name is "stdout" or "stderr"
	Display(cell int, b Bundle, id string, update bool)
	Clear(cell int, wait bool)
	// Input asks the person for a line. It returns an error where nobody can be asked,
	// and ErrInterrupted where an interrupt came first, which ends the cell.
	Input(prompt string, password bool) (string, error)
}

// ErrInterrupted is the error of an Input that an interrupt has ended.
var ErrInterrupted = errors.New("interrupted while waiting for input")

// A CommOutput is an Output whose front end has comms.
type CommOutput interface {
	Comm(cell int, m CommMessage) error
}

// A CommMessage belongs to a comm, a line between cells and a front end's programs.
type CommMessage struct {
	Kind     string // "open", "message" or "close"
	ID       string // of the comm
	Target   string // what an opened comm is for
	Data     json.RawMessage
	Metadata json.RawMessage
	Buffers  [][]byte
}

// An Outcome is how a cell ended.
type Outcome struct {
	Count int
	Value *Bundle // the value of the cell's last expression, if it has one
	Err   *CellError
}

// A CellError is why a cell did not end well. Line and Column point into the
// cell, from 1; 0 where there is no place to point at.
type CellError struct {
	Name        string // "compile error", "panic", "interrupted", ...
	Value       string // one line
	Traceback   []string
	Cell        int
	Line        int
	Column      int
	Diagnostics []Diagnostic // every compile error of the cell
}

func (e *CellError) Error() string { return e.Name + ": " + e.Value }

// A Diagnostic is one compile error.
type Diagnostic struct {
	Line, Column int
	Text         string
}

// A Completion replaces code[Start:End].
type Completion struct {
	Start, End int
	Items      []CompletionItem
}

// A CompletionItem is one thing that may stand there.
type CompletionItem struct {
	Text      string
	Kind      string // "func", "var", "type", "const", "package", "field", "method", "keyword", "value"
	Signature string
	Doc       string
}

// Completeness says whether Enter should run a cell.
type Completeness struct {
	Status string // "complete", "incomplete" or "invalid"
	Indent string // what the next line of an incomplete cell starts with
}

// Sessions is what front ends call; Session implements it, and so does a client
// of a session in another process.
type Sessions interface {
	Execute(c Cell, out Output) Outcome
	Complete(code string, cursor int) Completion
	Inspect(code string, cursor, detail int) (Bundle, bool)
	IsComplete(code string) Completeness
	Interrupt() // the main shell's running cell
	Close() error
}

// Shells is implemented by Sessions that have other shells than the main one.
type Shells interface {
	InterruptShell(shell string)
	CloseShell(shell string) // when its last cell is over
}

// Comms is implemented by Sessions whose cells may use comms.
type Comms interface {
	// Comm takes a message of the front end's, on the thread of a shell and behind its cells.
	// What handlers show goes to out. The error is of a handler.
	Comm(shell string, m CommMessage, out Output) *CellError
}
