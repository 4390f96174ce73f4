package tokenizer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"strings"
)

const (
	jsonName     = "tokenizer.json"
	configName   = "tokenizer_config.json"
	templateName = "chat_template.jinja"
)

// Load reads the tokenizer of a checkpoint's folder: tokenizer.json, and, where
// they are there, tokenizer_config.json and chat_template.jinja.
func Load(dir string) (*Tokenizer, error) {
	path := filepath.Join(dir, jsonName)
	data, err := os.ReadFile(path)
	if err != nil {
		if os.IsNotExist(err) {
			return nil, absent(dir)
		}
		return nil, err
	}
	config, err := optional(filepath.Join(dir, configName))
	if err != nil {
		return nil, err
	}
	template, err := optional(filepath.Join(dir, templateName))
	if err != nil {
		return nil, err
	}
	t, err := LoadBytes(data, config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if template != nil {
		t.chatTemplate = string(template)
	}
	return t, nil
}

// absent is the error for a folder without tokenizer.json.
func absent(dir string) error {
	for _, other := range []string{"tiktoken.model", "tokenizer.model"} {
		if _, err := os.Stat(filepath.Join(dir, other)); err == nil {
			return fmt.Errorf("%s: no %s, and %s is not read; save the tokenizer from transformers into the folder: AutoTokenizer.from_pretrained(%q, trust_remote_code=True).save_pretrained(%q)",
				dir, jsonName, other, dir, dir)
		}
	}
	return fmt.Errorf("%s: no %s; it belongs beside the weights, so download the model again or copy the file there", dir, jsonName)
}

func optional(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	return data, err
}

// LoadBytes reads the bytes of tokenizer.json and, unless it is nil, of
// tokenizer_config.json.
func LoadBytes(tokenizerJSON, configJSON []byte) (*Tokenizer, error) {
	var f struct {
		AddedTokens   []*addedToken   `json:"added_tokens"`
		Normalizer    json.RawMessage `json:"normalizer"`
		PreTokenizer  json.RawMessage `json:"pre_tokenizer"`
		PostProcessor json.RawMessage `json:"post_processor"`
		Decoder       json.RawMessage `json:"decoder"`
		Model         modelJSON       `json:"model"`
	}
	if err := json.Unmarshal(tokenizerJSON, &f); err != nil {
		return nil, fmt.Errorf("%s: %w", jsonName, err)
	}
	t := &Tokenizer{seed: maphash.MakeSeed(), bos: -1, eos: -1}
	err := t.model(&f.Model, f.AddedTokens)
	if err == nil {
		t.nfc, err = normalizer(f.Normalizer)
	}
	if err == nil {
		t.splitters, err = splitters(f.PreTokenizer)
	}
	if err == nil {
		err = t.postProcessor(f.PostProcessor)
	}
	if err == nil {
		err = decoder(f.Decoder)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", jsonName, err)
	}
	t.added(f.AddedTokens)
	if err := t.config(configJSON); err != nil {
		return nil, fmt.Errorf("%s: %w", configName, err)
	}
	return t, nil
}

type modelJSON struct {
	Type          string            `json:"type"`
	Vocab         map[string]int32  `json:"vocab"`
	Merges        []json.RawMessage `json:"merges"`
	IgnoreMerges  bool              `json:"ignore_merges"`
	ByteFallback  bool              `json:"byte_fallback"`
	UnkToken      *string           `json:"unk_token"`
	Dropout       *float64          `json:"dropout"`
	SubwordPrefix *string           `json:"continuing_subword_prefix"`
	WordSuffix    *string           `json:"end_of_word_suffix"`
}

// maxID keeps a broken file from asking for all memory.
const maxID = 1 << 21

func (t *Tokenizer) model(m *modelJSON, added []*addedToken) error {
	switch {
	case m.Type != "BPE":
		return fmt.Errorf("model: type %q is not known; known is BPE", m.Type)
	case m.ByteFallback:
		return fmt.Errorf("model: byte_fallback is not known: only byte-level BPE is")
	case m.Dropout != nil && *m.Dropout != 0:
		return fmt.Errorf("model: dropout is not known")
	case m.SubwordPrefix != nil && *m.SubwordPrefix != "", m.WordSuffix != nil && *m.WordSuffix != "":
		return fmt.Errorf("model: continuing_subword_prefix and end_of_word_suffix are not known")
	}
	last := int32(-1)
	for s, id := range m.Vocab {
		if id < 0 || id > maxID {
			return fmt.Errorf("model: token %q has id %d", s, id)
		}
		last = max(last, id)
	}
	for i, a := range added {
		if a == nil {
			return fmt.Errorf("added_tokens: entry %d is null", i)
		}
		if id, ok := m.Vocab[a.Content]; ok {
			a.ID = int(id)
		}
		if a.ID < 0 || a.ID > maxID {
			return fmt.Errorf("added_tokens: token %q has id %d", a.Content, a.ID)
		}
		last = max(last, int32(a.ID))
	}
	t.ignoreMerges = m.IgnoreMerges
	t.vocab = make(map[string]int32, len(m.Vocab))
	t.spelling = map[string]int32{}
	t.bytes, t.texts = make([]string, last+1), make([]string, last+1)
	t.size = len(m.Vocab)
	for s, id := range m.Vocab {
		text, ok := spelled(s)
		if ok {
			t.vocab[text] = id
		} else {
			t.spelling[s] = id
		}
		t.bytes[id], t.texts[id] = text, lossy(text)
	}
	for b := range t.byteID {
		id, ok := t.vocab[string([]byte{byte(b)})]
		if !ok {
			if m.UnkToken != nil {
				return fmt.Errorf("model: no token for byte %#x: only vocabularies of every byte are known with unk_token", b)
			}
			id = -1
		}
		t.byteID[b], t.byteIDs[b] = id, []int32{id}
	}
	return t.readMerges(m)
}

func (t *Tokenizer) readMerges(m *modelJSON) error {
	t.merges = make(merges, len(m.Merges))
	for i, raw := range m.Merges {
		left, right, err := mergeParts(raw)
		if err != nil {
			return fmt.Errorf("model: merge %d: %w", i, err)
		}
		ids := [3]int32{}
		for k, s := range []string{left, right, left + right} {
			id, ok := m.Vocab[s]
			if !ok {
				return fmt.Errorf("model: merge %d makes %q of %q and %q, and %q is not in vocab", i, left+right, left, right, s)
			}
			ids[k] = id
		}
		t.merges[pair(ids[0], ids[1])] = merge{int32(i), ids[2]}
	}
	return nil
}

// mergeParts reads a merge: two tokens with a space between, or a list of two.
func mergeParts(raw json.RawMessage) (left, right string, err error) {
	if raw[0] == '[' {
		var two []string
		if err := json.Unmarshal(raw, &two); err != nil || len(two) != 2 {
			return "", "", fmt.Errorf("expected two tokens, found %.60s", raw)
		}
		return two[0], two[1], nil
	}
	var s string
	if raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 {
		s = string(raw[1 : len(raw)-1])
	} else if err := json.Unmarshal(raw, &s); err != nil {
		return "", "", fmt.Errorf("expected two tokens, found %.60s", raw)
	}
	left, right, ok := strings.Cut(s, " ")
	if !ok {
		return "", "", fmt.Errorf("expected two tokens with a space between, found %q", s)
	}
	return left, right, nil
}

func (t *Tokenizer) added(tokens []*addedToken) {
	t.special = map[int]bool{}
	for _, a := range tokens {
		if t.texts[a.ID] == "" {
			t.size++
		}
		// Decoding reads added tokens as spellings of bytes too.
		t.bytes[a.ID], _ = spelled(a.Content)
		t.texts[a.ID] = a.Content
		t.spelling[a.Content] = int32(a.ID)
		if a.Special {
			t.special[a.ID] = true
		}
		if !a.Normalized {
			t.raw.add(a.Content, a)
			continue
		}
		content := a.Content
		if t.nfc {
			content, _ = normal(content, 0)
		}
		t.normal.add(content, a)
	}
}

// decoder checks that decoding is joining bytes.
func decoder(raw json.RawMessage) error {
	var d struct {
		Type string `json:"type"`
	}
	if len(raw) > 0 && string(raw) != "null" {
		if err := json.Unmarshal(raw, &d); err != nil {
			return fmt.Errorf("decoder: %w", err)
		}
	}
	if d.Type != "ByteLevel" {
		return fmt.Errorf("decoder: type %q is not known; known is ByteLevel", d.Type)
	}
	return nil
}
