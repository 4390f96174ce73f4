package editor

import (
	"regexp"
	"strings"

	"github.com/gonterp/gonterp/repl/terminal"
)

const promptStyle = "\x1b[1;32m"

// size is the terminal's; in one that is too small for a prompt and a few
// characters, lines are broken as if it were not.
func (e *Editor) size() terminal.Size {
	s := e.term.Size()
	s.Columns, s.Rows = max(s.Columns, 12), max(s.Rows, 4)
	return s
}

// picture draws what is typed.
func (e *Editor) picture(size int) *picture {
	p := &picture{columns: size}
	var styles map[int]string
	if e.opt.Colour && !e.secret {
		styles = highlight(e.buf.text)
	}
	text, at := e.buf.text, e.buf.at
	if e.secret {
		text, at = "", 0
	}
	p.text(styled(e.prompt, promptStyle, e.opt.Colour), columns(e.prompt), text, at, styles)
	return p
}

// show draws the picture anew.
func (e *Editor) show() {
	size := e.size()
	p := e.picture(size.Columns)
	rows := size.Rows - 1
	switch {
	case e.search != nil:
		p.window(rows - 1)
		says := fit(e.search.says(), size.Columns-1)
		p.plain(styled(says, commentStyle, e.opt.Colour), columns(says))
	case e.menu != nil:
		p.window(max(rows-menuRows-3, 3))
		e.menu.draw(p, e.opt.Colour)
		p.window(rows)
	default:
		p.window(rows)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.screen.resized(size.Columns)
	e.current = p
	e.screen.draw("", e.whole())
}

// whole is the current picture below the output's open last line. The caller holds mu.
func (e *Editor) whole() *picture {
	if e.held == "" {
		return e.current
	}
	p := *e.current
	first := &row{width: columns(sgr.ReplaceAllString(e.held, ""))}
	first.out.WriteString(e.held + plainStyle)
	p.rows = append([]*row{first}, p.rows...)
	p.curRow++
	return &p
}

// begin starts to draw below what has been written.
func (e *Editor) begin() {
	size := e.size()
	e.mu.Lock()
	e.reading = true
	e.held = strings.TrimRight(e.held, "\r")
	if !e.holds(size.Columns) {
		e.term.Write([]byte("\n"))
		e.held = ""
	}
	if e.held != "" {
		width := columns(sgr.ReplaceAllString(e.held, ""))
		e.screen.drawn = &picture{rows: []*row{{width: width}}, curCol: width, columns: size.Columns}
	}
	e.mu.Unlock()
	e.show()
}

// asked takes the open last line, where it is plain, as the beginning of a prompt.
func (e *Editor) asked(prompt string) string {
	width := e.size().Columns
	e.mu.Lock()
	defer e.mu.Unlock()
	if strings.Contains(e.held, "\x1b") || !e.holds(width) {
		return prompt
	}
	prompt = e.held + prompt
	e.held = ""
	e.term.Write([]byte("\r"))
	return prompt
}

// leave writes the text as it stays, with its end, below it what comes next.
func (e *Editor) leave(suffix string) {
	size := e.size()
	p := e.picture(size.Columns)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.screen.resized(size.Columns)
	e.current = p
	var b strings.Builder
	for _, r := range e.whole().rows {
		b.WriteString(strings.TrimRight(r.out.String(), " ") + "\r\n")
	}
	text := strings.TrimSuffix(b.String(), "\r\n") + suffix + "\r\n"
	e.screen.draw(text, nil)
	e.reading, e.current, e.held = false, nil, ""
}

// sgr are the sequences that change colours only.
var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// holds reports whether the open last line can be drawn anew.
func (e *Editor) holds(width int) bool {
	plain := sgr.ReplaceAllString(e.held, "")
	return !strings.ContainsAny(plain, "\x1b\b\a\v\f") && columns(plain) < width
}

// longestHeld bounds an open last line; a longer one is broken where the prompt comes.
const longestHeld = 8 << 10

// Print writes output, above what is typed where something is.
func (e *Editor) Print(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := e.held + text
	cut := strings.LastIndexByte(all, '\n') + 1
	stays := all[:cut]
	e.held = all[cut:]
	if i := strings.LastIndexByte(strings.TrimRight(e.held, "\r"), '\r'); i >= 0 {
		e.held = e.held[i+1:]
	}
	if !e.reading {
		e.term.Write([]byte(text))
		if len(e.held) > longestHeld {
			e.held = "\x1b" // not to be drawn anew
		}
		return
	}
	e.held = strings.TrimRight(e.held, "\r")
	if !e.holds(e.size().Columns) {
		stays, e.held = stays+e.held+"\n", ""
	}
	e.screen.draw(stays, e.whole())
}

func (e *Editor) clear() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.screen.drawn = nil
	e.term.Write([]byte("\x1b[H\x1b[2J\x1b[3J"))
}

func (e *Editor) suspend() {
	e.mu.Lock()
	e.screen.draw("", nil)
	e.mu.Unlock()
	e.term.Suspend()
}
