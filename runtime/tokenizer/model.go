package tokenizer

import (
	"encoding/json"
	"fmt"
)

// maxID keeps a broken file from asking for all memory.
const maxID = 1 << 21

// modelJSON is the member model of tokenizer.json: where its two long members lie,
// and the others.
type modelJSON struct {
	vocab, merges span
	parts         map[string]json.RawMessage
}

func (t *Tokenizer) model(r *reader, m *modelJSON) error {
	var (
		kind                    string
		dropout                 float64
		byteFallback            bool
		unknown, prefix, suffix *string
	)
	for name, into := range map[string]any{
		"type": &kind, "dropout": &dropout, "byte_fallback": &byteFallback, "ignore_merges": &t.ignoreMerges,
		"unk_token": &unknown, "continuing_subword_prefix": &prefix, "end_of_word_suffix": &suffix,
	} {
		if part, ok := m.parts[name]; ok {
			if err := json.Unmarshal(part, into); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	switch {
	case kind != "BPE":
		return fmt.Errorf("type %q is not known; known is BPE", kind)
	case byteFallback:
		return fmt.Errorf("byte_fallback is not known: only byte-level BPE is")
	case dropout != 0:
		return fmt.Errorf("dropout is not known")
	case prefix != nil && *prefix != "", suffix != nil && *suffix != "":
		return fmt.Errorf("continuing_subword_prefix and end_of_word_suffix are not known")
	}
	if m.vocab.to == 0 || m.merges.to == 0 {
		return fmt.Errorf("vocab and merges must be there")
	}
	if err := t.readVocab(&reader{r.in[:m.vocab.to], m.vocab.from}); err != nil {
		return fmt.Errorf("vocab: %w", err)
	}
	if b := t.alphabet(); b >= 0 && unknown != nil {
		return fmt.Errorf("no token for byte %#x: only vocabularies of every byte are known with unk_token", b)
	}
	if err := t.readMerges(&reader{r.in[:m.merges.to], m.merges.from}); err != nil {
		return err
	}
	if err := t.addOdd(); err != nil {
		return err
	}
	t.show()
	return nil
}

// readVocab reads the object of spellings and ids.
func (t *Tokenizer) readVocab(r *reader) error {
	type entry struct {
		end int32 // of its text, which begins where the one before ends
		id  int32
		odd bool // spells no bytes
	}
	var all []entry
	// One string for all texts, because one each would keep the garbage collector
	// busy.
	text := make([]byte, 0, (len(r.in)-r.at)/4)
	last := 0
	err := r.each('{', '}', func() (err error) {
		begin, odd := len(text), false
		if text, odd, err = r.text(text); err != nil {
			return err
		}
		if err := r.take(':'); err != nil {
			return err
		}
		id, err := r.integer(maxID)
		if err != nil {
			return fmt.Errorf("token %q: %w", text[begin:], err)
		}
		last = max(last, id)
		all = append(all, entry{int32(len(text)), int32(id), odd})
		return nil
	})
	if err != nil {
		return err
	}
	t.vocabulary = newVocabulary(len(all), last)
	texts, from := string(text), int32(0)
	for _, e := range all {
		s := texts[from:e.end]
		from = e.end
		if other := t.texts[e.id]; other != "" && other != s {
			return fmt.Errorf("%q and %q both have id %d", other, s, e.id)
		}
		if e.odd {
			t.spelling[s] = e.id
		} else {
			t.put(s, e.id)
		}
	}
	return nil
}

// readMerges reads the list of merges, each two tokens with a space between or a
// list of two.
func (t *Tokenizer) readMerges(r *reader) error {
	type rule struct {
		cut, end int32 // of the left token and of both
		odd      bool  // the two are spelled, not as text
	}
	var all []rule
	text := make([]byte, 0, (len(r.in)-r.at)/4)
	err := r.each('[', ']', func() (err error) {
		var cut int
		var odd bool
		if text, cut, odd, err = r.merge(text); err != nil {
			return fmt.Errorf("merge %d: %w", len(all), err)
		}
		all = append(all, rule{int32(cut), int32(len(text)), odd})
		return nil
	})
	if err != nil {
		return err
	}
	t.merges = newMerges(len(all))
	texts, from, next := string(text), int32(0), int32(0)
	for i, rule := range all {
		parts := [3]string{texts[from:rule.cut], texts[rule.cut:rule.end], texts[from:rule.end]}
		from = rule.end
		find := t.id
		if rule.odd {
			find = t.entry
		}
		var ids [3]int32
		for k, part := range parts {
			// Nearly always a merge makes the token after the one before it made,
			// and a look there is cheaper than one into the table.
			if k == 2 && !rule.odd && int(next) < len(t.texts) && t.texts[next] == part {
				ids[k] = next
				break
			}
			id, ok := find(part)
			if !ok {
				return noToken(i, parts, k, rule.odd)
			}
			ids[k] = id
		}
		t.merges.put(ids[0], ids[1], merge{int32(i) + 1, ids[2]})
		next = ids[2] + 1
	}
	return nil
}

// noToken is the error for a merge of which one part is in no vocabulary.
func noToken(i int, parts [3]string, none int, odd bool) error {
	if !odd {
		for k := range parts {
			parts[k] = spelling(parts[k])
		}
	}
	return fmt.Errorf("merge %d makes %q of %q and %q, and %q is not in vocab", i, parts[2], parts[0], parts[1], parts[none])
}

// addOdd puts in the entries that spell no bytes, which the vocabulary leaves out.
func (t *Tokenizer) addOdd() error {
	for s, id := range t.spelling {
		if other := t.texts[id]; other != "" {
			return fmt.Errorf("%q and %q both have id %d", other, s, id)
		}
		t.texts[id] = s
	}
	return nil
}

// show makes what people see of each token.
func (t *Tokenizer) show() {
	t.shown = make([]string, len(t.texts), cap(t.texts))
	for id, s := range t.texts {
		t.shown[id] = lossy(s)
		if s != "" {
			t.size++
		}
	}
}

// alphabet finds the tokens of single bytes, and is a byte of some text that has
// none, or -1.
func (t *Tokenizer) alphabet() int {
	none := -1
	for b := range t.byteID {
		id, ok := t.id(string([]byte{byte(b)}))
		if !ok {
			id = -1
			if b != 0xc0 && b != 0xc1 && b < 0xf5 { // which are nowhere in UTF-8
				none = b
			}
		}
		t.byteID[b], t.byteIDs[b] = id, []int32{id}
	}
	return none
}
