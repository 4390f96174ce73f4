package tokenizer

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

const (
	jsonName     = "tokenizer.json"
	configName   = "tokenizer_config.json"
	templateName = "chat_template.jinja"
)

// Load reads the tokenizer of a checkpoint's folder: tokenizer.json or
// tiktoken.model, and, where they are there, tokenizer_config.json and
// chat_template.jinja.
func Load(dir string) (*Tokenizer, error) {
	config, err := optional(filepath.Join(dir, configName))
	if err != nil {
		return nil, err
	}
	template, err := optional(filepath.Join(dir, templateName))
	if err != nil {
		return nil, err
	}
	t, err := loadAny(dir, config)
	if err != nil {
		return nil, err
	}
	if template != nil {
		t.chatTemplate = string(template)
	}
	return t, nil
}

// loadAny reads the first of the files that a vocabulary can be in.
func loadAny(dir string, config []byte) (*Tokenizer, error) {
	for _, kind := range []struct {
		name string
		load func(data, config []byte) (*Tokenizer, error)
	}{{jsonName, LoadBytes}, {tiktokenName, loadTiktoken}} {
		data, err := optional(filepath.Join(dir, kind.name))
		if err != nil {
			return nil, err
		}
		if data == nil {
			continue
		}
		t, err := kind.load(data, config)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		return t, nil
	}
	if _, err := os.Stat(filepath.Join(dir, "tokenizer.model")); err == nil {
		return nil, fmt.Errorf("%s: no %s, and tokenizer.model is not read; save the tokenizer from transformers into the folder: AutoTokenizer.from_pretrained(%q, trust_remote_code=True).save_pretrained(%q)",
			dir, jsonName, dir, dir)
	}
	return nil, fmt.Errorf("%s: no %s; it belongs beside the weights, so download the model again or copy the file there", dir, jsonName)
}

// optional is the bytes of a file, nil where there is none.
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
	t := newTokenizer()
	if err := t.read(&reader{in: tokenizerJSON}); err != nil {
		return nil, fmt.Errorf("%s: %w", jsonName, err)
	}
	if err := t.config(configJSON); err != nil {
		return nil, fmt.Errorf("%s: %w", configName, err)
	}
	return t, nil
}

func (t *Tokenizer) read(r *reader) error {
	parts, model := map[string]json.RawMessage{}, modelJSON{parts: map[string]json.RawMessage{}}
	err := r.object(func(key string) error {
		if key != "model" {
			return r.part(parts, key)
		}
		return r.object(func(key string) (err error) {
			switch key {
			case "vocab":
				model.vocab, err = r.value()
			case "merges":
				model.merges, err = r.value()
			default:
				err = r.part(model.parts, key)
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	if r.next() != 0 || r.at < len(r.in) {
		return r.expected("the end of the file")
	}
	var added []*addedToken
	if parts["added_tokens"] != nil {
		if err := json.Unmarshal(parts["added_tokens"], &added); err != nil {
			return fmt.Errorf("added_tokens: %w", err)
		}
	}
	if err := t.model(r, &model); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	if t.nfc, err = normalizer(parts["normalizer"]); err != nil {
		return err
	}
	if t.splitters, err = splitters(parts["pre_tokenizer"]); err != nil {
		return err
	}
	if err := decoder(parts["decoder"]); err != nil {
		return err
	}
	if err := t.added(added); err != nil {
		return fmt.Errorf("added_tokens: %w", err)
	}
	return t.postProcessor(parts["post_processor"])
}

// added reads added_tokens. A token that the vocabulary has too keeps its id there.
func (t *Tokenizer) added(tokens []*addedToken) error {
	for i, a := range tokens {
		if a == nil {
			return fmt.Errorf("entry %d is null", i)
		}
		id, ok := t.entry(a.Content)
		switch {
		case ok:
			a.ID = int(id)
		case a.ID < 0 || a.ID > maxID:
			return fmt.Errorf("token %q has id %d", a.Content, a.ID)
		case a.ID < len(t.texts) && t.texts[a.ID] != "":
			return fmt.Errorf("token %q has id %d, which is that of %q", a.Content, a.ID, t.texts[a.ID])
		default:
			t.size++
		}
		// Decoding reads added tokens as spellings of bytes too.
		text, _ := spelled(a.Content)
		t.add(a, text)
	}
	t.raw.sort()
	t.normal.sort()
	return nil
}

// add makes an added token, which decodes to text.
func (t *Tokenizer) add(a *addedToken, text string) {
	if more := a.ID + 1 - len(t.texts); more > 0 {
		t.texts = append(t.texts, make([]string, more)...)
		t.shown = append(t.shown, make([]string, more)...)
	}
	t.texts[a.ID] = text
	t.shown[a.ID] = a.Content
	t.spelling[a.Content] = int32(a.ID)
	if a.Special {
		t.special[a.ID] = true
	}
	if !a.Normalized {
		t.raw.add(a.Content, a)
		return
	}
	content := a.Content
	if t.nfc {
		content, _ = normal(content, 0)
	}
	t.normal.add(content, a)
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
