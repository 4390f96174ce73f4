package plotting

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// longest is how many characters of a token a label shows.
const longest = 14

// tokenLabel is how a token stands beside a row: leading and trailing spaces as ␣,
// control characters and what no font has as escapes, long tokens cut.
func tokenLabel(token string) string {
	inner := strings.Trim(token, " ")
	lead := len(token) - len(strings.TrimLeft(token, " "))
	trail := len(token) - len(inner) - lead
	var b strings.Builder
	b.WriteString(strings.Repeat("␣", lead))
	for i := 0; i < len(inner); {
		r, n := utf8.DecodeRuneInString(inner[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, inner[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < ' ' || r == 0x7f || r != ' ' && letters.of(r) == nil:
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	b.WriteString(strings.Repeat("␣", trail))
	s := []rune(b.String())
	if len(s) > longest {
		return string(s[:longest-1]) + "…"
	}
	return string(s)
}
