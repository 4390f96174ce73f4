package tokenizer

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
)

const tiktokenName = "tiktoken.model"

// moonshot is how the tokenizers of Moonshot AI, whose class is TikTokenTokenizer,
// split text.
var moonshot = sync.OnceValues(func() (*pattern, error) {
	return compile(`[\p{Han}]+` +
		`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
		`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
		`|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`)
})

// reserved is how many ids follow the ranks, for added tokens. Those that
// tokenizer_config.json does not name are <|reserved_token_ID|>.
const reserved = 256

// loadTiktoken reads tiktoken.model, a line with a token in base64 and its rank
// for each, and tokenizer_config.json, which names the added tokens.
func loadTiktoken(data, configJSON []byte) (*Tokenizer, error) {
	var config struct {
		Class string                 `json:"tokenizer_class"`
		Added map[string]*addedToken `json:"added_tokens_decoder"`
	}
	if configJSON == nil {
		return nil, fmt.Errorf("%s: no %s, which names the added tokens; copy it from the release to beside it", tiktokenName, configName)
	}
	if err := json.Unmarshal(configJSON, &config); err != nil {
		return nil, fmt.Errorf("%s: %w", configName, err)
	}
	if config.Class != "TikTokenTokenizer" {
		return nil, fmt.Errorf("%s: tokenizer_class %q is not known beside %s; known is TikTokenTokenizer. Save the tokenizer from transformers as %s", configName, config.Class, tiktokenName, jsonName)
	}
	t := newTokenizer()
	if err := t.readRanks(data); err != nil {
		return nil, fmt.Errorf("%s: %w", tiktokenName, err)
	}
	if err := t.reserve(config.Added); err != nil {
		return nil, fmt.Errorf("%s: added_tokens_decoder: %w", configName, err)
	}
	pattern, err := moonshot()
	if err != nil {
		return nil, err
	}
	t.splitters = []splitter{runSplitter{}, patternSplitter{pattern, false, false}}
	if err := t.config(configJSON); err != nil {
		return nil, fmt.Errorf("%s: %w", configName, err)
	}
	return t, nil
}

// readRanks reads the tokens, of which the rank is the id, and makes their merges:
// any two tokens merge where both together are one, the lowest rank first. A
// piece that is a token needs no merge.
func (t *Tokenizer) readRanks(data []byte) error {
	type entry struct {
		end  int32 // of its text, which begins where the one before ends
		rank int32
		line int32
	}
	var all []entry
	text := make([]byte, 0, len(data)/2)
	number := 0
	for line := range bytes.Lines(data) {
		number++
		word, digits, ok := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		if len(word) == 0 {
			continue
		}
		if !ok {
			return badLine(number, "expected a token in base64, a space and a rank, found %.60q", line)
		}
		begin := len(text)
		var err error
		if text, err = base64.StdEncoding.AppendDecode(text, word); err != nil || len(text) == begin {
			return badLine(number, "expected a token in base64, found %.60q", word)
		}
		rank, err := strconv.Atoi(string(digits))
		if err != nil || rank < 0 || rank > maxID {
			return badLine(number, "expected a rank from 0 to %d, found %.60q", maxID, digits)
		}
		all = append(all, entry{int32(len(text)), int32(rank), int32(number)})
	}
	if len(all) == 0 {
		return fmt.Errorf("the file is empty; download it again")
	}
	n := len(all)
	t.vocabulary = newVocabulary(n, n-1)
	texts, from := string(text), int32(0)
	for _, e := range all {
		s := texts[from:e.end]
		from = e.end
		if int(e.rank) >= n {
			return badLine(int(e.line), "rank %d, and there are %d tokens", e.rank, n)
		}
		if t.texts[e.rank] != "" {
			return badLine(int(e.line), "rank %d is that of an earlier line too", e.rank)
		}
		if other, ok := t.id(s); ok {
			return badLine(int(e.line), "%q has rank %d already", s, other)
		}
		t.put(s, e.rank)
	}
	if b := t.alphabet(); b >= 0 {
		return fmt.Errorf("no token for byte %#x; download the file again", b)
	}
	t.show()
	t.ignoreMerges = true
	t.mergeAll()
	return nil
}

func badLine(number int, format string, args ...any) error {
	return fmt.Errorf("line %d: %w; download the file again", number, fmt.Errorf(format, args...))
}

// mergeAll makes a merge of every two tokens that together are one.
func (t *Tokenizer) mergeAll() {
	type rule struct{ left, right, both int32 }
	var all []rule
	for both, s := range t.texts {
		for cut := 1; cut < len(s); cut++ {
			left, ok := t.id(s[:cut])
			if !ok {
				continue
			}
			if right, ok := t.id(s[cut:]); ok {
				all = append(all, rule{left, right, int32(both)})
			}
		}
	}
	t.merges = newMerges(len(all))
	for _, r := range all {
		t.merges.put(r.left, r.right, merge{r.both + 1, r.both})
	}
}

// reserve makes the added tokens.
func (t *Tokenizer) reserve(named map[string]*addedToken) error {
	first := t.size
	for name, a := range named {
		id, err := strconv.Atoi(name)
		if err != nil || id < first || id >= first+reserved {
			return fmt.Errorf("expected ids from %d, the number of ranks, to %d, found %q", first, first+reserved-1, name)
		}
		if a == nil || a.Content == "" {
			return fmt.Errorf("%s has no content", name)
		}
	}
	for id := first; id < first+reserved; id++ {
		a := named[strconv.Itoa(id)]
		if a == nil {
			a = &addedToken{Content: fmt.Sprintf("<|reserved_token_%d|>", id)}
		}
		if other, ok := t.spelling[a.Content]; ok {
			return fmt.Errorf("%d and %d are both %q", other, id, a.Content)
		}
		a.ID, a.Normalized = id, false
		t.add(a, a.Content)
		t.size++
	}
	t.raw.sort()
	return nil
}

// A runSplitter cuts where tokenizers of tiktoken cut so that their patterns do
// not meet the engine's limits: after every 400,000 characters, and in a run of
// characters that are all white space, or all not, after every 25,000.
type runSplitter struct{}

func (runSplitter) split(s string, piece span, out []span) []span {
	const most, longest = 400_000, 25_000
	if piece.to-piece.from <= longest {
		return append(out, piece)
	}
	from, count, run, wasSpace := piece.from, 0, 0, false
	for at, r := range s[piece.from:piece.to] {
		at += piece.from
		if count == most {
			out = append(out, span{from, at})
			from, count, run = at, 0, 0
		}
		is := pythonSpace(r)
		if is != wasSpace {
			run = 0
		}
		if run++; run > longest {
			out = append(out, span{from, at})
			from, run = at, 1
		}
		wasSpace = is
		count++
	}
	return append(out, span{from, piece.to})
}

// pythonSpace is what Python's str.isspace takes for white space: \s, and the
// four separators below the space.
func pythonSpace(r rune) bool { return spaceClass.has(r) || r >= 0x1c && r <= 0x1f }
