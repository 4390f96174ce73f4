package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// A reader goes through JSON and builds nothing of what it passes. It is for the
// vocabulary and the merges, a hundred thousand entries each; what lies beside
// them it hands to encoding/json.
type reader struct {
	in []byte
	at int
}

// next is the byte after white space, 0 at the end.
func (r *reader) next() byte {
	for ; r.at < len(r.in); r.at++ {
		if c := r.in[r.at]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
	}
	return 0
}

func (r *reader) take(c byte) error {
	if r.next() != c {
		return r.expected(string(c))
	}
	r.at++
	return nil
}

func (r *reader) expected(what string) error {
	if r.at >= len(r.in) {
		return r.fault("expected %s, and the file ends; download it again", what)
	}
	return r.fault("expected %s, found %.30q", what, r.in[r.at:])
}

// fault is an error at the line that r is at.
func (r *reader) fault(format string, args ...any) error {
	return fmt.Errorf("line %d: %w", 1+bytes.Count(r.in[:min(r.at, len(r.in))], []byte("\n")), fmt.Errorf(format, args...))
}

// each calls item at every element between the brackets.
func (r *reader) each(open, end byte, item func() error) error {
	if err := r.take(open); err != nil {
		return err
	}
	if r.next() == end {
		r.at++
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		switch r.next() {
		case ',':
			r.at++
		case end:
			r.at++
			return nil
		default:
			return r.expected(", or " + string(end))
		}
	}
}

// object calls member at the value of every key.
func (r *reader) object(member func(key string) error) error {
	return r.each('{', '}', func() error {
		key, err := r.str()
		if err == nil {
			err = r.take(':')
		}
		if err != nil {
			return err
		}
		return member(key)
	})
}

// part reads the value of key into parts.
func (r *reader) part(parts map[string]json.RawMessage, key string) error {
	s, err := r.value()
	if err != nil {
		return err
	}
	var part json.RawMessage
	if err := r.decode(s, &part); err != nil {
		return err
	}
	parts[key] = part
	return nil
}

// bracket says which bytes value has to look at.
var bracket = [256]int8{'{': 1, '[': 1, '}': -1, ']': -1, '"': 2}

// value passes a value. Of a list or an object it checks no more than that the
// brackets close.
func (r *reader) value() (span, error) {
	first, from := r.next(), r.at
	switch first {
	case '"':
		err := r.pass()
		return span{from, r.at}, err
	case '{', '[':
		depth := 0
		for at := from; at < len(r.in); at++ {
			switch kind := bracket[r.in[at]]; kind {
			case 0:
			case 2:
				r.at = at
				if err := r.pass(); err != nil {
					return span{}, err
				}
				at = r.at - 1
			default:
				if depth += int(kind); depth == 0 {
					r.at = at + 1
					return span{from, r.at}, nil
				}
			}
		}
		return span{}, r.fault("%c does not close; download the file again", first)
	}
	for r.at < len(r.in) && bytes.IndexByte([]byte(",:]} \t\r\n"), r.in[r.at]) < 0 {
		r.at++
	}
	if r.at == from {
		return span{}, r.expected("a value")
	}
	return span{from, r.at}, nil
}

// pass goes past the string that r is at.
func (r *reader) pass() error {
	for at := r.at + 1; at < len(r.in); at++ {
		switch r.in[at] {
		case '"':
			r.at = at + 1
			return nil
		case '\\':
			at++
		}
	}
	return r.fault("a string does not end; download the file again")
}

// str reads a string.
func (r *reader) str() (string, error) {
	if r.next() != '"' {
		return "", r.expected("a string")
	}
	from := r.at
	if err := r.pass(); err != nil {
		return "", err
	}
	var s string
	err := r.decode(span{from, r.at}, &s)
	return s, err
}

// integer reads a whole number that is not above limit.
func (r *reader) integer(limit int) (int, error) {
	first, from, n := r.next(), r.at, 0
	for r.at < len(r.in) && r.in[r.at] >= '0' && r.in[r.at] <= '9' && n <= limit {
		n = n*10 + int(r.in[r.at]-'0')
		r.at++
	}
	if r.at == from || n > limit || first == '0' && r.at > from+1 {
		r.at = from
		return 0, r.expected(fmt.Sprintf("a whole number from 0 to %d", limit))
	}
	return n, nil
}

// decode reads a value that r has passed.
func (r *reader) decode(s span, into any) error {
	err := json.Unmarshal(r.in[s.from:s.to], into)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at := reader{r.in, s.from + int(syntax.Offset)}
		return at.fault("%w", err)
	}
	return err
}
