package editor

import (
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/repl/terminal"
)

// Options are what an editor asks others for.
type Options struct {
	// Complete returns what may stand at the cursor, in code points.
	Complete func(code string, cursor int) interp.Completion
	// Enter says whether the Enter key runs a text.
	Enter func(code string) interp.Completeness
	// History is where cells come from and go to.
	History *History
	Colour  bool
}

// A Terminal is where events come from and pictures go to.
type Terminal interface {
	io.Writer
	Events() <-chan terminal.Event
	Size() terminal.Size
	Suspend() error
}

// ErrCleared says that Ctrl-C was pressed.
var ErrCleared = errors.New("cleared")

// An Editor edits one cell after the other. Print and Input may be called from any
// goroutine; everything else from one.
type Editor struct {
	opt     Options
	term    Terminal
	pending []terminal.Event // typed ahead while a cell ran

	prompt string
	secret bool
	buf    buffer
	menu   *menu
	search *search
	at     int    // in the history; its length for what is new
	draft  string // what was typed before going there
	prefix string // what entries begin with

	asks    chan ask
	mu      sync.Mutex // guards what follows
	screen  screen
	reading bool
	running bool
	current *picture // of what is typed; nil outside of Read
	held    string   // the output's last line, which has no end yet
}

// An ask is a question to the person while a cell runs.
type ask struct {
	prompt   string
	password bool
	answer   chan answer
}

type answer struct {
	line string
	err  error
}

// New makes an editor.
func New(term Terminal, opt Options) *Editor {
	return &Editor{opt: opt, term: term, screen: screen{out: term}, asks: make(chan ask)}
}

// Read lets the person edit a cell that begins as text, and returns it when Enter
// runs it. The error is ErrCleared or io.EOF.
func (e *Editor) Read(prompt, text string) (string, error) {
	e.prompt, e.secret = prompt, false
	e.buf = buffer{killed: e.buf.killed, text: text, at: len(text)}
	e.at, e.menu, e.search = len(e.opt.History.entries), nil, nil
	e.begin()
	for {
		ev := e.event()
		done, err := e.handle(ev)
		if !done && err == nil {
			e.show()
			continue
		}
		e.menu, e.search = nil, nil
		suffix := ""
		switch err {
		case nil:
			e.buf.text = strings.TrimRight(e.buf.text, " \t\n")
		case ErrCleared:
			suffix = "^C"
		}
		e.buf.at = len(e.buf.text)
		e.leave(suffix)
		return e.buf.text, err
	}
}

func (e *Editor) event() terminal.Event {
	if len(e.pending) > 0 {
		ev := e.pending[0]
		e.pending = e.pending[1:]
		return ev
	}
	return <-e.term.Events()
}

// line lets the person type a line that is no cell, behind the prompt and what the
// cell wrote last.
func (e *Editor) line(prompt string, secret bool) (string, error) {
	e.secret, e.buf = secret, buffer{killed: e.buf.killed}
	e.prompt = e.asked(prompt)
	e.begin()
	for {
		ev := e.event()
		var err error
		switch {
		case ev.Key == terminal.Enter:
			e.leave("")
			return e.buf.text, nil
		case ev.Key == terminal.Ctrl && ev.Text == "c":
			err = ErrCleared
		case ev.Key == terminal.Closed, ev.Key == terminal.Ctrl && ev.Text == "d" && e.buf.text == "":
			err = io.EOF
		case ev.Key == terminal.Paste:
			ev.Text, _, _ = strings.Cut(ev.Text, "\n")
			e.buf.insert(ev.Text)
		default:
			e.edit(ev)
		}
		if err != nil {
			e.leave("")
			return "", err
		}
		e.show()
	}
}

// While takes events until done is closed, as a cell runs: Ctrl-C interrupts, and
// what else is typed is for the next Read.
func (e *Editor) While(done <-chan struct{}, interrupt func()) {
	e.setRunning(true)
	defer e.setRunning(false)
	for {
		select {
		case <-done:
			return
		case ev := <-e.term.Events():
			switch {
			case ev.Key == terminal.Ctrl && ev.Text == "c":
				e.pending = nil
				interrupt()
			case ev.Key == terminal.Closed:
				e.pending = append(e.pending, ev)
				interrupt()
			default:
				e.pending = append(e.pending, ev)
			}
		case a := <-e.asks:
			ahead := e.pending
			e.pending = nil
			line, err := e.line(a.prompt, a.password)
			if err != nil {
				interrupt()
			}
			e.pending = append(e.pending, ahead...)
			a.answer <- answer{line, err}
		}
	}
}

func (e *Editor) setRunning(on bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running = on
}

// Input asks the person for a line. Only a running cell can.
func (e *Editor) Input(prompt string, password bool) (string, error) {
	e.mu.Lock()
	running := e.running
	e.mu.Unlock()
	if !running {
		return "", errors.New("a goroutine whose cell is over cannot ask for input")
	}
	a := ask{prompt, password, make(chan answer, 1)}
	e.asks <- a
	got := <-a.answer
	return got.line, got.err
}

// handle changes what is typed. It returns true when the cell is to run.
func (e *Editor) handle(ev terminal.Event) (run bool, err error) {
	if ev.Key == terminal.Closed {
		return false, io.EOF
	}
	if e.search != nil {
		if e.searching(ev) {
			return false, nil
		}
	} else if e.menu != nil && e.choosing(ev) {
		return false, nil
	}
	switch ev.Key {
	case terminal.Enter:
		return e.enter(), nil
	case terminal.AltEnter:
		e.buf.insert("\n")
	case terminal.Tab:
		if strings.TrimSpace(e.buf.text[e.buf.lineStart():e.buf.at]) == "" {
			e.buf.insert("\t")
		} else {
			e.complete()
		}
	case terminal.Up:
		if !e.buf.up() {
			e.older()
		}
	case terminal.Down:
		if !e.buf.down() {
			e.newer()
		}
	case terminal.PageUp:
		e.older()
	case terminal.PageDown:
		e.newer()
	case terminal.Ctrl:
		switch ev.Text {
		case "c":
			return false, ErrCleared
		case "d":
			if e.buf.text == "" {
				return false, io.EOF
			}
		case "r":
			e.beginSearch()
		case "p":
			e.older()
		case "n":
			e.newer()
		case "l":
			e.clear()
		case "z":
			e.suspend()
		}
		e.edit(ev)
	default:
		e.edit(ev)
	}
	return false, nil
}

// enter decides what Enter does: it runs a whole cell, and else begins a new line.
func (e *Editor) enter() bool {
	b := &e.buf
	if rest := b.text[b.at:]; strings.TrimSpace(rest) != "" && strings.Contains(b.text, "\n") {
		line := b.text[b.lineStart():b.at]
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if t := strings.TrimSpace(line); t != "" && strings.ContainsRune("{([", rune(t[len(t)-1])) {
			indent += "\t"
		}
		b.insert("\n" + indent)
		return false
	}
	if c := e.opt.Enter(b.text); c.Status == "incomplete" {
		b.at = len(b.text)
		b.insert("\n" + c.Indent)
		return false
	}
	return true
}

// edit serves the keys that need nothing but the buffer.
func (e *Editor) edit(ev terminal.Event) {
	b := &e.buf
	switch ev.Key {
	case terminal.Text:
		e.typed(ev.Text)
	case terminal.Paste:
		b.insert(ev.Text)
	case terminal.Backspace:
		b.replace(b.previous(), b.at, "")
	case terminal.Delete:
		b.replace(b.at, b.next(), "")
	case terminal.Left:
		b.at = b.previous()
	case terminal.Right:
		b.at = b.next()
	case terminal.WordLeft:
		b.at = b.wordLeft()
	case terminal.WordRight:
		b.at = b.wordRight()
	case terminal.Home:
		b.at = b.lineStart()
	case terminal.End:
		b.at = b.lineEnd()
	case terminal.AltBackspace:
		b.kill(b.wordLeft(), b.at)
	case terminal.Alt:
		switch ev.Text {
		case "b":
			b.at = b.wordLeft()
		case "f":
			b.at = b.wordRight()
		case "d":
			b.kill(b.at, b.wordRight())
		case "<":
			b.at = 0
		case ">":
			b.at = len(b.text)
		}
	case terminal.Ctrl:
		switch ev.Text {
		case "a":
			b.at = b.lineStart()
		case "e":
			b.at = b.lineEnd()
		case "b":
			b.at = b.previous()
		case "f":
			b.at = b.next()
		case "d":
			b.replace(b.at, b.next(), "")
		case "k":
			end := b.lineEnd()
			if end == b.at {
				end = b.next()
			}
			b.kill(b.at, end)
		case "u":
			b.kill(b.lineStart(), b.at)
		case "w":
			b.kill(b.wordLeft(), b.at)
		case "y":
			b.insert(b.killed)
		case "_":
			b.back()
		}
	}
}

// typed inserts characters; a closing bracket that begins a line is indented less.
func (e *Editor) typed(s string) {
	b := &e.buf
	if start := b.lineStart(); strings.ContainsAny(s[:1], "})]") && start < b.at && strings.Trim(b.text[start:b.at], "\t") == "" {
		b.replace(b.at-1, b.at, s)
		return
	}
	b.insert(s)
}

// choosing serves the keys of an open menu; it returns false for those that close it.
func (e *Editor) choosing(ev terminal.Event) bool {
	by := 0
	switch ev.Key {
	case terminal.Tab, terminal.Right:
		by = 1
	case terminal.BackTab, terminal.Left:
		by = -1
	case terminal.Down:
		by = e.menu.across
	case terminal.Up:
		by = -e.menu.across
	case terminal.Escape:
		e.dismiss()
		return true
	case terminal.Resize:
		return true
	case terminal.Enter:
		chosen := e.menu.chosen >= 0
		e.menu = nil
		return chosen
	case terminal.Ctrl:
		if ev.Text == "c" || ev.Text == "g" {
			e.dismiss()
			return ev.Text == "g"
		}
	}
	if by == 0 {
		e.menu = nil
		return false
	}
	if by < -1 && e.menu.chosen < 0 {
		by = -1
	} else if by > 1 && e.menu.chosen < 0 {
		by = 1
	}
	e.choose(by)
	return true
}
