package gonterp

import "fmt"

// ArgumentError is a research helper called with what it cannot use.
type ArgumentError struct{ Text string }

func (e *ArgumentError) Error() string { return e.Text }

func argumentErrorf(format string, args ...any) *ArgumentError {
	return &ArgumentError{fmt.Sprintf(format, args...)}
}
