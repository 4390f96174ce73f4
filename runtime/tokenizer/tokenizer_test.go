package tokenizer

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

func load(t testing.TB, kind, config string) *Tokenizer {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", kind, jsonName))
	if err != nil {
		t.Fatal(err)
	}
	tok, err := LoadBytes(data, []byte(config))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

const deepseek = `{"add_bos_token":true,"add_eos_token":false,"bos_token":{"__type":"AddedToken","content":"<｜begin▁of▁sentence｜>"},"eos_token":"<｜end▁of▁sentence｜>","unk_token":null`

func TestBOSOnce(t *testing.T) {
	for config, want := range map[string]bool{deepseek + "}": true, strings.Replace(deepseek, "true", "false", 1) + "}": false, "": false} {
		tok := load(t, "v3", config)
		bos, _ := tok.ID("<｜begin▁of▁sentence｜>")
		plain := tok.Encode("Hello", false).IDs
		with := plain
		if want {
			with = append([]int{bos}, plain...)
		}
		e := tok.Encode("Hello", true)
		if !slices.Equal(e.IDs, with) || len(e.Offsets) != len(e.IDs) || len(e.Tokens) != len(e.IDs) {
			t.Errorf("config %q: %v, want %v", config, e, with)
		}
		if e := tok.Encode("<｜begin▁of▁sentence｜>Hello", true); !slices.Equal(e.IDs, append([]int{bos}, plain...)) {
			t.Errorf("config %q, BOS in the text: %v", config, e.IDs)
		}
		if e := tok.Encode("", true); len(e.IDs) != len(with)-len(plain) {
			t.Errorf("config %q, no text: %v", config, e.IDs)
		}
		if got, ok := tok.BOS(); ok != (config != "") || ok && got != bos {
			t.Errorf("config %q: BOS %v %v", config, got, ok)
		}
	}
	// The template of tokenizer.json counts where the config says nothing.
	tok := load(t, "template", "")
	if ids := tok.Encode("a", true).IDs; len(ids) != 3 || ids[0] != 0 || ids[2] != 1 {
		t.Errorf("template: %v", ids)
	}
	tok = load(t, "template", strings.Replace(deepseek, "true", "false", 1)+"}")
	if ids := tok.Encode("a", true).IDs; len(ids) != 1 {
		t.Errorf("add_bos_token and add_eos_token false over the template: %v", ids)
	}
}

func TestTokens(t *testing.T) {
	tok := load(t, "v3", deepseek+"}")
	text := "the store 🦄<｜User｜>"
	e := tok.Encode(text, false)
	if got := strings.Join(e.Tokens, ""); strings.ReplaceAll(got, "\ufffd", "") != "the store <｜User｜>" {
		t.Errorf("tokens %q", e.Tokens)
	}
	for i, id := range e.IDs {
		if e.Tokens[i] != tok.Token(id) {
			t.Errorf("token %d: %q and %q", id, e.Tokens[i], tok.Token(id))
		}
		if back, ok := tok.ID(tok.Token(id)); utf8.ValidString(tok.Token(id)) && !strings.Contains(tok.Token(id), "\ufffd") && (!ok || back != id) {
			t.Errorf("%q is %d, want %d", tok.Token(id), back, id)
		}
	}
	spaced, ok := tok.ID(" s")
	if raw, ok2 := tok.ID("Ġs"); !ok || !ok2 || raw != spaced {
		t.Errorf("%q is %d %v, by its spelling %d %v", " s", spaced, ok, raw, ok2)
	}
	if _, ok := tok.ID("no such token"); ok {
		t.Error("a token that is none")
	}
	if s := tok.Token(-1) + tok.Token(1<<30) + tok.Decode([]int{-1, 1 << 30}, false); s != "" {
		t.Errorf("ids that are no tokens: %q", s)
	}
	if eos, ok := tok.EOS(); !ok || tok.Token(eos) != "<｜end▁of▁sentence｜>" {
		t.Errorf("EOS %d %v", eos, ok)
	}
}

func TestNotUTF8(t *testing.T) {
	tok := load(t, "v3", "")
	e := tok.Encode("a\xff\xffb", false)
	if s := tok.Decode(e.IDs, false); s != "a\ufffd\ufffdb" || e.Offsets[len(e.Offsets)-1] != [2]int{3, 4} {
		t.Errorf("%q %v", s, e.Offsets)
	}
}

func TestManyGoroutines(t *testing.T) {
	tok := load(t, "v3", deepseek+`,"chat_template":"{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}"}`)
	want := tok.Encode("When Mary and John went to the store, 12345", true)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 200 {
				e := tok.Encode("When Mary and John went to the store, 12345", true)
				if !slices.Equal(e.IDs, want.IDs) || tok.Decode(e.IDs, true) != "When Mary and John went to the store, 12345" {
					t.Errorf("%v, want %v", e.IDs, want.IDs)
					return
				}
				if s, err := tok.ApplyChat([]Message{{"user", "x"}}, true); err != nil || s != "<｜begin▁of▁sentence｜>x" {
					t.Errorf("%q %v", s, err)
					return
				}
			}
		})
	}
	wait.Wait()
}

func TestLongWords(t *testing.T) {
	tok := load(t, "v3", "")
	// The two ways of merging agree, whatever the length.
	for _, s := range []string{strings.Repeat("a", 500), strings.Repeat("the store ", 40), strings.Repeat("日本", 60), strings.Repeat("abab", 30)} {
		for n := 1; n <= len(s); n += 7 {
			short, long := make([]int32, n), make([]int32, n)
			for i := range n {
				short[i] = tok.byteID[s[i]]
				long[i] = short[i]
			}
			if n >= heapFrom {
				continue
			}
			if a, b := tok.mergeShort(short), tok.mergeLong(long); !slices.Equal(a, b) {
				t.Fatalf("%q: %v and %v", s[:n], a, b)
			}
		}
	}
	if s := strings.Repeat("=", 200_000); tok.Decode(tok.Encode(s, false).IDs, false) != s {
		t.Error("a long word comes back changed")
	}
}

func TestLoadFaults(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "v3", jsonName))
	if err != nil {
		t.Fatal(err)
	}
	type object = map[string]any
	change := func(path string, value any) []byte {
		var all map[string]any
		json.Unmarshal(data, &all)
		at := all
		keys := strings.Split(path, ".")
		for _, k := range keys[:len(keys)-1] {
			at = at[k].(map[string]any)
		}
		at[keys[len(keys)-1]] = value
		b, _ := json.Marshal(all)
		return b
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"not JSON", []byte("{"), "tokenizer.json: line 1: expected a string, and the file ends; download it again"},
		{"a page", []byte("<html>"), `line 1: expected {, found "<html>"`},
		{"cut short", data[:len(data)/2], "line 1: a string does not end; download the file again"},
		{"cut in a string", []byte("{\n\"model"), "line 2: a string does not end; download the file again"},
		{"cut between", data[:bytes.Index(data, []byte(`"vocab"`))+9], "line 1: { does not close; download the file again"},
		{"more behind", append(slices.Clone(data), "\n\n{}"...), "expected the end of the file, found"},
		{"not JSON within", bytes.Replace(data, []byte(`"normalizer":null`), []byte(`"normalizer":nul`), 1), "line 1: invalid character ' ' in literal null"},
		{"not JSON in the model", bytes.Replace(data, []byte(`"fuse_unk":false`), []byte(`"fuse_unk":fals`), 1), "in literal false"},
		{"no vocab", change("model", object{"type": "BPE"}), "model: vocab and merges must be there"},
		{"vocab of a list", change("model.vocab", []string{"a"}), `model: vocab: line 1: expected {, found "[`},
		{"one id twice", change("model.vocab", object{"a": 1, "b": 1}), `model: vocab: "a" and "b" both have id 1`},
		{"a taken id", change("added_tokens", []object{{"id": 5, "content": "<new>"}}), `added_tokens: token "<new>" has id 5, which is that of `},
		{"unigram", change("model.type", "Unigram"), `model: type "Unigram" is not known; known is BPE`},
		{"byte fallback", change("model.byte_fallback", true), "byte_fallback is not known"},
		{"merge out of vocab", change("model.merges", []string{"a zzz"}), `merge 0 makes "azzz" of "a" and "zzz", and "zzz" is not in vocab`},
		{"merge of one", change("model.merges", []string{"abc"}), "expected two tokens with a space between"},
		{"merge of three", change("model.merges", [][]string{{"a", "b", "c"}}), "expected two tokens"},
		{"negative id", change("model.vocab", object{"a": -1}), `model: vocab: token "a": line 1: expected a whole number from 0 to 2097152, found "-1`},
		{"huge id", change("model.vocab", object{"a": 1 << 30}), `token "a": line 1: expected a whole number from 0 to 2097152, found "1073`},
		{"null token", change("added_tokens", []any{nil}), "added_tokens: entry 0 is null"},
		{"normalizer", change("normalizer", object{"type": "Lowercase"}), `normalizer: type "Lowercase" is not known; known are NFC and Sequence`},
		{"pre-tokenizer", change("pre_tokenizer", object{"type": "Metaspace"}), `pre_tokenizer: type "Metaspace" is not known`},
		{"not byte level", change("pre_tokenizer", object{"type": "Digits"}), "expected ByteLevel last"},
		{"no pre-tokenizer", change("pre_tokenizer", nil), "expected ByteLevel last"},
		{"pattern", change("pre_tokenizer", object{"type": "Split", "behavior": "Isolated", "pattern": object{"Regex": "(?<x>a)"}}), "this kind of group is not known"},
		{"behavior", change("pre_tokenizer", object{"type": "Split", "behavior": "MergedWithNext", "pattern": object{"Regex": "a"}}), "behavior MergedWithNext is not known"},
		{"post-processor", change("post_processor", object{"type": "BertProcessing"}), `post_processor: type "BertProcessing" is not known`},
		{"template", change("post_processor", object{"type": "TemplateProcessing", "single": []any{object{"SpecialToken": object{"id": "x"}}}}), `"x" is not in special_tokens`},
		{"decoder", change("decoder", object{"type": "WordPiece"}), `decoder: type "WordPiece" is not known; known is ByteLevel`},
	} {
		if _, err := LoadBytes(c.data, nil); err == nil || !strings.HasPrefix(err.Error(), "tokenizer.json: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
	for config, want := range map[string]string{
		`{"bos_token":"<nothing>"}`: `bos_token: "<nothing>" is not a token`,
		`{"bos_token":5}`:           "expected a token's text",
		`{"chat_template":5}`:       "chat_template: expected a text or a list",
		`[]`:                        "cannot unmarshal",
	} {
		if _, err := LoadBytes(data, []byte(config)); err == nil || !strings.HasPrefix(err.Error(), "tokenizer_config.json: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", config, err, want)
		}
	}
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "tokenizer.model"), nil, 0o644)
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "tokenizer.model is not read; save the tokenizer from transformers") {
		t.Error(err)
	}
	if _, err := Load("testdata"); err == nil || !strings.Contains(err.Error(), "testdata: no tokenizer.json") {
		t.Error(err)
	}
}

// FuzzRoundTrip holds that a text comes back from its tokens, and that offsets
// lie in it in order.
func FuzzRoundTrip(f *testing.F) {
	for _, s := range []string{"", "Hello 世界 123", "  \n\t", "<｜User｜>é<think>", "a\u0301\u0327", "\x00\x85\u2028", strings.Repeat("ab", 100)} {
		f.Add(s)
	}
	var toks []*Tokenizer
	for _, kind := range []string{"v3", "llm", "template"} {
		toks = append(toks, load(f, kind, ""))
	}
	f.Fuzz(func(t *testing.T, s string) {
		for i, tok := range toks {
			e := tok.Encode(s, false)
			clean := string([]rune(s))
			// NFC changes texts, and an added é decodes as the byte it spells.
			if got := tok.Decode(e.IDs, false); i < 2 && !strings.ContainsAny(s, "éö") && got != clean {
				t.Fatalf("%q comes back as %q", clean, got)
			}
			n, last := utf8.RuneCountInString(clean), 0
			for _, o := range e.Offsets {
				if o[0] > o[1] || o[1] > n || o[0] < last {
					t.Fatalf("%q has offsets %v of %d code points", clean, e.Offsets, n)
				}
				last = o[0]
			}
		}
	})
}

// FuzzLoad holds that any file is read or refused, and that what is read
// encodes.
func FuzzLoad(f *testing.F) {
	for _, kind := range []string{"v3", "template"} {
		data, err := os.ReadFile(filepath.Join("testdata", kind, jsonName))
		if err != nil {
			f.Fatal(err)
		}
		var all map[string]any
		json.Unmarshal(data, &all)
		all["model"] = map[string]any{"type": "BPE", "vocab": map[string]int{"a": 0, "b": 1, "ab": 2, "Ġ": 3}, "merges": []any{"a b", []string{"a", "b"}}}
		small, _ := json.Marshal(all)
		f.Add(small, []byte(deepseek+`,"chat_template":"{{ messages }}"}`))
	}
	f.Fuzz(func(t *testing.T, data, config []byte) {
		tok, err := LoadBytes(data, config)
		if err != nil {
			return
		}
		tok.Decode(tok.Encode("ab a\n12 é", true).IDs, true)
	})
}

// FuzzTemplate holds that a template is rewritten or refused.
func FuzzTemplate(f *testing.F) {
	for _, s := range []string{"a {% if x -%} b {{ y }}\n{%+ endif %}", "{% raw %}{{{% endraw %}", "{# c", "{{ '}}' }}\r\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out, err := literal(s)
		if err == nil && !strings.Contains(s, "{") && strings.Contains(s, "a") && !strings.Contains(out, "a") {
			t.Fatalf("%q became %q", s, out)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	tok := load(b, "v3", "")
	text := strings.Repeat("When Mary and John went to the store, John gave a drink to 世界 123.\n", 100)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		tok.Encode(text, false)
	}
}
