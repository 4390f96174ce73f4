package tokenizer

import (
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/ardanlabs/jinja"
)

// Tokenizer is a byte-level BPE tokenizer. It is safe for use by several
// goroutines.
type Tokenizer struct {
	vocabulary                    // by the text, not its spelling
	spelling     map[string]int32 // entries that are no spelling of bytes, and added tokens
	size         int
	shown        []string // of each id, for people
	special      map[int]bool
	merges       merges
	byteID       [256]int32
	byteIDs      [256][]int32
	ignoreMerges bool

	nfc          bool
	raw, normal  addedSet // looked for in the text, and in the normalized text
	splitters    []splitter
	before       []int // ids that post-processing puts before the text's
	after        []int
	trim         bool // offsets without the white space around
	trimKeep     bool // but for the space that add_prefix_space stands for
	bos, eos     int  // -1: none
	chatTemplate string
	chatTokens   map[string]string // bos_token and so on, for the template
	compileOnce  sync.Once
	compiled     *jinja.Template
	compileErr   error

	cache wordCache
}

func newTokenizer() *Tokenizer {
	return &Tokenizer{spelling: map[string]int32{}, special: map[int]bool{}, bos: -1, eos: -1}
}

// Encoding is a text in tokens.
type Encoding struct {
	IDs     []int
	Offsets [][2]int // first and one past the last code point of the text; 0, 0 for tokens that are not in it
	Tokens  []string // what each stands for, as Token has it
}

// VocabSize is the number of tokens, added ones included.
func (t *Tokenizer) VocabSize() int { return t.size }

// BOS is the token that begins a text, false where there is none.
func (t *Tokenizer) BOS() (int, bool) { return t.bos, t.bos >= 0 }

// EOS is the token that ends a text, false where there is none.
func (t *Tokenizer) EOS() (int, bool) { return t.eos, t.eos >= 0 }

// Token is the text of one token, such as " Mary". Bytes that are part of a
// character only show as U+FFFD. An id that is no token is "".
func (t *Tokenizer) Token(id int) string {
	if id < 0 || id >= len(t.shown) {
		return ""
	}
	return t.shown[id]
}

// ID is the token with that text, or with that spelling in tokenizer.json.
func (t *Tokenizer) ID(token string) (int, bool) {
	id, ok := t.spelling[token]
	if !ok {
		id, ok = t.id(token)
	}
	if !ok {
		id, ok = t.entry(token)
	}
	return int(id), ok
}

// entry is the token with that spelling.
func (t *Tokenizer) entry(s string) (int32, bool) {
	if id, ok := t.spelling[s]; ok {
		return id, true
	}
	text, ok := spelled(s)
	if !ok {
		return 0, false
	}
	return t.id(text)
}

// Encode is text in tokens. addSpecial puts the special tokens around it that
// the model was trained with, such as BOS; a BOS that the text already begins
// with is not put there again. What is not UTF-8 in text counts as U+FFFD, byte
// for byte.
func (t *Tokenizer) Encode(text string, addSpecial bool) Encoding {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	e := &encoder{t: t}
	e.runes(text)
	e.text(text)
	if t.trim {
		e.trimOffsets()
	}
	if addSpecial {
		before := t.before
		if len(before) > 0 && len(e.IDs) > 0 && e.IDs[0] == t.bos && slices.Contains(before, t.bos) {
			before = nil
		}
		e.around(before, t.after)
	}
	e.Tokens = make([]string, len(e.IDs))
	for i, id := range e.IDs {
		e.Tokens[i] = t.shown[id]
	}
	return e.Encoding
}

// Decode is the text of tokens. Bytes that are no UTF-8 become U+FFFD; ids that
// are no token are left out.
func (t *Tokenizer) Decode(ids []int, skipSpecial bool) string {
	var all []byte
	for _, id := range ids {
		if id < 0 || id >= len(t.texts) || skipSpecial && t.special[id] {
			continue
		}
		all = append(all, t.texts[id]...)
	}
	return lossy(string(all))
}
