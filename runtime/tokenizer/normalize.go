package tokenizer

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalizer reads normalizer: whether text is brought into form NFC.
func normalizer(raw json.RawMessage) (nfc bool, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		return false, nil
	}
	var n struct {
		Type  string            `json:"type"`
		Inner []json.RawMessage `json:"normalizers"`
	}
	if err := json.Unmarshal(raw, &n); err != nil {
		return false, fmt.Errorf("normalizer: %w", err)
	}
	switch n.Type {
	case "NFC":
		return true, nil
	case "Sequence":
		for _, inner := range n.Inner {
			is, err := normalizer(inner)
			if err != nil {
				return false, err
			}
			nfc = nfc || is
		}
		return nfc, nil
	}
	return false, fmt.Errorf("normalizer: type %q is not known; known are NFC and Sequence", n.Type)
}

// normal is s in form NFC, and for each of its bytes the code points of s it
// comes from, counted from first. A composed character comes from the first of
// those that it replaces, as in the tokenizers library.
func normal(s string, first int) (string, []span) {
	if norm.NFC.IsNormalString(s) {
		return s, nil
	}
	var out []byte
	var from []span
	var it norm.Iter
	it.InitString(norm.NFC, s)
	at := first
	for !it.Done() {
		begin := it.Pos()
		piece := it.Next()
		sources := utf8.RuneCountInString(s[begin:it.Pos()])
		made := utf8.RuneCount(piece)
		for i := 0; len(piece) > 0; i++ {
			_, width := utf8.DecodeRune(piece)
			source := at
			if i > 0 {
				source = at + max(sources-made, 0) + i
			}
			source = min(source, at+sources-1)
			for range width {
				from = append(from, span{source, source + 1})
			}
			out = append(out, piece[:width]...)
			piece = piece[width:]
		}
		at += sources
	}
	return string(out), from
}
