package repl

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/rivo/uniseg"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/interp/commands"
	"github.com/gonterp/gonterp/repl/terminal"
)

// output shows in the terminal what cells show.
type output struct {
	editor printer
	term   screen
	colour bool

	mu       sync.Mutex
	graphics string // "" or "auto" until the terminal has been asked
	cell     cellSize
	input    string // what the next cell begins as
	bar      string // the id of a display on the open last line, which can be updated there
	width    int    // of that line
}

// A printer is an editor as far as output goes.
type printer interface {
	Print(text string)
	Input(prompt string, password bool) (string, error)
}

// A screen is a terminal as far as output goes.
type screen interface {
	Size() terminal.Size
	Ask(question string, within time.Duration, last func(reply string) bool) []string
}

func (o *output) Stream(_ int, name, text string) {
	if name == "stderr" && o.colour {
		text = paint(text, errorStyle)
	}
	o.print(text)
}

// print prints below the open line of a display, if there is one.
func (o *output) print(text string) {
	o.mu.Lock()
	if o.bar != "" {
		text = "\n" + text
	}
	o.bar = ""
	o.mu.Unlock()
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

// Display shows a bundle. One of a single line that has an id, as a progress bar
// has, is updated in its place while nothing else is printed.
func (o *output) Display(_ int, b interp.Bundle, id string, update bool) {
	text, ok := textOf(b.Data["text/plain"])
	width := uniseg.StringWidth(text)
	if _, picture := b.Data["image/png"]; id == "" || !ok || picture || strings.Contains(text, "\n") || width >= o.term.Size().Columns {
		o.show(b)
		return
	}
	o.mu.Lock()
	line := text
	switch {
	case o.bar == id && update:
		line = "\r" + text + strings.Repeat(" ", max(0, o.width-width))
	case o.bar != "":
		line = "\n" + text
	}
	o.bar, o.width = id, width
	o.mu.Unlock()
	o.editor.Print(line)
}

// Clear does nothing: what has scrolled by in a terminal stays.
func (o *output) Clear(int, bool) {}

func (o *output) Input(prompt string, password bool) (string, error) {
	return o.editor.Input(prompt, password)
}

// outcome shows how a cell ended.
func (o *output) outcome(outcome interp.Outcome) {
	o.mu.Lock()
	open := o.bar != ""
	o.mu.Unlock()
	if open {
		o.print("")
	}
	if outcome.Value != nil {
		o.show(*outcome.Value)
	}
	if e := outcome.Err; e != nil {
		lines := errorLines(e)
		if o.colour {
			lines[0] = errorStyle + lines[0] + plainStyle
		}
		o.print(strings.Join(lines, "\n") + "\n")
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
	o.print(text)
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
		o.print(picture)
		return
	}
	if text, ok := textOf(b.Data["text/plain"]); ok {
		o.print(strings.TrimRight(text, "\n") + "\n")
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
