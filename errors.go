package gonterp

import "fmt"

// NoPassError is a value asked for where no pass is open.
type NoPassError struct{ Path string }

func (e *NoPassError) Error() string {
	return fmt.Sprintf("%s has no value here, because no pass is open on this thread. Read it inside a block: with model.Trace(prompt) { … }", e.Path)
}

// UnknownValueError is a path that names nothing.
type UnknownValueError struct{ Path, Nearest string }

func (e *UnknownValueError) Error() string {
	text := fmt.Sprintf("there is no value %q", e.Path)
	if e.Nearest != "" {
		text += fmt.Sprintf("; the nearest is %q", e.Nearest)
	}
	return text + ". model.Points() lists all"
}

// MissingValueError is a standard value that this block does not have.
type MissingValueError struct{ Path, Why string }

func (e *MissingValueError) Error() string { return fmt.Sprintf("there is no %s: %s", e.Path, e.Why) }

// ReadOnlyError is a write to a value that follows from others.
type ReadOnlyError struct{ Path, Doc string }

func (e *ReadOnlyError) Error() string {
	return fmt.Sprintf("%s is read-only. %s Write what it follows from instead", e.Path, e.Doc)
}

// PromptError is a prompt that cannot be run.
type PromptError struct{ Text string }

func (e *PromptError) Error() string { return e.Text }

func promptErrorf(format string, args ...any) *PromptError {
	return &PromptError{fmt.Sprintf(format, args...)}
}

// NestedError is a pass opened inside another one of the same model.
type NestedError struct{ Model string }

func (e *NestedError) Error() string {
	return fmt.Sprintf("a pass of %s is open on this thread already. End its block first; to run several prompts together, name them up front: model.Trace([]string{a, b}), then with m.Prompt(0) { … }", e.Model)
}

// GradientError is a gradient that cannot be had.
type GradientError struct{ Text string }

func (e *GradientError) Error() string { return e.Text }
