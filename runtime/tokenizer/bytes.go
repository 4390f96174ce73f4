package tokenizer

import (
	"strings"
	"unicode/utf8"
)

// A byte-level vocabulary spells each byte as a printable character: those of
// Latin-1 that are printable stand for themselves, the others for U+0100 and on
// (GPT-2's bytes_to_unicode).
var (
	byteRune [256]rune
	runeByte [0x180]int16 // -1: a character that stands for none
)

func init() {
	for r := range runeByte {
		runeByte[r] = -1
	}
	next := rune(256)
	for b := range byteRune {
		r := rune(b)
		if b < '!' || b > '~' && b < 0xa1 || b == 0xad {
			r = next
			next++
		}
		byteRune[b] = r
		runeByte[r] = int16(b)
	}
}

// byteOf is the byte that r stands for, false where it stands for none.
func byteOf(r rune) (byte, bool) {
	if uint32(r) >= uint32(len(runeByte)) {
		return 0, false
	}
	b := runeByte[r]
	return byte(b), b >= 0
}

// spelled is the text behind a spelling, false where a character is not one of
// the alphabet.
func spelled(s string) (string, bool) {
	plain := true
	for i := 0; i < len(s); i++ {
		plain = plain && s[i] >= '!' && s[i] <= '~'
	}
	if plain {
		return s, true
	}
	out := make([]byte, 0, len(s))
	for _, r := range s {
		b, ok := byteOf(r)
		if !ok {
			return s, false
		}
		out = append(out, b)
	}
	return string(out), true
}

// spelling is how the file spells a text.
func spelling(text string) string {
	out := make([]rune, len(text))
	for i := range out {
		out[i] = byteRune[text[i]]
	}
	return string(out)
}

// lossy replaces what is not UTF-8, each maximal part of a character that is cut
// short by one U+FFFD (Unicode 16, section 3.9, as Rust's from_utf8_lossy has it).
func lossy(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, width := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && width == 1 {
			width = badPart(s[i:])
		}
		b.WriteRune(r)
		i += width
	}
	return b.String()
}

// badPart is the length of the maximal part of a character at the beginning of s.
func badPart(s string) int {
	low, high, more := byte(0x80), byte(0xbf), 0
	switch c := s[0]; {
	case c >= 0xc2 && c <= 0xdf:
		more = 1
	case c >= 0xe0 && c <= 0xef:
		more = 2
		if c == 0xe0 {
			low = 0xa0
		} else if c == 0xed {
			high = 0x9f
		}
	case c >= 0xf0 && c <= 0xf4:
		more = 3
		if c == 0xf0 {
			low = 0x90
		} else if c == 0xf4 {
			high = 0x8f
		}
	}
	n := 1
	for ; more > 0 && n < len(s) && s[n] >= low && s[n] <= high; more-- {
		n++
		low, high = 0x80, 0xbf
	}
	return n
}
