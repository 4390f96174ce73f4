package torch

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/gonterp/gonterp/docs"
)

// An Error is what an op panics with.
type Error struct {
	Op   string   // as the user wrote it: "Matmul"
	Args []string // what it was given: "[2 3] float32", "dim 4"
	Text string   // what is wrong, in one sentence
	Hint string   // how to mend it, where that is known

	cause error
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if len(e.Args) > 0 {
		b.WriteString("(" + strings.Join(e.Args, ", ") + ")")
	}
	b.WriteString(": " + e.Text)
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	if e.cause == nil { // which names a page of its own
		b.WriteString(docs.See("tensor"))
	}
	return b.String()
}

// Unwrap gives the error of opening libtorch, when that is what failed.
func (e *Error) Unwrap() error { return e.cause }

// refuse panics with an error found before libtorch was asked.
func refuse(op string, args []arg, format string, a ...any) {
	panic(&Error{Op: op, Args: describe(args), Text: fmt.Sprintf(format, a...)})
}

// fail releases the lock and panics with libtorch's words.
func fail(op string, args []arg, text string) {
	mu.Unlock()
	panic(failure(op, args, text))
}

func failure(op string, args []arg, text string) *Error {
	e := &Error{Op: op, Args: describe(args), Text: plain(text)}
	e.Hint = hint(e.Text)
	return e
}

func describe(args []arg) []string {
	var s []string
	for i := range args {
		switch a := &args[i]; a.kind {
		case argTensor, argSomeTensor:
			s = append(s, a.t.brief())
		case argTensors:
			var parts []string
			for j, t := range a.ts {
				if j == 8 {
					parts = append(parts, fmt.Sprintf("… %d in all", len(a.ts)))
					break
				}
				parts = append(parts, t.brief())
			}
			s = append(s, "{"+strings.Join(parts, ", ")+"}")
		case argInts, argSomeInts:
			s = append(s, fmt.Sprint(a.ints))
		case argInt:
			s = append(s, fmt.Sprint(int64(a.word)))
		}
	}
	return s
}

// brief is a tensor in an error text: shape and dtype, and the device if it isn't the CPU.
func (t *Tensor) brief() string {
	if t == nil {
		return "nil"
	}
	s := fmt.Sprint(t.shape) + " " + t.dtype.String()
	if !t.device.IsCPU() {
		s += " " + t.device.String()
	}
	return s
}

var (
	cppSource  = regexp.MustCompile(`(?s)(\n?Exception raised from |\nC\+\+ CapturedTraceback|\nException in aoti).*$`)
	cppCheck   = regexp.MustCompile(`^\[enforce fail at [^\]]*\] [^.]*\. `)
	cppPrefix  = regexp.MustCompile(`^(Expected .*?to be true, but got false\.\s*)?(\(Could this error message be improved\?.*?\)\s*)?`)
	pythonArgs = regexp.MustCompile(`\s+`)
)

// plain is libtorch's sentence without the C++ around it.
func plain(text string) string {
	text = cppSource.ReplaceAllString(text, "")
	text = cppCheck.ReplaceAllString(text, "")
	if rest := cppPrefix.ReplaceAllString(text, ""); rest != "" {
		text = rest
	}
	if strings.Contains(text, "no fake impl or Meta kernel") {
		return "a scan knows shapes and no values, and this needs values"
	}
	text = strings.TrimRight(strings.TrimSpace(pythonArgs.ReplaceAllString(text, " ")), ".")
	if text == "" {
		return "libtorch refused it; this version wrote its reason to standard error"
	}
	return text
}

func hint(text string) string {
	switch {
	case strings.Contains(text, "same dtype") || strings.Contains(text, "expected scalar type") || strings.Contains(text, "expected m1 and m2 to have the same dtype"):
		return "convert one of them with To(dtype)"
	case strings.Contains(text, "must match the size of tensor") || strings.Contains(text, "shapes cannot be multiplied"):
		return "Transpose, Unsqueeze or Reshape one of them"
	case strings.Contains(text, "is invalid for input of size"):
		return "the new shape must have as many elements as the old one"
	case strings.Contains(text, "same device") && strings.Contains(text, "meta"):
		return "inside a scan every tensor must come from the scan: make constants with its values' shapes, x.Mul(0).Add(…)"
	case strings.Contains(text, "same device"):
		return "move one of them with ToDevice(device)"
	case isOutOfMemory(text):
		return "free what you no longer need, or use a shorter prompt"
	case strings.Contains(text, "does not require grad"):
		return "compute it while recording, from a tensor that RequireGrad made"
	}
	return ""
}

func isOutOfMemory(text string) bool {
	return strings.Contains(text, "out of memory") || strings.Contains(text, "not enough memory") || strings.Contains(text, "can't allocate memory")
}
