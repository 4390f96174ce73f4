package tokenizer

import "strings"

// text appends to out the bytes that a string spells, or the string itself where
// it is odd and spells none.
func (r *reader) text(out []byte) (_ []byte, odd bool, err error) {
	if err := r.take('"'); err != nil {
		return out, false, err
	}
	from, begin := r.at-1, len(out)
	out, stop := r.spelled(out)
	if stop == '"' {
		r.at++
		return out, false, nil
	}
	r.at = from
	s, err := r.str()
	if err != nil {
		return out, false, err
	}
	s, ok := spelled(s)
	return append(out[:begin], s...), !ok, nil
}

// merge appends to out the bytes that the two tokens of a merge spell, or the two
// as they are written where they are odd; cut is where the second begins.
func (r *reader) merge(out []byte) (_ []byte, cut int, odd bool, err error) {
	if r.next() == '[' {
		return r.pair(out)
	}
	from, begin := r.at, len(out)
	if err := r.take('"'); err != nil {
		return out, 0, false, err
	}
	out, stop := r.spelled(out)
	if cut = len(out); stop == ' ' {
		r.at++
		if out, stop = r.spelled(out); stop == '"' {
			r.at++
			return out, cut, false, nil
		}
	}
	r.at = from
	s, err := r.str()
	left, right, ok := strings.Cut(s, " ")
	if err == nil && !ok {
		err = r.fault("expected two tokens with a space between, found %q", s)
	}
	out = append(append(out[:begin], left...), right...)
	return out, begin + len(left), true, err
}

// pair is merge for a list of two.
func (r *reader) pair(out []byte) (_ []byte, cut int, odd bool, err error) {
	from, begin, n := r.at, len(out), 0
	err = r.each('[', ']', func() (err error) {
		var is bool
		out, is, err = r.text(out)
		odd = odd || is
		if n++; n == 1 {
			cut = len(out)
		}
		return err
	})
	if err == nil && n != 2 {
		err = r.fault("expected two tokens, found %.60s", r.in[from:r.at])
	}
	if err != nil || !odd {
		return out, cut, odd, err
	}
	var two [2]string
	err = r.decode(span{from, r.at}, &two)
	return append(append(out[:begin], two[0]...), two[1]...), begin + len(two[0]), true, err
}

// spelled appends to out the bytes that a string spells, from within it to its
// quote or a space, and is which of the two. Of a string that spells none, or
// that is written in a way which is left to str, it is 0.
func (r *reader) spelled(out []byte) ([]byte, byte) {
	for r.at < len(r.in) {
		c := rune(r.in[r.at])
		width := 1
		switch {
		case c == '"' || c == ' ':
			return out, byte(c)
		case c == '\\':
			c, width = r.escape()
		case c >= 0x80 && r.at+1 < len(r.in) && r.in[r.at+1]&0xc0 == 0x80:
			c, width = c&^0xc0<<6|rune(r.in[r.at+1]&0x3f), 2
			if r.in[r.at]&0xe0 != 0xc0 || c < 0x80 {
				return out, 0
			}
		case c >= 0x80:
			return out, 0
		}
		b, ok := byteOf(c)
		if !ok {
			return out, 0
		}
		out = append(out, b)
		r.at += width
	}
	return out, 0
}

// escape is the character of an escape, 0 where it is none that spells a byte.
func (r *reader) escape() (rune, int) {
	rest := r.in[r.at:]
	if len(rest) > 1 && (rest[1] == '"' || rest[1] == '\\' || rest[1] == '/') {
		return rune(rest[1]), 2
	}
	if len(rest) < 6 || rest[1] != 'u' {
		return 0, 0
	}
	c := rune(0)
	for _, d := range rest[2:6] {
		switch {
		case d >= '0' && d <= '9':
			d -= '0'
		case d|32 >= 'a' && d|32 <= 'f':
			d = d | 32 - 'a' + 10
		default:
			return 0, 0
		}
		c = c<<4 | rune(d)
	}
	return c, 6
}
