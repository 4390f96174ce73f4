package repl

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/interp/commands"
	"github.com/gonterp/gonterp/repl/terminal"
)

// output shows in the terminal what cells show.
type output struct {
	editor Editor
	term   *terminal.Terminal
	colour bool

	mu       sync.Mutex
	graphics string // "" or "auto" until the terminal has been asked
	cell     cellSize
	input    string // what the next cell begins as
}

func (o *output) Stream(_ int, name, text string) {
	if name == "stderr" && o.colour {
		text = paint(text, errorStyle)
	}
	o.editor.Print(text)
}

const (
	errorStyle = "\x1b[31m"
	plainStyle = "\x1b[0m"
)

// paint colours the lines of a text, its line ends left out: a terminal would
// carry the colour on.
func paint(text, style string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		words := strings.TrimRight(line, "\r\n")
		if words != "" {
			b.WriteString(style + words + plainStyle)
		}
		b.WriteString(line[len(words):])
	}
	return b.String()
}

func (o *output) Display(_ int, b interp.Bundle, _ string, _ bool) { o.show(b) }

// Clear does nothing: what has scrolled by in a terminal stays.
func (o *output) Clear(int, bool) {}

func (o *output) Input(prompt string, password bool) (string, error) {
	return o.editor.Input(prompt, password)
}

// outcome shows how a cell ended.
func (o *output) outcome(outcome interp.Outcome) {
	if outcome.Value != nil {
		o.show(*outcome.Value)
	}
	if e := outcome.Err; e != nil {
		lines := errorLines(e)
		if o.colour {
			lines[0] = errorStyle + lines[0] + plainStyle
		}
		o.editor.Print(strings.Join(lines, "\n") + "\n")
	}
}

// errorLines is what an error is, and where.
func errorLines(e *interp.CellError) []string {
	lines := e.Traceback
	if len(lines) == 0 || !strings.Contains(lines[0], firstLine(e.Value)) {
		lines = append([]string{e.Error()}, lines...)
	}
	return append([]string(nil), lines...)
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

func (o *output) note(err error) {
	text := err.Error() + "\n"
	if o.colour {
		text = paint(text, errorStyle)
	}
	o.editor.Print(text)
}

// show prints a bundle in the best of its forms.
func (o *output) show(b interp.Bundle) {
	if input, ok := textOf(b.Data[commands.InputForm]); ok {
		o.mu.Lock()
		o.input = input
		o.mu.Unlock()
		return
	}
	if picture, ok := o.picture(b); ok {
		o.editor.Print(picture)
		return
	}
	if text, ok := textOf(b.Data["text/plain"]); ok {
		o.editor.Print(strings.TrimRight(text, "\n") + "\n")
	}
}

func (o *output) takeInput() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	input := o.input
	o.input = ""
	return input
}

// textOf is a text of a bundle, which another process sends as JSON.
func textOf(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.RawMessage:
		var s string
		err := json.Unmarshal(v, &s)
		return s, err == nil
	}
	return "", false
}

// bytesOf is a binary form of a bundle, which another process sends in base64.
func bytesOf(v any) ([]byte, error) {
	if b, ok := v.([]byte); ok {
		return b, nil
	}
	text, ok := textOf(v)
	if !ok {
		return nil, fmt.Errorf("a binary form that is %T", v)
	}
	return base64.StdEncoding.DecodeString(text)
}
