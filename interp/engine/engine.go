package engine

import (
	"fmt"
	"go/token"
	"go/types"
	"io"
	"reflect"

	"github.com/gonterp/gonterp/interp/check"
	"github.com/gonterp/gonterp/interp/exports"
)

// An Engine makes checked cells runnable. One goroutine at a time calls its
// methods, except Interrupt, which any goroutine may call while a cell runs, and
// Fault and Place, which are about the calling goroutine.
type Engine interface {
	// Compile makes a cell ready to run. What the engine cannot run right it
	// refuses here with a *Refusal, and is then as it was before.
	Compile(c *check.Cell) (Run, error)
	// Interrupt makes the running cell stop: its Run panics with Interrupted,
	// from loops, channel operations and sleeps within 200 ms.
	Interrupt()
	// Fault explains what a Run panicked with.
	Fault(recovered any) Fault
	// Place is where in a cell the calling goroutine is; ok is false where the engine
	// does not know.
	Place() (at token.Position, ok bool)
	// Variable returns the current value of a session variable (a Global of check.Var).
	Variable(v *types.Var) (Value, bool)
	// Close frees what the engine holds.
	Close()
}

// A Parallel engine runs several cells at once, each on a goroutine of its own.
// Host.Owner tells it whose a run is.
type Parallel interface {
	Engine
	// InterruptOf is Interrupt for the runs of one owner.
	InterruptOf(owner any)
	// Call calls a compiled function that may call those of cells, as a Run does.
	Call(f func())
}

// A Run executes a compiled cell, once, on the calling goroutine, and returns
// the values of the cell's last expression: none, one, or several for a call
// with several results. It panics as the cell does.
type Run func() []Value

// A Value is a value of a cell. V is fit to be handed to compiled code: fmt
// prints it as it prints the same value in a compiled program, and it
// implements the interfaces that compiled code looks for (error, fmt.Stringer,
// json.Marshaler, image.Image) where the cell's type does.
type Value struct {
	V    any
	Type types.Type
	// Method returns a method of the value, the zero Value if there is none; nil stands for V's own methods.
	Method func(name string) reflect.Value
}

// Call calls a method without arguments and returns its first result.
func (v Value) Call(name string) (result any, ok bool) {
	m := reflect.Value{}
	if v.Method != nil {
		m = v.Method(name)
	} else if v.V != nil {
		m = reflect.ValueOf(v.V).MethodByName(name)
	}
	if !m.IsValid() || m.Type().NumIn() != 0 || m.Type().NumOut() == 0 {
		return nil, false
	}
	return m.Call(nil)[0].Interface(), true
}

// A Fault is why a cell did not run to its end.
type Fault struct {
	Name  string // "panic", "exit", or the type of an error that the host panicked with
	Text  string // Go's own words: what follows "panic: "
	Value any    // what was panicked with, as compiled code sees it
	Stack []Frame
}

// A Frame is one line of a cell's own call stack, innermost first.
type Frame struct {
	Func string // "" for the cell itself
	Pos  token.Position
	More int // calls outside this one that are left out
}

// A Refusal is the error of a construct that an engine cannot run right.
type Refusal struct {
	Pos       token.Position
	Construct string
	Instead   string // what to write instead, "" if nothing is known
}

func (r *Refusal) Error() string {
	s := fmt.Sprintf("%d:%d: not supported here: %s", r.Pos.Line, r.Pos.Column, r.Construct)
	if r.Instead != "" {
		s += "; " + r.Instead
	}
	return s
}

// Interrupted is what an interrupted Run panics with.
type Interrupted struct{}

func (Interrupted) Error() string { return "interrupted" }

// Exit is what os.Exit, log.Fatal and runtime.Goexit panic with in a cell; the
// session puts functions that do so into the tables.
type Exit struct{ Text string }

func (e Exit) Error() string { return e.Text }

// Host is what a session gives to an engine.
type Host struct {
	// Importer knows the host's packages: their symbols (where the session has
	// put its own versions of what prints, sleeps and exits) and their types.
	Importer *exports.Importer
	// Writer is the session's own stream behind w where w is the cell's
	// os.Stdout or os.Stderr (it keeps the order and knows the goroutine's cell), else w.
	Writer func(w io.Writer) io.Writer
	// Stdout and Stderr are what fmt.Print and the builtin print write to.
	Stdout, Stderr io.Writer
	// Panicked reports the panic of a goroutine that a cell started; it is called on that goroutine.
	Panicked func(Fault)
	// Cell is the number of the cell that started the calling goroutine, directly
	// or through other goroutines; a plain go statement hands it on.
	Cell func() int
	// Owner is whose the calling goroutine is; nil where the engine runs one cell at a time.
	Owner func() any
}

// HasMethod reports whether the value has a method.
func (v Value) HasMethod(name string) bool {
	if v.Method != nil {
		return v.Method(name).IsValid()
	}
	return v.V != nil && reflect.ValueOf(v.V).MethodByName(name).IsValid()
}
