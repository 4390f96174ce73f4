package tokenizer

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func moonshotFiles(t testing.TB) (ranks, config []byte) {
	t.Helper()
	ranks, err := os.ReadFile(filepath.Join("testdata", "moonshot", tiktokenName))
	if err == nil {
		config, err = os.ReadFile(filepath.Join("testdata", "moonshot", configName))
	}
	if err != nil {
		t.Fatal(err)
	}
	return ranks, config
}

func TestTiktokenFaults(t *testing.T) {
	ranks, config := moonshotFiles(t)
	line := func(n int, new string) []byte {
		lines := bytes.SplitAfter(ranks, []byte("\n"))
		lines[n-1] = []byte(new)
		return bytes.Join(lines, nil)
	}
	for _, c := range []struct {
		name  string
		ranks []byte
		want  string
	}{
		{"empty", nil, "the file is empty; download it again"},
		{"white space", []byte("\n \r\n"), "the file is empty"},
		{"a page", []byte("<html>\n"), `line 1: expected a token in base64, a space and a rank, found "<html>\n"; download the file again`},
		{"not base64", line(3, "=?= 2\n"), `line 3: expected a token in base64, found "=?="; download the file again`},
		{"no token", line(3, "2\n"), "line 3: expected a token in base64, a space"},
		{"padding alone", line(3, "= 2\n"), "line 3: expected a token in base64, found"},
		{"no rank", line(3, "Iw== x\n"), `line 3: expected a rank from 0 to`},
		{"negative", line(3, "Iw== -1\n"), `line 3: expected a rank from 0 to`},
		{"huge", line(3, "Iw== 99999999999\n"), `line 3: expected a rank from 0 to`},
		{"rank twice", line(3, "Iw== 0\n"), `line 3: rank 0 is that of an earlier line too`},
		{"token twice", line(3, "IQ== 2\n"), `line 3: "!" has rank 0 already`},
		{"rank past the end", line(3, "Iw== 2000\n"), "line 3: rank 2000, and there are 992 tokens"},
		{"gap", line(3, "\n"), "line 992: rank 991, and there are 991 tokens; download the file again"},
		{"short", []byte("IQ== 0\n"), "no token for byte 0x"},
	} {
		if _, err := loadTiktoken(c.ranks, config); err == nil || !strings.HasPrefix(err.Error(), "tiktoken.model: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
	for _, c := range []struct{ config, want string }{
		{"", "tiktoken.model: no tokenizer_config.json, which names the added tokens; copy it"},
		{"{", "tokenizer_config.json: unexpected end"},
		{`{"tokenizer_class":"GPT2"}`, `tokenizer_config.json: tokenizer_class "GPT2" is not known beside tiktoken.model; known is TikTokenTokenizer`},
		{strings.Replace(string(config), "[EOT]", "[BOS]", 1), `added_tokens_decoder: `},
		{`{"tokenizer_class":"TikTokenTokenizer","added_tokens_decoder":{"5":{"content":"x"}}}`, `expected ids from `},
		{`{"tokenizer_class":"TikTokenTokenizer","added_tokens_decoder":{"x":null}}`, `found "x"`},
		{`{"tokenizer_class":"TikTokenTokenizer","bos_token":"<none>"}`, `bos_token: "<none>" is not a token`},
	} {
		var data []byte
		if c.config != "" {
			data = []byte(c.config)
		}
		if _, err := loadTiktoken(ranks, data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60s: got %v, want %s", c.config, err, c.want)
		}
	}
}

func TestTiktoken(t *testing.T) {
	tok, err := Load("testdata/moonshot")
	if err != nil {
		t.Fatal(err)
	}
	bos, ok := tok.BOS()
	if name := tok.Token(bos); !ok || name != "[BOS]" {
		t.Errorf("BOS %d %q", bos, name)
	}
	if ids := tok.Encode("Hi", true).IDs; ids[0] == bos {
		t.Errorf("a text begins with BOS, which Moonshot's tokenizers leave out: %v", ids)
	}
	// An id that nothing names has a name all the same.
	text := "<|reserved_token_" + "1005|>"
	if id, ok := tok.ID(text); ok {
		if ids := tok.Encode(text, false).IDs; !slices.Equal(ids, []int{id}) || tok.Decode(ids, false) != text {
			t.Errorf("%s is %v, want %d", text, ids, id)
		}
	} else {
		t.Errorf("no %s among %d tokens", text, tok.VocabSize())
	}
	got, err := tok.ApplyChat([]Message{{"user", "1+1?"}}, true)
	want := "<|im_system|>system<|im_middle|>Be helpful.<|im_end|><|im_user|>user<|im_middle|>1+1?<|im_end|><|im_assistant|>assistant<|im_middle|>"
	if err != nil || got != want {
		t.Errorf("%q %v, want %q", got, err, want)
	}
}

// TestRuns holds where long texts are cut against a count by hand.
func TestRuns(t *testing.T) {
	words := strings.Repeat("word ", 80_000) // 400,000 characters
	for _, c := range []struct {
		text string
		want []int // lengths
	}{
		{strings.Repeat("a", 25_000), []int{25_000}},
		{strings.Repeat("a", 25_001), []int{25_000, 1}},
		{strings.Repeat("é", 25_001), []int{50_000, 2}},
		{"x" + strings.Repeat(" ", 50_001), []int{25_001, 25_000, 1}},
		{strings.Repeat("\x1c ", 12_501), []int{25_000, 2}},
		{words + words + "word", []int{400_000, 400_000, 4}},
	} {
		var got []int
		for _, p := range (runSplitter{}).split(c.text, span{0, len(c.text)}, nil) {
			got = append(got, p.to-p.from)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%.5q…: %v, want %v", c.text, got, c.want)
		}
	}
}

// FuzzTiktoken holds that any file is read or refused, and that what is read
// encodes and comes back.
func FuzzTiktoken(f *testing.F) {
	ranks, config := moonshotFiles(f)
	f.Add(ranks[:bytes.Index(ranks, []byte(" 300\n"))+5], config, "the cat [BOS] 中文")
	f.Add([]byte("IQ== 0\r\nIg== 1\n\n"), config, "")
	f.Fuzz(func(t *testing.T, ranks, config []byte, text string) {
		tok, err := loadTiktoken(ranks, config)
		if err != nil {
			return
		}
		if got, want := tok.Decode(tok.Encode(text, false).IDs, false), string([]rune(text)); got != want {
			t.Fatalf("%q comes back as %q", want, got)
		}
	})
}
