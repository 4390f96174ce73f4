package interp

// The plain data that a front end (the kernel, the terminal, a batch run) and a
// Session exchange. All of it survives JSON, so a session can live in another
// process. Offsets into code count code points.

// A Cell is one piece of input.
type Cell struct {
	Code   string
	Silent bool // leaves no trace in counters and history
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
	// Input asks the person for a line. It returns an error where nobody can be asked.
	Input(prompt string, password bool) (string, error)
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
	Interrupt()
	Close() error
}
