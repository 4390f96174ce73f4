package tokenizer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

type golden struct {
	Size  int `json:"size"`
	Texts []struct {
		Text    string   `json:"text"`
		IDs     []int    `json:"ids"`
		Offsets [][2]int `json:"offsets"`
		Special []int    `json:"special"`
		Decoded string   `json:"decoded"`
		Skipped string   `json:"skipped"`
	} `json:"texts"`
	Loose [][2]json.RawMessage `json:"loose"`
}

// TestGolden holds ids, offsets and decoding against what the tokenizers library
// made of the same files (tests/tokenizer/golden.py).
func TestGolden(t *testing.T) {
	for _, kind := range []string{"v3", "llm", "template", "gpt2", "removed", "moonshot"} {
		t.Run(kind, func(t *testing.T) {
			dir := filepath.Join("testdata", kind)
			tok, err := Load(dir)
			if err != nil {
				t.Fatal(err)
			}
			var want golden
			data, err := os.ReadFile(filepath.Join(dir, "golden.json"))
			if err == nil {
				err = json.Unmarshal(data, &want)
			}
			if err != nil || len(want.Texts) < 100 {
				t.Fatalf("%d texts, %v", len(want.Texts), err)
			}
			if tok.VocabSize() != want.Size {
				t.Errorf("%d tokens, want %d", tok.VocabSize(), want.Size)
			}
			for _, w := range want.Texts {
				e := tok.Encode(w.Text, false)
				if !same(e.IDs, w.IDs) || !same(e.Offsets, w.Offsets) {
					t.Errorf("%q: ids %v offsets %v\nwant    %v         %v", w.Text, e.IDs, e.Offsets, w.IDs, w.Offsets)
				}
				if s := tok.Decode(w.IDs, false); s != w.Decoded {
					t.Errorf("%q decodes to %q, want %q", w.Text, s, w.Decoded)
				}
				if s := tok.Decode(w.Special, true); s != w.Skipped {
					t.Errorf("%q decodes to %q without special tokens, want %q", w.Text, s, w.Skipped)
				}
				special := w.Special
				if bos, ok := tok.BOS(); ok && len(special) > 1 && special[1] == bos {
					special = special[1:] // the library doubles BOS
				}
				if e := tok.Encode(w.Text, true); !same(e.IDs, special) {
					t.Errorf("%q with special tokens: %v, want %v", w.Text, e.IDs, special)
				}
			}
			for _, l := range want.Loose {
				var ids []int
				var s string
				json.Unmarshal(l[0], &ids)
				json.Unmarshal(l[1], &s)
				if got := tok.Decode(ids, false); got != s {
					t.Errorf("%v decodes to %q, want %q", ids, got, s)
				}
			}
		})
	}
}

// same takes an empty list for none.
func same[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || reflect.DeepEqual(a, b))
}
