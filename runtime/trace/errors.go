package trace

import (
	"fmt"

	"github.com/gonterp/gonterp/docs"
)

// OrderError is a write to a value that the forward has already passed.
type OrderError struct {
	Wanted, Frontier     string // paths
	WantedAt, FrontierAt string // places in the body, "" where unknown
}

func (e *OrderError) Error() string {
	return fmt.Sprintf("cannot write %s%s: the forward has already passed it and stands at %s%s, so the write would change nothing. "+
		"Move it above the line that reads %s%s", e.Wanted, place(e.WantedAt), e.Frontier, place(e.FrontierAt), e.Frontier, docs.See("write-behind"))
}

func place(at string) string {
	if at == "" {
		return ""
	}
	return " (" + at + ")"
}

// MissingError is a read or write of a value that this pass does not compute,
// though others of the same model do.
type MissingError struct{ Path, Why string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is not computed in this pass: %s%s", e.Path, e.Why, docs.See("not-computed"))
}

// ShapeError is a written value that does not fit the place it is written to.
type ShapeError struct {
	Path        string
	Found, Want []int
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("cannot write %s: the value has shape %v and the place has shape %v. "+
		"Write a number, a tensor of that shape or one that broadcasts to it, or a part with SetAt(value, index...)%s", e.Path, e.Found, e.Want, docs.See("shape"))
}

// ValueError is a written value that is no tensor or number for the place it is
// written to.
type ValueError struct{ Path, Why string }

func (e *ValueError) Error() string {
	return fmt.Sprintf("cannot write %s: %s%s", e.Path, e.Why, docs.See("value"))
}

// ThreadError is an access to a pass from a goroutine other than the one it was
// opened on.
type ThreadError struct{ Path string }

func (e *ThreadError) Error() string {
	return fmt.Sprintf("%s belongs to a pass that was opened by another goroutine. "+
		"Read it in the block itself and hand the tensor to the goroutine, or open a pass of its own there%s", e.Path, docs.See("thread"))
}

// ClosedError is an access to a pass that is over.
type ClosedError struct{ Path string }

func (e *ClosedError) Error() string {
	return fmt.Sprintf("%s has no value here: the pass it belongs to is over. Read it inside the block (v := ….Save()) and use v afterwards%s", e.Path, docs.See("closed"))
}

// InterruptError ends a pass that was interrupted.
type InterruptError struct{ At string }

func (e *InterruptError) Error() string { return "interrupted at " + e.At + docs.See("interrupted") }
