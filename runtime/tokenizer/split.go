package tokenizer

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// A span is a piece of a string.
type span struct{ from, to int }

// A splitter cuts the piece of s into smaller ones, in order.
type splitter interface {
	split(s string, piece span, out []span) []span
}

// gpt2 is what the ByteLevel pre-tokenizer splits by when it is asked to.
const gpt2 = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

// splitters reads pre_tokenizer. ByteLevel must come last: what follows it would
// see bytes spelled as characters.
func splitters(raw json.RawMessage) ([]splitter, error) {
	var all []splitter
	last := ""
	var read func(raw json.RawMessage) error
	read = func(raw json.RawMessage) error {
		var p struct {
			Type             string            `json:"type"`
			Inner            []json.RawMessage `json:"pretokenizers"`
			Pattern          patternJSON       `json:"pattern"`
			Behavior         string            `json:"behavior"`
			Invert           bool              `json:"invert"`
			IndividualDigits bool              `json:"individual_digits"`
			UseRegex         *bool             `json:"use_regex"`
			AddPrefixSpace   bool              `json:"add_prefix_space"`
		}
		if err := json.Unmarshal(raw, &p); err != nil {
			return fmt.Errorf("pre_tokenizer: %w", err)
		}
		if p.Type != "Sequence" && last == "ByteLevel" {
			return fmt.Errorf("pre_tokenizer: %s after ByteLevel is not known", p.Type)
		}
		last = p.Type
		switch p.Type {
		case "Sequence":
			for _, q := range p.Inner {
				if err := read(q); err != nil {
					return err
				}
			}
		case "Digits":
			all = append(all, digitSplitter{newClass(digits), p.IndividualDigits})
		case "ByteLevel":
			if p.AddPrefixSpace {
				return fmt.Errorf("pre_tokenizer: ByteLevel with add_prefix_space is not known")
			}
			if p.UseRegex == nil || *p.UseRegex {
				re, err := compile(gpt2)
				if err != nil {
					return err
				}
				all = append(all, patternSplitter{re, false, false})
			}
		case "Split":
			if p.Behavior != "Isolated" && p.Behavior != "Removed" {
				return fmt.Errorf("pre_tokenizer: Split with behavior %s is not known; known are Isolated and Removed", p.Behavior)
			}
			re, err := p.Pattern.compile()
			if err != nil {
				return fmt.Errorf("pre_tokenizer: %w", err)
			}
			all = append(all, patternSplitter{re, p.Behavior == "Removed", p.Invert})
		default:
			return fmt.Errorf("pre_tokenizer: type %q is not known; known are Sequence, Split, Digits and ByteLevel", p.Type)
		}
		return nil
	}
	if len(raw) > 0 && string(raw) != "null" {
		if err := read(raw); err != nil {
			return nil, err
		}
	}
	if last != "ByteLevel" {
		return nil, fmt.Errorf("pre_tokenizer: expected ByteLevel last, found %q: only byte-level BPE is known", last)
	}
	return all, nil
}

// patternJSON is {"Regex": …} or {"String": …}.
type patternJSON struct{ Regex, String *string }

func (p patternJSON) compile() (*pattern, error) {
	switch {
	case p.Regex != nil:
		return compile(*p.Regex)
	case p.String != nil:
		literal := ""
		for _, r := range *p.String {
			if r < utf8.RuneSelf && (r < '0' || r > '9') && (r|32 < 'a' || r|32 > 'z') {
				literal += `\`
			}
			literal += string(r)
		}
		return compile(literal)
	}
	return nil, fmt.Errorf("pattern: expected Regex or String")
}

// A patternSplitter makes each match a piece, and each stretch between matches.
// One of the two is left out where removed says so: the matches, or with invert
// what lies between them.
type patternSplitter struct {
	*pattern
	removed, invert bool
}

func (p patternSplitter) split(s string, piece span, out []span) []span {
	text := s[piece.from:piece.to]
	keepMatch, keepRest := !p.removed || p.invert, !p.removed || !p.invert
	last := 0
	var hopeless deadEnds
	for at := 0; at < len(text); {
		end := p.match(text, at, &hopeless)
		if end <= at {
			_, width := utf8.DecodeRuneInString(text[at:])
			at += width
			continue
		}
		if at > last && keepRest {
			out = append(out, span{piece.from + last, piece.from + at})
		}
		if keepMatch {
			out = append(out, span{piece.from + at, piece.from + end})
		}
		at, last = end, end
	}
	if last < len(text) && keepRest {
		out = append(out, span{piece.from + last, piece.to})
	}
	return out
}

// A digitSplitter makes runs of digits pieces, or each digit.
type digitSplitter struct {
	digits     *class
	individual bool
}

func (d digitSplitter) split(s string, piece span, out []span) []span {
	last, wasDigit := piece.from, false
	for at, r := range s[piece.from:piece.to] {
		at += piece.from
		is := d.digits.has(r)
		if at > last && (is != wasDigit || is && d.individual) {
			out = append(out, span{last, at})
			last = at
		}
		wasDigit = is
	}
	if last < piece.to {
		out = append(out, span{last, piece.to})
	}
	return out
}
