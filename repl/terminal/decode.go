package terminal

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// A decoder makes events of the bytes that a terminal sends. Bytes may come cut
// anywhere.
type decoder struct {
	buf     []byte
	pasting bool
	// reply takes what the terminal answers to a question.
	reply func(sequence string)
}

// feed adds bytes and returns the events that are whole.
func (d *decoder) feed(b []byte) []Event {
	d.buf = append(d.buf, b...)
	var out []Event
	for len(d.buf) > 0 {
		e, n := d.next(false)
		if n == 0 {
			break
		}
		d.buf = d.buf[n:]
		out = appendEvent(out, e)
	}
	return out
}

// waiting reports whether bytes wait for their rest.
func (d *decoder) waiting() bool { return len(d.buf) > 0 && !d.pasting }

// flush takes what waits as it is: no more is coming.
func (d *decoder) flush() []Event {
	var out []Event
	for d.waiting() {
		e, n := d.next(true)
		d.buf = d.buf[max(n, 1):]
		out = appendEvent(out, e)
	}
	return out
}

// appendEvent joins neighbouring characters: a grapheme may be made of several.
func appendEvent(out []Event, e Event) []Event {
	if e.Key == Unknown {
		return out
	}
	if n := len(out); e.Key == Text && n > 0 && out[n-1].Key == Text {
		out[n-1].Text += e.Text
		return out
	}
	return append(out, e)
}

// next decodes the event at the start of buf and says how many bytes it takes: 0
// where its rest is still to come, which is never so with final.
func (d *decoder) next(final bool) (Event, int) {
	if d.pasting {
		i := bytes.Index(d.buf, []byte(pasteEnd))
		if i < 0 {
			return Event{}, 0
		}
		d.pasting = false
		return Event{Paste, lineEnds.Replace(string(d.buf[:i]))}, i + len(pasteEnd)
	}
	c := d.buf[0]
	if c == 0x1b {
		return d.escape(final)
	}
	if c < 0x20 || c == 0x7f {
		return control(c), 1
	}
	if !utf8.FullRune(d.buf) && !final {
		return Event{}, 0
	}
	r, n := utf8.DecodeRune(d.buf)
	return Event{Text, string(r)}, n
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func control(c byte) Event {
	switch c {
	case '\r', '\n':
		return Event{Key: Enter}
	case '\t':
		return Event{Key: Tab}
	case 0x7f, 0x08:
		return Event{Key: Backspace}
	case 0:
		return Event{Ctrl, " "}
	case 0x1f:
		return Event{Ctrl, "_"}
	}
	if c <= 26 {
		return Event{Ctrl, string('a' + rune(c) - 1)}
	}
	return Event{Ctrl, string('@' + rune(c))}
}

// escape decodes what begins with an escape character.
func (d *decoder) escape(final bool) (Event, int) {
	if len(d.buf) == 1 {
		if final {
			return Event{Key: Escape}, 1
		}
		return Event{}, 0
	}
	switch c := d.buf[1]; c {
	case '[':
		return d.csi(final)
	case 'O':
		if len(d.buf) < 3 {
			return d.cut(final)
		}
		return Event{Key: letters[d.buf[2]]}, 3
	case '_', ']', 'P':
		return d.answer(final)
	case 0x1b:
		return Event{Key: Escape}, 1
	case '\r', '\n':
		return Event{Key: AltEnter}, 2
	case 0x7f, 0x08:
		return Event{Key: AltBackspace}, 2
	default:
		if !utf8.FullRune(d.buf[1:]) && !final {
			return Event{}, 0
		}
		r, n := utf8.DecodeRune(d.buf[1:])
		return Event{Alt, string(r)}, 1 + n
	}
}

// cut is a sequence that is not whole: to be waited for, or else a letter with Alt.
func (d *decoder) cut(final bool) (Event, int) {
	if !final {
		return Event{}, 0
	}
	return Event{Alt, string(rune(d.buf[1]))}, 2
}

// letters are the keys of sequences that end in a letter.
var letters = map[byte]Key{'A': Up, 'B': Down, 'C': Right, 'D': Left, 'H': Home, 'F': End, 'Z': BackTab, 'M': Enter}

// numbers are the keys of sequences that end in ~.
var numbers = map[string]Key{"1": Home, "7": Home, "4": End, "8": End, "3": Delete, "5": PageUp, "6": PageDown}

func (d *decoder) csi(final bool) (Event, int) {
	end := 2
	for end < len(d.buf) && d.buf[end] >= 0x20 && d.buf[end] <= 0x3f {
		end++
	}
	if end == len(d.buf) {
		return d.cut(final)
	}
	params, last, n := string(d.buf[2:end]), d.buf[end], end+1
	if last < 0x40 || last > 0x7e { // broken off: what comes is looked at anew
		return Event{}, end
	}
	first, modifier, _ := strings.Cut(params, ";")
	switch {
	case last == '~' && params == "200":
		d.pasting = true
		return Event{}, n
	case last == 'c' || last == 't' || last == 'R' || last == 'n' || last == 'y':
		d.reply(string(d.buf[:n]))
		return Event{}, n
	case last == '~':
		return Event{Key: numbers[first]}, n
	case last == 'u' && first == "13": // a terminal that tells Enter with a modifier from Enter
		return Event{Key: AltEnter}, n
	case modifier != "" && last == 'C':
		return Event{Key: WordRight}, n
	case modifier != "" && last == 'D':
		return Event{Key: WordLeft}, n
	}
	return Event{Key: letters[last]}, n
}

// longestAnswer bounds a terminal's answer; what is longer is no answer.
const longestAnswer = 4096

// answer takes a string sequence, which ends with BEL or ESC \.
func (d *decoder) answer(final bool) (Event, int) {
	bel := bytes.IndexByte(d.buf, 7)
	st := bytes.Index(d.buf[1:], []byte("\x1b\\"))
	end := -1
	switch {
	case st >= 0 && (bel < 0 || st+1 < bel):
		end = st + 3
	case bel >= 0:
		end = bel + 1
	}
	if end < 0 {
		if len(d.buf) > longestAnswer {
			return Event{}, 2
		}
		return d.cut(final)
	}
	d.reply(string(d.buf[:end]))
	return Event{}, end
}
