// Compare holds runtime/tokenizer against what reference.py and moonshot.py wrote:
// ids, offsets, decoding and chat templates of real tokenizers. Then it times
// both sides.
//
//	go run ./tests/tokenizer/compare OUT PYTHON
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"github.com/gonterp/gonterp/runtime/tokenizer"
)

type expected struct {
	IDs            [][]int    `json:"ids"`
	Offsets        [][][2]int `json:"offsets"`
	Decoded        []string   `json:"decoded"`
	Skipped        []string   `json:"skipped"`
	SpecialIDs     [][]int    `json:"special_ids"`
	SpecialOffsets [][][2]int `json:"special_offsets"`
	Loose          [][]int    `json:"loose"`
	LooseDecoded   []string   `json:"loose_decoded"`
	Long           []struct { // texts beside the corpus
		Text string
		IDs  []int
	}
	Size  int `json:"size"`
	Chats []struct {
		Messages [][2]string
		Prompt   bool
		Text     *string
	}
}

func main() {
	if len(os.Args) == 4 && os.Args[1] == "time" {
		timeOne(os.Args[2], os.Args[3])
		return
	}
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: compare OUT PYTHON, the folder that reference.py wrote and the Python that has the library")
		os.Exit(2)
	}
	out := os.Args[1]
	var corpus []string
	must(read(filepath.Join(out, "corpus.json"), &corpus))
	folders, err := filepath.Glob(filepath.Join(out, "*", "expected.json"))
	must(err)
	differences := 0
	for _, path := range folders {
		differences += compare(filepath.Dir(path), corpus)
	}
	if differences > 0 || len(folders) == 0 {
		fmt.Printf("%d differences in %d tokenizers\n", differences, len(folders))
		os.Exit(1)
	}
	fmt.Printf("no difference in %d tokenizers\n", len(folders))
	folders, err = filepath.Glob(filepath.Join(out, "*", "tokenizer.json"))
	must(err)
	if len(folders) > 0 {
		timing(out, os.Args[2], folders)
	}
}

func compare(dir string, corpus []string) int {
	var want expected
	must(read(filepath.Join(dir, "expected.json"), &want))
	t, err := withoutConfig(dir)
	if err != nil {
		fmt.Printf("%s: %v\n", filepath.Base(dir), err)
		return 1
	}
	counts := map[string]int{}
	differ := func(what string, i int, got, want any) {
		if counts[what]++; counts[what] <= 3 {
			fmt.Printf("%s %s %d: got %.300q, want %.300q\n", filepath.Base(dir), what, i, fmt.Sprint(got), fmt.Sprint(want))
		}
	}
	got := make([]tokenizer.Encoding, len(corpus))
	for i, s := range corpus {
		got[i] = t.Encode(s, false)
	}
	for i, s := range corpus {
		if !same(got[i].IDs, want.IDs[i]) {
			differ("ids", i, s, want.IDs[i])
		} else if !same(got[i].Offsets, want.Offsets[i]) {
			differ("offsets", i, got[i].Offsets, want.Offsets[i])
		}
		if i < len(want.SpecialIDs) {
			// The library puts BOS before a text that has it already; gonterp does not.
			e := t.Encode(s, true)
			ids, offsets := want.SpecialIDs[i], want.SpecialOffsets[i]
			if bos, ok := t.BOS(); ok && len(ids) > 1 && ids[0] == bos && ids[1] == bos && len(e.IDs) == len(ids)-1 {
				ids, offsets = ids[1:], offsets[1:]
			}
			if !same(e.IDs, ids) || !same(e.Offsets, offsets) {
				differ("special", i, e.IDs, ids)
			}
		}
	}
	for i := range corpus {
		if s := t.Decode(want.IDs[i], false); s != want.Decoded[i] {
			differ("decoded", i, s, want.Decoded[i])
		}
	}
	for i := range corpus {
		if s := t.Decode(want.IDs[i], true); s != want.Skipped[i] {
			differ("skipped", i, s, want.Skipped[i])
		}
	}
	for i, ids := range want.Loose {
		if s := t.Decode(ids, false); s != want.LooseDecoded[i] {
			differ("loose", i, s, want.LooseDecoded[i])
		}
	}
	for i, l := range want.Long {
		if got := t.Encode(l.Text, false).IDs; !same(got, l.IDs) {
			differ("long", i, len(got), len(l.IDs))
		}
	}
	if t.VocabSize() != want.Size {
		differ("size", 0, t.VocabSize(), want.Size)
	}
	chats := compareChats(dir, want, differ)
	all := 0
	for _, n := range counts {
		all += n
	}
	fmt.Printf("%-30s %d strings, %d chats, %d differences\n", filepath.Base(dir), len(corpus), chats, all)
	return all
}

// withoutConfig leaves tokenizer_config.json out where the library that wrote the
// expectations knows nothing of it.
func withoutConfig(dir string) (*tokenizer.Tokenizer, error) {
	data, err := os.ReadFile(filepath.Join(dir, "tokenizer.json"))
	if os.IsNotExist(err) {
		return tokenizer.Load(dir)
	}
	must(err)
	return tokenizer.LoadBytes(data, nil)
}

func compareChats(dir string, want expected, differ func(string, int, any, any)) int {
	t, err := tokenizer.Load(dir)
	if err != nil {
		differ("load", 0, err, "no error")
		return 0
	}
	for i, c := range want.Chats {
		var messages []tokenizer.Message
		for _, m := range c.Messages {
			messages = append(messages, tokenizer.Message{Role: m[0], Content: m[1]})
		}
		got, err := t.ApplyChat(messages, c.Prompt)
		switch {
		case c.Text == nil:
			if err == nil {
				differ("chat", i, got, "an error")
			}
		case err != nil:
			differ("chat", i, err, *c.Text)
		case got != *c.Text:
			differ("chat", i, got, *c.Text)
		}
	}
	return len(want.Chats)
}

// same takes an empty list for none.
func same[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || reflect.DeepEqual(a, b))
}

func read(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
