package tokenizer

import (
	"slices"
	"sort"
	"strings"
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
	all   []addedText
	first [257]int32 // where in all those begin that start with a byte
}

type addedText struct {
	text  string
	token *addedToken
}

func (a *addedSet) add(text string, token *addedToken) {
	if text != "" {
		a.all = append(a.all, addedText{text, token})
	}
}

// sort gets the set ready for longest.
func (a *addedSet) sort() {
	slices.SortStableFunc(a.all, func(x, y addedText) int { return strings.Compare(x.text, y.text) })
	for b, at := 0, 0; b < len(a.first); b++ {
		for at < len(a.all) && int(a.all[at].text[0]) < b {
			at++
		}
		a.first[b] = int32(at)
	}
}

// longest is the longest token that begins at byte at of s, and where it ends.
func (a *addedSet) longest(s string, at int) (token *addedToken, end int) {
	all := a.all[a.first[s[at]]:a.first[int(s[at])+1]]
	for n := 1; len(all) > 0; n++ {
		if len(all[0].text) == n {
			token, end = all[0].token, at+n
		}
		for len(all) > 0 && len(all[0].text) == n {
			all = all[1:]
		}
		if at+n == len(s) {
			break
		}
		c := s[at+n]
		all = all[sort.Search(len(all), func(i int) bool { return all[i].text[n] >= c }):]
		all = all[:sort.Search(len(all), func(i int) bool { return all[i].text[n] > c })]
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
	if len(a.all) == 0 {
		if s == "" {
			return out
		}
		return append(out, section{span{0, len(s)}, nil})
	}
	done := 0
	for at := 0; at < len(s); {
		if a.first[s[at]] == a.first[int(s[at])+1] {
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
