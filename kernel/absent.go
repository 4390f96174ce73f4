package kernel

import "github.com/gonterp/gonterp/interp"

// absent stands for the session while there is none.
type absent struct{}

func (absent) Execute(interp.Cell, interp.Output) interp.Outcome {
	return interp.Outcome{Err: &interp.CellError{Name: "no worker", Value: errNoWorker.Error()}}
}

func (absent) Complete(_ string, cursor int) interp.Completion {
	return interp.Completion{Start: cursor, End: cursor}
}

func (absent) Inspect(string, int, int) (interp.Bundle, bool) { return interp.Bundle{}, false }
func (absent) IsComplete(string) interp.Completeness          { return interp.Completeness{Status: "unknown"} }
func (absent) Interrupt()                                     {}
func (absent) Close() error                                   { return nil }
