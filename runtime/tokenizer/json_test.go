package tokenizer

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var oddJSON = []string{
	`{"a":0,"b":1,"ab":2,"\u0120":3,"\u0122\"\\\/":4,"<｜x｜>":5,"":6}`, `{"\ud800":0,"\udc00\ud800":1,"\ud83d\ude00":2}`, "{\"a\xff\":0,\"\xc1\xa1\":1}",
	`{ "a" : 0 , "a" : 1 }`, `{"a":01}`, `{"a":1.0}`, `{"a":1e0}`, `{"a":-0}`, `{"a":null}`, `{"a":0,}`, `{"a" 0}`, `{"a":0`, `{}`, `[]`, `{"a":99999999999999999999}`,
	"{\"a\n\":0}", `{"a\n":0}`, `{"a\x":0}`, `{"\u12":0}`, `{"a":0} `, `{a:0}`, `{"a":0 1}`, `{"a":"0"}`, `{"a":0]`, "{\"a\":0\x00}",
}

// FuzzVocab holds the reader against encoding/json: the same objects are read, and
// to the same entries.
func FuzzVocab(f *testing.F) {
	for _, s := range oddJSON {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var want map[string]*int32
		err := json.Unmarshal(data, &want)
		tok := newTokenizer()
		r := &reader{in: data}
		var got error
		if got = tok.readVocab(r); got == nil && (r.next() != 0 || r.at < len(data)) {
			got = r.expected("the end")
		}
		if got == nil {
			got = tok.addOdd()
		}
		if got != nil {
			if err == nil && fits(data, want) {
				t.Fatalf("%q: %v", data, got)
			}
			return
		}
		if err != nil {
			t.Fatalf("%q is read, and encoding/json says %v", data, err)
		}
		for s, id := range want {
			if s == "" && len(want) > 1 {
				continue // its id may be that of another, which nothing can ask for
			}
			if found, ok := tok.entry(s); !ok || found != *id {
				t.Fatalf("%q: %q is %d %v, want %d", data, s, found, ok, *id)
			}
		}
	})
}

// fits tells whether a vocabulary is one: whole ids in range, one for each token.
func fits(data []byte, vocab map[string]*int32) bool {
	seen := map[int32]bool{}
	for _, id := range vocab {
		if id == nil || *id < 0 || *id > maxID || seen[*id] {
			return false
		}
		seen[*id] = true
	}
	// A key that comes twice may have had another id, and a -0 is none.
	return vocab != nil && bytes.Count(data, []byte(":")) == len(vocab) && !bytes.Contains(data, []byte("-"))
}

// FuzzMerges does the same for the list of merges.
func FuzzMerges(f *testing.F) {
	for _, s := range []string{`["a b","ab c"]`, `[["a","b"],["ab","c"]]`, `["\u0061 b"]`, `["a  b"]`, `["ab"]`, `[["a"]]`, `[["a","b","c"]]`, `[["a",5]]`, `["a b",]`, `[ "a b" , ["a" , "b"] ]`,
		`["<｜ a"]`, `[["<｜","a"]]`, `["a\u0020b"]`, `[null]`, `[]`, `{}`, `["a b"`, "[\"a b\xff\"]", `[["\ud800","a"]]`, "[\"a\x00 b\"]"} {
		f.Add([]byte(s))
	}
	vocab := `{"a":0,"b":1,"c":2,"ab":3,"abc":4,"<｜":5,"<｜a":6,"Ġ":7,"Ġa":8,"bc":9,"é":10,"éa":11}`
	f.Fuzz(func(t *testing.T, data []byte) {
		tok := newTokenizer()
		if err := tok.readVocab(&reader{in: []byte(vocab)}); err != nil {
			t.Fatal(err)
		}
		r := &reader{in: data}
		got := tok.readMerges(r)
		if got == nil && (r.next() != 0 || r.at < len(data)) {
			got = r.expected("the end")
		}
		pairs, ok := mergesByJSON(data)
		for _, p := range pairs {
			for _, s := range []string{p[0], p[1], p[0] + p[1]} {
				_, in := tok.entry(s)
				ok = ok && in
			}
		}
		if ok != (got == nil) {
			t.Fatalf("%q: %v, and encoding/json says %v", data, got, ok)
		}
		if !ok {
			return
		}
		for i, p := range pairs {
			left, _ := tok.entry(p[0])
			right, _ := tok.entry(p[1])
			both, _ := tok.entry(p[0] + p[1])
			last := len(pairs) - 1 - slices.Index(reversed(pairs), p)
			if m, ok := tok.merges.find(left, right); !ok || m != (merge{int32(last) + 1, both}) {
				t.Fatalf("%q: merge %d is %v %v", data, i, m, ok)
			}
		}
	})
}

func reversed[T any](list []T) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

func mergesByJSON(data []byte) (pairs [][2]string, ok bool) {
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil || list == nil {
		return nil, false
	}
	for _, raw := range list {
		var two []*string
		var one *string
		switch {
		case json.Unmarshal(raw, &two) == nil && len(two) == 2 && two[0] != nil && two[1] != nil:
			pairs = append(pairs, [2]string{*two[0], *two[1]})
		case json.Unmarshal(raw, &one) == nil && one != nil:
			left, right, found := strings.Cut(*one, " ")
			if !found {
				return nil, false
			}
			pairs = append(pairs, [2]string{left, right})
		default:
			return nil, false
		}
	}
	return pairs, true
}

// FuzzLongText holds that pieces of every length and kind come back, with the two
// ways of merging in one run.
func FuzzLongText(f *testing.F) {
	for _, s := range []string{"a", "\u200d", "한", "e\u0301", "<think>", "<｜User｜>", "👩‍👩‍👧", "\xff", "\u0301\u0327", " ", "ab\u200b"} {
		f.Add(s, uint16(300), "")
		f.Add(s, uint16(47), "<｜User")
	}
	toks := []*Tokenizer{load(f, "v3", ""), load(f, "llm", "")}
	moon, err := Load("testdata/moonshot")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string, n uint16, end string) {
		if len(s)*int(n) > 1<<20 {
			return
		}
		text := strings.Repeat(s, int(n)) + end
		clean := string([]rune(text))
		for _, tok := range append(toks, moon) {
			e := tok.Encode(text, false)
			// An added é or ö decodes as the byte it spells.
			if got := tok.Decode(e.IDs, false); got != clean && (tok == moon || !strings.ContainsAny(clean, "éö")) {
				t.Fatalf("%q comes back as %q", clean, got)
			}
			if last := len(e.Offsets) - 1; last >= 0 && e.Offsets[last][1] != utf8.RuneCountInString(clean) {
				t.Fatalf("%q ends at %v", clean, e.Offsets[last])
			}
		}
	})
}
