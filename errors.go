package gonterp

import (
	"fmt"
	"strings"

	"github.com/gonterp/gonterp/docs"
)

// OpenError is a model that cannot be opened. Err is what is wrong: an UncachedError, a
// ConfigError or a FileError of package checkpoint, or all weights that do not fit.
type OpenError struct {
	Err error
	see string // the page
}

// faultsShown is how many lines of faults an OpenError shows: a wrong config.json
// misfits every tensor of a model.
const faultsShown = 10

func (e *OpenError) Error() string {
	lines := strings.Split(e.Err.Error(), "\n")
	if len(lines) == 1 {
		return lines[0] + e.see
	}
	lines[0] = strings.TrimSuffix(lines[0], ":") + e.see + ":"
	if more := len(lines) - 1 - faultsShown; more > 1 {
		lines = append(lines[:1+faultsShown], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n")
}

func (e *OpenError) Unwrap() error { return e.Err }

// NoPassError is a value asked for where no pass is open.
type NoPassError struct{ Path string }

func (e *NoPassError) Error() string {
	return fmt.Sprintf("%s has no value here, because no pass is open on this thread. Read it inside a block: with model.Trace(prompt) { … }%s", e.Path, docs.See("no-pass"))
}

// UnknownValueError is a path that names nothing.
type UnknownValueError struct{ Path, Nearest string }

func (e *UnknownValueError) Error() string {
	text := fmt.Sprintf("there is no value %q", e.Path)
	if e.Nearest != "" {
		text += fmt.Sprintf("; the nearest is %q", e.Nearest)
	}
	return text + ". model.Points() lists all" + docs.See("unknown-value")
}

// MissingValueError is a standard value that this block does not have.
type MissingValueError struct{ Path, Why string }

func (e *MissingValueError) Error() string {
	return fmt.Sprintf("there is no %s: %s%s", e.Path, e.Why, docs.See("missing-value"))
}

// ReadOnlyError is a write to a value that follows from others.
type ReadOnlyError struct{ Path, Doc string }

func (e *ReadOnlyError) Error() string {
	return fmt.Sprintf("%s is read-only. %s Write what it follows from instead%s", e.Path, e.Doc, docs.See("read-only"))
}

// EditError is a lasting edit whose function gives nothing that the forward could go on
// with.
type EditError struct {
	Name, Path string
	At         string // where it was made, "" where unknown
	Why        string
}

func (e *EditError) Error() string {
	return fmt.Sprintf("%v %s. model.ClearEdits(%q) ends it%s", edit{name: e.Name, path: e.Path, at: e.At}, e.Why, e.Name, docs.See("edit"))
}

// PromptError is a prompt that cannot be run.
type PromptError struct{ Text string }

func (e *PromptError) Error() string { return e.Text + docs.See("prompt") }

func promptErrorf(format string, args ...any) *PromptError {
	return &PromptError{fmt.Sprintf(format, args...)}
}

// TokenizerError is text given to a model whose folder has no tokenizer that can be
// read.
type TokenizerError struct {
	Model string
	Err   error // why there is none
}

func (e *TokenizerError) Error() string {
	return fmt.Sprintf("%s cannot read text: %v. Token ids, as []int, need no tokenizer%s", e.Model, e.Err, docs.See("no-tokenizer"))
}

func (e *TokenizerError) Unwrap() error { return e.Err }

// NestedError is a pass opened inside another one of the same model.
type NestedError struct{ Model string }

func (e *NestedError) Error() string {
	return fmt.Sprintf("a pass of %s is open on this thread already. End its block first; to run several prompts together, name them up front: model.Trace([]string{a, b}), then with m.Prompt(0) { … }%s", e.Model, docs.See("nested"))
}

// GradientError is a gradient that cannot be had.
type GradientError struct{ Text string }

func (e *GradientError) Error() string { return e.Text + docs.See("gradient") }

// OptionError is an option that cannot stand where it was given, or says something
// impossible.
type OptionError struct{ Text string }

func (e *OptionError) Error() string { return e.Text + docs.See("option") }

func optionErrorf(format string, args ...any) *OptionError {
	return &OptionError{fmt.Sprintf(format, args...)}
}

// WeightsError is a model asked to run whose folder has only a config.json.
type WeightsError struct{ Model, Dir string }

func (e *WeightsError) Error() string {
	return fmt.Sprintf("%s has a config.json and no weights: it can be printed, and Support and Scan work. Put its .safetensors files into %s to run it%s", e.Model, e.Dir, docs.See("no-weights"))
}

// ParamError is one weight that cannot be had. Err is a MissingError or a FileError of
// package checkpoint.
type ParamError struct{ Err error }

func (e *ParamError) Error() string { return e.Err.Error() + docs.See("param") }

func (e *ParamError) Unwrap() error { return e.Err }

// DeadlockError is a pass that waits for another goroutine's, which waits for this
// one's.
type DeadlockError struct{ Model string }

func (e *DeadlockError) Error() string {
	return fmt.Sprintf("a pass of %s is open in another goroutine, which waits for a model that this one has open. Open the passes of several models in the same order everywhere, or end the first before the second%s", e.Model, docs.See("deadlock"))
}

// ArgumentError is a call with what it cannot use.
type ArgumentError struct{ Text string }

func (e *ArgumentError) Error() string { return e.Text + docs.See("argument") }

func argumentErrorf(format string, args ...any) *ArgumentError {
	return &ArgumentError{fmt.Sprintf(format, args...)}
}
