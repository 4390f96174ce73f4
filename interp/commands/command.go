package commands

import (
	"fmt"
	"strings"
	"unicode"
)

// InputForm is the name, in the bundle of a cell's value, of a text that the front
// end should let the person edit as the next cell. Front ends that cannot show
// text/plain.
const InputForm = "application/vnd.gonterp.input"

// A command is one word after %.
type command struct {
	name, args, doc string
	run             func(*call) error
	files           bool // the argument is a file of cells
}

// list has all commands, in the order of help.
func list() []command {
	return []command{
		{"help", "[COMMAND]", "what the session understands besides Go", help, false},
		{"models", "", "the models that variables hold, and the memory in use", models, false},
		{"vars", "", "the variables of the session and their types", vars, false},
		{"history", "[N]", "the last N cells of this session, all without N", history, false},
		{"save", "[-f] FILE", "write the cells that ended well; -f replaces a file", save, true},
		{"load", "FILE [N]", "edit cell N of a file, or all its code as one cell", load, true},
		{"run", "FILE", "run the cells of a .go file or a notebook here", run, true},
		{"time", "CODE", "run code and say how long it took", timed, false},
		{"quit", "", "leave the terminal; so does Ctrl-D", quit, false},
	}
}

// A line is a cell that is no Go.
type line struct {
	name string // of the command
	asks bool   // what a name is
	args string // what follows the command, or the name asked about
	at   int    // byte offset of args in the cell
	more bool   // ??: with the source
}

// parse reads a cell; ok is false where it is Go.
func parse(code string) (l line, ok bool) {
	text := strings.TrimSpace(code)
	if text == "" {
		return line{}, false
	}
	start := strings.Index(code, text)
	switch {
	case text[0] == '%':
		name := strings.TrimLeft(text, "%")
		end := strings.IndexFunc(name, unicode.IsSpace)
		if end < 0 {
			end = len(name)
		}
		args := name[end:]
		skip := len(args) - len(strings.TrimLeft(args, " \t\n"))
		return line{name: name[:end], args: args[skip:], at: start + len(text) - len(args) + skip}, true
	case text[0] == '?':
		args := strings.TrimLeft(text, "? ")
		return line{asks: true, args: args, at: start + len(text) - len(args), more: strings.HasPrefix(text, "??")}, true
	case text[len(text)-1] == '?' && !strings.Contains(text, "\n") && !strings.Contains(text, "//"):
		return line{asks: true, args: strings.TrimRight(text, "? "), at: start, more: strings.HasSuffix(text, "??")}, true
	}
	return line{}, false
}

// Quits reports whether a cell asks to leave, which is the front end's to do.
func Quits(code string) bool {
	l, ok := parse(code)
	return ok && (l.name == "quit" || l.name == "exit")
}

// Asks reports whether a cell asks what a name is. Its value is then documentation,
// which a front end may show as such.
func Asks(code string) bool {
	l, ok := parse(code)
	return ok && l.asks
}

// find is the command of that name.
func find(name string) (command, error) {
	for _, c := range list() {
		if c.name == name {
			return c, nil
		}
	}
	hint := ""
	for _, c := range list() {
		if name != "" && c.name[0] == name[0] {
			hint += " or %" + c.name
		}
	}
	if hint != "" {
		hint = "; did you mean" + strings.TrimPrefix(hint, " or") + "?"
	}
	return command{}, fmt.Errorf("there is no command %%%s%s (%%help lists them)", name, hint)
}
