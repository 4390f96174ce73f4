package editor

import (
	"strings"

	"github.com/gonterp/gonterp/repl/terminal"
)

// older goes to the last cell before that begins with what is typed.
func (e *Editor) older() {
	h := e.opt.History
	if e.at == len(h.entries) {
		e.draft, e.prefix = e.buf.text, e.buf.text[:e.buf.at]
	}
	if i := h.before(e.at, e.recalls); i >= 0 {
		e.at = i
		e.buf.set(h.entries[i], len(h.entries[i]))
	}
}

func (e *Editor) newer() {
	h := e.opt.History
	if e.at == len(h.entries) {
		return
	}
	e.at = h.after(e.at, e.recalls)
	text := e.draft
	if e.at < len(h.entries) {
		text = h.entries[e.at]
	}
	e.buf.set(text, len(text))
}

func (e *Editor) recalls(entry string) bool {
	return strings.HasPrefix(entry, e.prefix) && entry != e.buf.text
}

// A search looks for a text in the history.
type search struct {
	query  string
	at     int // of the entry found
	failed bool
	before state
}

func (e *Editor) beginSearch() {
	e.search = &search{at: len(e.opt.History.entries), before: state{e.buf.text, e.buf.at}}
}

// find looks for the query from entry i on backwards.
func (e *Editor) find(i int) {
	s, h := e.search, e.opt.History
	found := h.before(i, func(entry string) bool {
		return strings.Contains(strings.ToLower(entry), strings.ToLower(s.query)) && entry != e.buf.text
	})
	s.failed = found < 0
	if found >= 0 {
		s.at = found
		entry := h.entries[found]
		e.buf.set(entry, max(0, strings.Index(strings.ToLower(entry), strings.ToLower(s.query))))
	}
}

// searching serves the keys of a search; it returns false for those that end it
// and mean what they mean.
func (e *Editor) searching(ev terminal.Event) bool {
	s := e.search
	switch ev.Key {
	case terminal.Text:
		s.query += ev.Text
		if !strings.Contains(strings.ToLower(e.buf.text), strings.ToLower(s.query)) || s.at == len(e.opt.History.entries) {
			e.find(s.at)
		}
	case terminal.Backspace:
		if r := []rune(s.query); len(r) > 0 {
			s.query = string(r[:len(r)-1])
			e.buf.set(s.before.text, s.before.at)
			s.at, s.failed = len(e.opt.History.entries), false
			if s.query != "" {
				e.find(s.at)
			}
		}
	case terminal.Ctrl:
		switch ev.Text {
		case "r":
			e.find(s.at)
		case "g", "c":
			e.buf.set(s.before.text, s.before.at)
			e.search = nil
			return ev.Text == "g"
		default:
			e.accept()
			return false
		}
	case terminal.Escape:
		e.accept()
	case terminal.Resize:
	default:
		e.accept()
		return false
	}
	return true
}

func (e *Editor) accept() {
	if e.search.at < len(e.opt.History.entries) {
		e.at = e.search.at
		e.draft, e.prefix = e.search.before.text, ""
	}
	e.buf.at = len(e.buf.text)
	e.search = nil
}

// says is the line below the text while it is searched for.
func (s *search) says() string {
	what := "history: "
	if s.failed {
		what = "not in the history: "
	}
	return what + s.query
}
