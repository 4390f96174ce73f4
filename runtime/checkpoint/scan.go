package checkpoint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

// A scanner reads the JSON of a safetensors header, which has objects, strings
// and whole numbers only. encoding/json would take a second over the headers of
// a large checkpoint, and hide a name given twice.
type scanner struct {
	in []byte
	at int
}

func (s *scanner) space() {
	for s.at < len(s.in) && (s.in[s.at] == ' ' || s.in[s.at] == '\n' || s.in[s.at] == '\t' || s.in[s.at] == '\r') {
		s.at++
	}
}

// done says whether nothing but white space is left.
func (s *scanner) done() bool {
	s.space()
	return s.at == len(s.in)
}

// next is the next character that is no white space, 0 at the end.
func (s *scanner) next() byte {
	if s.done() {
		return 0
	}
	return s.in[s.at]
}

// found shows what stands where something else was expected.
func (s *scanner) found() string {
	if s.done() {
		return "the end of the header"
	}
	end := s.at
	for end < len(s.in) && end < s.at+20 && s.in[end] != ',' && s.in[end] != '}' && s.in[end] != ']' {
		end++
	}
	return string(s.in[s.at:max(end, s.at+1)])
}

func (s *scanner) take(c byte) bool {
	if s.next() != c {
		return false
	}
	s.at++
	return true
}

func (s *scanner) word(w string) bool {
	s.space()
	if !bytes.HasPrefix(s.in[s.at:], []byte(w)) {
		return false
	}
	s.at += len(w)
	return true
}

// object reads an object; each reads the value of a key.
func (s *scanner) object(what string, each func(key string) error) error {
	if !s.take('{') {
		return fmt.Errorf("%s: expected a JSON object, found %s", what, s.found())
	}
	if s.take('}') {
		return nil
	}
	for {
		key, err := s.text(what)
		if err != nil {
			return err
		}
		if !s.take(':') {
			return fmt.Errorf("%s: expected : after %q, found %s", what, key, s.found())
		}
		if err := each(key); err != nil {
			return err
		}
		if s.take('}') {
			return nil
		}
		if !s.take(',') {
			return fmt.Errorf("%s: expected , or }, found %s", what, s.found())
		}
	}
}

func (s *scanner) text(what string) (string, error) {
	if s.next() != '"' {
		return "", fmt.Errorf("%s: expected a string, found %s", what, s.found())
	}
	from, plain := s.at, true
	for s.at++; s.at < len(s.in); s.at++ {
		switch c := s.in[s.at]; {
		case c == '"':
			s.at++
			if plain {
				return string(s.in[from+1 : s.at-1]), nil
			}
			var out string
			err := json.Unmarshal(s.in[from:s.at], &out)
			if err != nil {
				err = fmt.Errorf("%s: %w", what, err)
			}
			return out, err
		case c == '\\':
			plain = false
			s.at++
		case c < ' ':
			return "", fmt.Errorf("%s: a string with the control character %#x", what, c)
		}
	}
	return "", fmt.Errorf("%s: a string without an end", what)
}

// numbers reads a list of whole numbers.
func (s *scanner) numbers(what string) ([]int64, error) {
	if !s.take('[') {
		return nil, fmt.Errorf("%s: expected a list, found %s", what, s.found())
	}
	out := make([]int64, 0, 4)
	if s.take(']') {
		return out, nil
	}
	for {
		n, err := s.number(what)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
		if s.take(']') {
			return out, nil
		}
		if !s.take(',') {
			return nil, fmt.Errorf("%s: expected , or ], found %s", what, s.found())
		}
	}
}

func (s *scanner) number(what string) (int64, error) {
	s.space()
	from, n := s.at, int64(0)
	for ; s.at < len(s.in) && s.in[s.at] >= '0' && s.in[s.at] <= '9'; s.at++ {
		d := int64(s.in[s.at] - '0')
		if n > (math.MaxInt64-d)/10 {
			s.at = from
			return 0, fmt.Errorf("%s: %s is too large", what, s.found())
		}
		n = n*10 + d
	}
	leading := s.at > from+1 && s.in[from] == '0'
	fraction := s.at < len(s.in) && (s.in[s.at] == '.' || s.in[s.at]|' ' == 'e')
	if s.at == from || leading || fraction {
		s.at = from
		return 0, fmt.Errorf("%s: expected whole numbers, found %s", what, s.found())
	}
	return n, nil
}
