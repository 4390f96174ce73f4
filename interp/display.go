package interp

import (
	"errors"
	"fmt"

	"github.com/gonterp/gonterp/interp/engine"
	"github.com/gonterp/gonterp/interp/goroutine"
)

// What compiled code can do with the cell that called it, on the goroutine that
// the cell runs on or one that it started.

// Why a call does not reach a front end.
var (
	errNoCell  = errors.New("no cell is running here")
	errNoComms = errors.New("this front end has no comms; a notebook's has")
)

func callingCell() *origin {
	o, _ := goroutine.Marked().(*origin)
	if o == nil || o.out == nil {
		return nil
	}
	return o
}

// Show displays a value in the calling cell, now.
func Show(v any) { Display(v, "", false) }

// Display displays a value in the calling cell under an id, or, with update,
// puts it where the value of that id stands. Where there is no cell it is printed.
func Display(v any, id string, update bool) {
	o := callingCell()
	if o == nil {
		fmt.Println(v)
		return
	}
	b := o.session.bundle(engine.Value{V: v})
	o.session.streams.do(func() { o.out.Display(o.cell, b, id, update) })
}

// Clear takes away what the calling cell has shown, with wait only when there is something new.
func Clear(wait bool) {
	if o := callingCell(); o != nil {
		o.session.streams.do(func() { o.out.Clear(o.cell, wait) })
	}
}

// SendComm sends a message of a comm to the calling cell's front end.
func SendComm(m CommMessage) error {
	o := callingCell()
	if o == nil {
		return errNoCell
	}
	to, ok := o.out.(CommOutput)
	if !ok {
		return errNoComms
	}
	var err error
	o.session.streams.do(func() { err = to.Comm(o.cell, m) })
	return err
}

// Stopped reports whether the calling cell is being interrupted.
func Stopped() bool {
	o := callingCell()
	return o != nil && o.stopped()
}

// Ask asks the person at the calling cell for a line.
func Ask(prompt string, password bool) (string, error) {
	o := callingCell()
	if o == nil {
		return "", errNoCell
	}
	return o.ask(prompt, password)
}

// ask asks the person at the cell, which ends where an interrupt comes first.
func (o *origin) ask(prompt string, password bool) (string, error) {
	o.session.streams.flush()
	line, err := o.out.Input(prompt, password)
	if errors.Is(err, ErrInterrupted) {
		panic(engine.Interrupted{})
	}
	return line, err
}

// Place is where in the cells the call comes from, as in "cell 3, line 2"; "" where
// that is not known.
func Place() string {
	o := callingCell()
	if o == nil {
		return ""
	}
	at, ok := o.session.engine.Place()
	if !ok {
		return ""
	}
	return o.session.place(at)
}
