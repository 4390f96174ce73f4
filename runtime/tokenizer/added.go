package tokenizer

import (
	"unicode/utf8"
)

// An addedToken is found in text before anything else happens to it.
type addedToken struct {
	ID         int    `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"` // not beside another word's character
	LStrip     bool   `json:"lstrip"`      // takes the white space before it
	RStrip     bool   `json:"rstrip"`      // takes the white space after it
	Normalized bool   `json:"normalized"`  // looked for in normalized text
	Special    bool   `json:"special"`
}

// An addedSet finds added tokens in text: the leftmost, and of those the longest.
type addedSet struct {
	first [256]*trie
	any   bool
}

type trie struct {
	next  map[byte]*trie
	token *addedToken
}

func (a *addedSet) add(content string, token *addedToken) {
	if content == "" {
		return
	}
	a.any = true
	t := a.first[content[0]]
	if t == nil {
		t = &trie{}
		a.first[content[0]] = t
	}
	for i := 1; i < len(content); i++ {
		n := t.next[content[i]]
		if n == nil {
			n = &trie{}
			if t.next == nil {
				t.next = map[byte]*trie{}
			}
			t.next[content[i]] = n
		}
		t = n
	}
	if t.token == nil {
		t.token = token
	}
}

func (a *addedSet) longest(s string, at int) (token *addedToken, end int) {
	t := a.first[s[at]]
	for i := at + 1; t != nil; i++ {
		if t.token != nil {
			token, end = t.token, i
		}
		if i == len(s) {
			break
		}
		t = t.next[s[i]]
	}
	return token, end
}

// A section is a piece of text between added tokens, or an added token.
type section struct {
	span
	token *addedToken // nil: text
}

// sections cuts s at the added tokens.
func (a *addedSet) sections(s string, out []section) []section {
	if !a.any {
		if s == "" {
			return out
		}
		return append(out, section{span{0, len(s)}, nil})
	}
	done := 0
	for at := 0; at < len(s); {
		if a.first[s[at]] == nil {
			at++
			continue
		}
		token, end := a.longest(s, at)
		if token == nil {
			at++
			continue
		}
		from, to := at, end
		at = end
		if token.SingleWord && (endsInWord(s[:from]) || startsWithWord(s[to:])) {
			continue
		}
		if token.LStrip {
			from = max(spaceBefore(s, from), done)
		}
		if token.RStrip {
			to = spaceAfter(s, to)
		}
		if from > done {
			out = append(out, section{span{done, from}, nil})
		}
		out = append(out, section{span{from, to}, token})
		done = to
	}
	if done < len(s) {
		out = append(out, section{span{done, len(s)}, nil})
	}
	return out
}

var wordClass, spaceClass = newClass(words), newClass(spaces)

func endsInWord(s string) bool {
	r, width := utf8.DecodeLastRuneInString(s)
	return width > 0 && wordClass.has(r)
}

func startsWithWord(s string) bool {
	r, width := utf8.DecodeRuneInString(s)
	return width > 0 && wordClass.has(r)
}

func spaceBefore(s string, at int) int {
	for {
		r, width := utf8.DecodeLastRuneInString(s[:at])
		if width == 0 || !spaceClass.has(r) {
			return at
		}
		at -= width
	}
}

func spaceAfter(s string, at int) int {
	for {
		r, width := utf8.DecodeRuneInString(s[at:])
		if width == 0 || !spaceClass.has(r) {
			return at
		}
		at += width
	}
}
