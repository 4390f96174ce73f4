package gonterp

import (
	"fmt"
	"slices"
	"strconv"
)

// StrTokens is one prompt cut into its tokens' texts, as a pass would see it.
func (m *Model) StrTokens(prompt any) []string {
	if err := m.needTokenizer(); err != nil {
		panic(err)
	}
	return m.texts(m.rowOf("StrTokens", prompt))
}

// Tokens is one prompt as token ids, as a pass would see it.
func (m *Model) Tokens(prompt any) []int { return m.rowOf("Tokens", prompt) }

// SingleToken is the id of a text that is exactly one token; of another it is an
// ArgumentError that says which tokens the text has.
func (m *Model) SingleToken(s string) int { return m.token("SingleToken", s) }

// FirstTokens are the tokens that words may begin with, each word with and without a
// leading space, without repetition.
func (m *Model) FirstTokens(words ...string) []int {
	if err := m.needTokenizer(); err != nil {
		panic(err)
	}
	var ids []int
	for _, word := range words {
		if word == "" {
			panic(argumentErrorf("FirstTokens: a word is empty"))
		}
		for _, text := range []string{word, " " + word} {
			// A lone space is what is left of a word that has no token of its own.
			for _, id := range m.tokenizer.Encode(text, false).IDs {
				if m.tokenizer.Token(id) != " " {
					if !slices.Contains(ids, id) {
						ids = append(ids, id)
					}
					break
				}
			}
		}
	}
	return ids
}

// Decode is the text of token ids.
func (m *Model) Decode(ids ...int) string {
	if err := m.needTokenizer(); err != nil {
		panic(err)
	}
	return m.tokenizer.Decode(ids, false)
}

// token is the id of a token given by its id or its text.
func (m *Model) token(who string, token any) int {
	switch t := token.(type) {
	case int:
		if t < 0 || t >= m.VocabSize {
			panic(argumentErrorf("%s: token id %d is out of range; the vocabulary has ids 0 to %d", who, t, m.VocabSize-1))
		}
		return t
	case string:
		if err := m.needTokenizer(); err != nil {
			panic(err)
		}
		ids := m.tokenizer.Encode(t, false).IDs
		switch len(ids) {
		case 0:
			panic(argumentErrorf("%s: the text of a token is empty", who))
		case 1:
			return ids[0]
		}
		hint := fmt.Sprintf("Give the id of the one you mean, such as the first, %d", ids[0])
		if spaced := m.tokenizer.Encode(" "+t, false).IDs; len(spaced) == 1 {
			hint = fmt.Sprintf("With a leading space it is one: %q", " "+t)
		}
		panic(argumentErrorf("%s: %q is %d tokens, %q, not one. %s", who, t, len(ids), m.texts(ids), hint))
	}
	panic(argumentErrorf("%s: a %T is no token. Give its id, an int, or its text", who, token))
}

// word is a token as it stands in a table: quoted, or its id without a tokenizer.
func (m *Model) word(id int) string {
	if m.tokenizer == nil {
		return strconv.Itoa(id)
	}
	return strconv.Quote(m.tokenizer.Token(id))
}

// tailRunes is how much of a prompt stands before its row of a table.
const tailRunes = 40

// tail is the end of a prompt as text.
func (m *Model) tail(row []int) string {
	if m.tokenizer == nil {
		return fmt.Sprint(row)
	}
	text := []rune(m.tokenizer.Decode(row, true))
	if len(text) > tailRunes {
		text = append([]rune("…"), text[len(text)-tailRunes:]...)
	}
	return string(text)
}
