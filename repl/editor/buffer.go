package editor

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// A buffer is a text and a cursor in it, a byte offset between graphemes.
type buffer struct {
	text   string
	at     int
	killed string
	undo   []state
}

type state struct {
	text string
	at   int
}

// undone is how many states can be gone back to.
const undone = 200

// keep remembers the state before a change.
func (b *buffer) keep() {
	if n := len(b.undo); n > 0 && b.undo[n-1].text == b.text {
		return
	}
	if len(b.undo) == undone {
		b.undo = b.undo[1:]
	}
	b.undo = append(b.undo, state{b.text, b.at})
}

func (b *buffer) back() {
	for n := len(b.undo); n > 0; n = len(b.undo) {
		s := b.undo[n-1]
		b.undo = b.undo[:n-1]
		if s.text != b.text {
			b.text, b.at = s.text, s.at
			return
		}
	}
}

func (b *buffer) set(text string, at int) {
	b.keep()
	b.text, b.at = text, at
}

func (b *buffer) insert(s string) { b.replace(b.at, b.at, s) }

// replace puts s where text[from:to] was, and the cursor behind it.
func (b *buffer) replace(from, to int, s string) {
	b.keep()
	b.text = b.text[:from] + s + b.text[to:]
	b.at = from + len(s)
}

// kill removes text[from:to]; yank brings it back.
func (b *buffer) kill(from, to int) {
	if from < to {
		b.killed = b.text[from:to]
		b.replace(from, to, "")
	}
}

func (b *buffer) lineStart() int { return strings.LastIndexByte(b.text[:b.at], '\n') + 1 }

func (b *buffer) lineEnd() int {
	if i := strings.IndexByte(b.text[b.at:], '\n'); i >= 0 {
		return b.at + i
	}
	return len(b.text)
}

// next is the end of the grapheme at the cursor.
func (b *buffer) next() int {
	if b.at == len(b.text) {
		return b.at
	}
	g, _, _, _ := uniseg.FirstGraphemeClusterInString(b.text[b.at:], -1)
	return b.at + len(g)
}

// previous is the start of the grapheme before the cursor.
func (b *buffer) previous() int {
	start := b.lineStart()
	if start == b.at {
		return max(0, b.at-1)
	}
	at, rest, mode := start, b.text[start:b.at], -1
	for {
		var g string
		g, rest, _, mode = uniseg.FirstGraphemeClusterInString(rest, mode)
		if rest == "" {
			return at
		}
		at += len(g)
	}
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// wordLeft is the start of the word before the cursor.
func (b *buffer) wordLeft() int {
	other := func(r rune) bool { return !isWord(r) }
	return len(strings.TrimRightFunc(strings.TrimRightFunc(b.text[:b.at], other), isWord))
}

// wordRight is the end of the word behind the cursor.
func (b *buffer) wordRight() int {
	other := func(r rune) bool { return !isWord(r) }
	return len(b.text) - len(strings.TrimLeftFunc(strings.TrimLeftFunc(b.text[b.at:], other), isWord))
}

// up and down move by a line; they return false at the first and the last one.
func (b *buffer) up() bool {
	start := b.lineStart()
	if start == 0 {
		return false
	}
	column := columns(b.text[start:b.at])
	b.at = start - 1
	b.at = b.lineStart()
	b.at += atColumn(b.text[b.at:b.lineEnd()], column)
	return true
}

func (b *buffer) down() bool {
	end := b.lineEnd()
	if end == len(b.text) {
		return false
	}
	column := columns(b.text[b.lineStart():b.at])
	b.at = end + 1
	b.at += atColumn(b.text[b.at:b.lineEnd()], column)
	return true
}

// atColumn is the offset in a line of the grapheme at a column, or of the line's end.
func atColumn(line string, column int) int {
	at, col, mode, rest := 0, 0, -1, line
	for rest != "" {
		var g string
		g, rest, _, mode = uniseg.FirstGraphemeClusterInString(rest, mode)
		if col += widthAt(g, col); col > column {
			break
		}
		at += len(g)
	}
	return at
}

// runes is the cursor in code points.
func (b *buffer) runes() int { return utf8.RuneCountInString(b.text[:b.at]) }
