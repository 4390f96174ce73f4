package editor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/repl/terminal"
)

// fake is a terminal of a few events.
type fake struct {
	events  chan terminal.Event
	columns int // 40 where it is 0
	strings.Builder
}

func (f *fake) Size() terminal.Size {
	if f.columns > 0 {
		return terminal.Size{Columns: f.columns, Rows: f.columns / 3}
	}
	return terminal.Size{Columns: 40, Rows: 10}
}
func (f *fake) Events() <-chan terminal.Event { return f.events }
func (*fake) Suspend() error                  { return nil }

func typing(t *testing.T, history []string, keys ...terminal.Event) (string, error) {
	t.Helper()
	f := &fake{events: make(chan terminal.Event, len(keys)+1)}
	for _, k := range keys {
		f.events <- k
	}
	f.events <- terminal.Event{Key: terminal.Closed}
	e := New(f, Options{
		Complete: func(code string, cursor int) interp.Completion {
			return interp.Completion{Start: 0, End: cursor, Items: []interp.CompletionItem{{Text: "alpha"}, {Text: "alpine"}}}
		},
		Enter: func(code string) interp.Completeness {
			if strings.Count(code, "{") > strings.Count(code, "}") {
				return interp.Completeness{Status: "incomplete", Indent: "\t"}
			}
			return interp.Completeness{Status: "complete"}
		},
		History: &History{entries: history},
	})
	return e.Read("> ", "")
}

func text(s string) terminal.Event      { return terminal.Event{Key: terminal.Text, Text: s} }
func ctrl(s string) terminal.Event      { return terminal.Event{Key: terminal.Ctrl, Text: s} }
func alt(s string) terminal.Event       { return terminal.Event{Key: terminal.Alt, Text: s} }
func key(k terminal.Key) terminal.Event { return terminal.Event{Key: k} }

func TestKeys(t *testing.T) {
	enter := key(terminal.Enter)
	family := "👩\u200d👩\u200d👧"
	for name, c := range map[string]struct {
		want string
		keys []terminal.Event
	}{
		"a block":            {"f {\n\tx\n}", []terminal.Event{text("f {"), enter, text("x"), enter, text("}"), enter}},
		"a grapheme":         {"b", []terminal.Event{text("a" + family + "b"), key(terminal.Left), key(terminal.Backspace), key(terminal.Backspace), enter}},
		"joined as it comes": {family, []terminal.Event{text("👩"), text("\u200d👩"), text("\u200d👧"), enter}},
		"kill and yank":      {"two one ", []terminal.Event{text("one two"), ctrl("w"), ctrl("a"), ctrl("y"), text(" "), enter}},
		"kill lines":         {"b", []terminal.Event{text("a"), key(terminal.AltEnter), text("b"), key(terminal.Up), ctrl("a"), ctrl("k"), ctrl("k"), enter}},
		"undo":               {"ab", []terminal.Event{text("a"), text("b"), text("c"), ctrl("_"), enter}},
		"words":              {"x.yz(b)", []terminal.Event{text("x.y(b)"), alt("b"), alt("b"), alt("f"), text("z"), enter}},
		"menu":               {"alpine", []terminal.Event{text("a"), key(terminal.Tab), key(terminal.Tab), key(terminal.Tab), enter, enter}},
		"menu left":          {"alp", []terminal.Event{text("a"), key(terminal.Tab), key(terminal.Tab), key(terminal.Escape), enter}},
		"history":            {"old", []terminal.Event{key(terminal.Up), key(terminal.Up), enter}},
		"history and back":   {"mine", []terminal.Event{text("mine"), ctrl("p"), ctrl("n"), enter}},
		"by what is typed":   {"old", []terminal.Event{text("o"), key(terminal.Up), enter}},
		"search":             {"old", []terminal.Event{ctrl("r"), text("l"), enter}},
		"search further":     {"older", []terminal.Event{ctrl("r"), text("l"), ctrl("r"), enter}},
		"search left":        {"x", []terminal.Event{text("x"), ctrl("r"), text("l"), ctrl("g"), enter}},
		"search mended":      {"new", []terminal.Event{ctrl("r"), text("nl"), key(terminal.Backspace), enter}},
		"a tab":              {"a\n\tb", []terminal.Event{text("a"), key(terminal.AltEnter), key(terminal.Tab), text("b"), enter}},
		"enter in the middle": {"f {\n\t\n\tx\n}", []terminal.Event{{Key: terminal.Paste, Text: "f {\n\tx\n}"},
			key(terminal.Up), key(terminal.Up), key(terminal.End), enter, ctrl("e"), key(terminal.Down), key(terminal.Down), key(terminal.End), enter}},
	} {
		got, err := typing(t, []string{"older", "old", "new"}, c.keys...)
		if err != nil || got != strings.TrimRight(c.want, " ") {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
	if _, err := typing(t, nil, text("x"), ctrl("c")); err != ErrCleared {
		t.Errorf("Ctrl-C: %v", err)
	}
}

func TestHistoryFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "h")
	a, err := OpenHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := OpenHistory(path)
	for _, h := range []*History{a, b, a} {
		if err := h.Add("with x {\n\ty\n}"); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, append(mustRead(t, path), "no json\n\"z\"\n\"cut"...), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := OpenHistory(path)
	if err != nil || strings.Join(c.entries, "|") != "with x {\n\ty\n}|with x {\n\ty\n}|z" {
		t.Errorf("%q, %v", c.entries, err)
	}
	for range 2*remembered + 1 {
		c.entries = append(c.entries, "q")
	}
	if err := c.rewrite(); err != nil {
		t.Fatal(err)
	}
	d, err := OpenHistory(path)
	if err != nil || len(d.entries) != remembered || strings.Count(string(mustRead(t, path)), "\n") != remembered {
		t.Errorf("%d entries, %v", len(d.entries), err)
	}
	if _, err := OpenHistory(t.TempDir() + "/x\x00"); err == nil {
		t.Error("a path that cannot be opened gives no error")
	}
}

func mustRead(t *testing.T, path string) []byte {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Output comes above what is typed, a last line without an end too.
func TestPrintWhileReading(t *testing.T) {
	f := &fake{events: make(chan terminal.Event)}
	e := New(f, Options{Enter: func(string) interp.Completeness { return interp.Completeness{Status: "complete"} }, History: &History{}})
	over := make(chan string)
	go func() {
		s, _ := e.Read("> ", "")
		over <- s
	}()
	f.events <- text("ab")
	f.events <- text("c")
	e.Print("one\ntw")
	e.Print("o\nthree")
	f.events <- key(terminal.Enter)
	select {
	case s := <-over:
		if s != "abc" {
			t.Errorf("read %q", s)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("Enter does nothing")
	}
	if !strings.Contains(f.String(), "one\n") || !strings.Contains(f.String(), "two\n") {
		t.Errorf("%q", f.String())
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.held != "" || e.reading {
		t.Errorf("%q is held", e.held)
	}
}

// However a text is drawn, no row is wider than the terminal, the cursor is in a
// row, and nothing is left out.
func FuzzPicture(f *testing.F) {
	f.Add("a\tb\n模型👩\u200d👩\u200d👧 e\u0301", 5, 10)
	f.Add("\x00\x1b\x7f", 1, 2)
	f.Fuzz(func(t *testing.T, s string, at, width int) {
		width = 12 + width&63
		b := buffer{text: s}
		for b.at < len(s) && b.at < at {
			b.at = b.next()
		}
		p := &picture{columns: width}
		p.text("[1]> ", 5, s, b.at, highlight(s))
		for _, r := range p.rows {
			if r.width > width {
				t.Errorf("a row of %d in a terminal of %d: %q", r.width, width, s)
			}
		}
		if p.curRow >= len(p.rows) || p.curCol >= width || p.curRow < 0 {
			t.Errorf("the cursor is at %d, %d of %d rows: %q", p.curRow, p.curCol, len(p.rows), s)
		}
		p.window(3)
		if len(p.rows) > 3 || p.curRow < 0 || p.curRow >= len(p.rows) {
			t.Errorf("a window of %d rows, the cursor in %d: %q", len(p.rows), p.curRow, s)
		}
	})
}

// Going right and left again ends where it began.
func FuzzCursor(f *testing.F) {
	f.Add("a👩\u200d👩\u200d👧\r\nb\t模", 3)
	f.Fuzz(func(t *testing.T, s string, steps int) {
		b := buffer{text: s}
		for range steps & 31 {
			b.at = b.next()
		}
		from := b.at
		if b.at = b.next(); b.at == from {
			return
		}
		// Bytes that are no text, and line ends of two, are gone over in one of the two directions only.
		if strings.ContainsAny(s, "\r\n") || strings.ToValidUTF8(s, "") != s {
			return
		}
		if b.at = b.previous(); b.at != from {
			t.Errorf("%q: right from %d and left is %d", s, from, b.at)
		}
		b.up()
		b.down()
		b.wordLeft()
		b.wordRight()
	})
}

// However small the terminal is, nothing breaks.
func TestTinyTerminals(t *testing.T) {
	items := []interp.CompletionItem{{Text: "alpha", Signature: "func alpha()", Doc: "Alpha."}, {Text: "a_rather_long_name"}}
	for columns := 1; columns < 30; columns += 3 {
		f := &fake{events: make(chan terminal.Event, 10), columns: columns}
		for _, k := range []terminal.Event{text("模型 al"), key(terminal.Tab), key(terminal.Tab), key(terminal.Resize), key(terminal.Enter), ctrl("r"), text("x"), key(terminal.Escape), key(terminal.Enter)} {
			f.events <- k
		}
		e := New(f, Options{
			Complete: func(string, int) interp.Completion { return interp.Completion{Start: 3, End: 5, Items: items} },
			Enter:    func(string) interp.Completeness { return interp.Completeness{Status: "complete"} },
			History:  &History{entries: []string{"x\ny"}},
			Colour:   true,
		})
		if got, err := e.Read("[1]> ", ""); err != nil || got != "x\ny" {
			t.Errorf("%d columns: %q, %v", columns, got, err)
		}
	}
}
