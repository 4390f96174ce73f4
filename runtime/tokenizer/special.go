package tokenizer

import (
	"encoding/json"
	"fmt"
)

// postProcessor reads post_processor: what is put around a text.
func (t *Tokenizer) postProcessor(raw json.RawMessage) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var p struct {
		Type           string            `json:"type"`
		Processors     []json.RawMessage `json:"processors"`
		TrimOffsets    *bool             `json:"trim_offsets"`
		AddPrefixSpace *bool             `json:"add_prefix_space"`
		Single         []struct {
			SpecialToken *struct {
				ID string `json:"id"`
			}
			Sequence *struct {
				ID string `json:"id"`
			}
		} `json:"single"`
		SpecialTokens map[string]struct {
			IDs []int `json:"ids"`
		} `json:"special_tokens"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return fmt.Errorf("post_processor: %w", err)
	}
	switch p.Type {
	case "Sequence":
		for _, inner := range p.Processors {
			if err := t.postProcessor(inner); err != nil {
				return err
			}
		}
	case "ByteLevel":
		t.trim = p.TrimOffsets == nil || *p.TrimOffsets
		t.trimKeep = p.AddPrefixSpace == nil || *p.AddPrefixSpace
	case "TemplateProcessing":
		into := &t.before
		for _, part := range p.Single {
			switch {
			case part.Sequence != nil:
				into = &t.after
			case part.SpecialToken != nil:
				token, ok := p.SpecialTokens[part.SpecialToken.ID]
				if !ok {
					return fmt.Errorf("post_processor: %q is not in special_tokens", part.SpecialToken.ID)
				}
				for _, id := range token.IDs {
					if id < 0 || id >= len(t.texts) {
						return fmt.Errorf("post_processor: %q has id %d, which is no token", part.SpecialToken.ID, id)
					}
				}
				*into = append(*into, token.IDs...)
			}
		}
	default:
		return fmt.Errorf("post_processor: type %q is not known; known are Sequence, ByteLevel and TemplateProcessing", p.Type)
	}
	return nil
}

// config reads tokenizer_config.json: which tokens begin and end a text, whether
// they are put there, and the chat template.
func (t *Tokenizer) config(data []byte) error {
	var c struct {
		BOS          tokenName       `json:"bos_token"`
		EOS          tokenName       `json:"eos_token"`
		Pad          tokenName       `json:"pad_token"`
		Unk          tokenName       `json:"unk_token"`
		AddBOS       *bool           `json:"add_bos_token"`
		AddEOS       *bool           `json:"add_eos_token"`
		ChatTemplate json.RawMessage `json:"chat_template"`
	}
	if len(data) > 0 {
		if err := json.Unmarshal(data, &c); err != nil {
			return err
		}
	}
	t.chatTokens = map[string]string{"bos_token": string(c.BOS), "eos_token": string(c.EOS), "pad_token": string(c.Pad), "unk_token": string(c.Unk)}
	for _, end := range []struct {
		name  string
		token tokenName
		into  *int
		add   *bool
		ids   *[]int
	}{{"bos_token", c.BOS, &t.bos, c.AddBOS, &t.before}, {"eos_token", c.EOS, &t.eos, c.AddEOS, &t.after}} {
		if end.token != "" {
			id, ok := t.ID(string(end.token))
			if !ok {
				return fmt.Errorf("%s: %q is not a token", end.name, end.token)
			}
			*end.into = id
		}
		switch {
		case end.add == nil || *end.into < 0:
		case *end.add:
			*end.ids = []int{*end.into}
		default:
			*end.ids = nil
		}
	}
	if t.bos < 0 && len(t.before) == 1 {
		t.bos = t.before[0]
	}
	return t.readChatTemplate(c.ChatTemplate)
}

// tokenName is a token's text, given as a string or as an object with content.
type tokenName string

func (n *tokenName) UnmarshalJSON(data []byte) error {
	var s *string
	if err := json.Unmarshal(data, &s); err == nil {
		if s != nil {
			*n = tokenName(*s)
		}
		return nil
	}
	var o struct {
		Content *string `json:"content"`
	}
	if err := json.Unmarshal(data, &o); err != nil || o.Content == nil {
		return fmt.Errorf("expected a token's text or an object with content, found %.60s", data)
	}
	*n = tokenName(*o.Content)
	return nil
}

// readChatTemplate reads chat_template: a text, or a list of named ones of which
// the one called default counts.
func (t *Tokenizer) readChatTemplate(raw json.RawMessage) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if json.Unmarshal(raw, &t.chatTemplate) == nil {
		return nil
	}
	var named []struct{ Name, Template string }
	if err := json.Unmarshal(raw, &named); err != nil {
		return fmt.Errorf("chat_template: expected a text or a list of names and templates")
	}
	for _, n := range named {
		if n.Name == "default" {
			t.chatTemplate = n.Template
		}
	}
	return nil
}
