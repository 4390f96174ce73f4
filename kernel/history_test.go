package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gonterp/gonterp/kernel/message"
)

// inputs gives what a request finds, as session:line:input.
func inputs(h *history, q message.HistoryRequest) string {
	var rows []string
	for _, r := range h.find(q) {
		rows = append(rows, fmt.Sprintf("%v:%v:%v", r[0], r[1], r[2]))
	}
	return strings.Join(rows, " ")
}

func TestHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "history.jsonl")
	h := openHistory(path)
	h.add(1, "6*7", "42")
	h.add(2, "60+7", "67")
	h.close()
	h = openHistory(path)
	defer h.close()
	h.add(1, "6*7", "42")
	h.add(2, "a/b\nc", "")
	stop := 2
	for name, f := range map[string]struct {
		q    message.HistoryRequest
		want string
	}{
		"tail":            {message.HistoryRequest{Access: "tail", N: 3}, "1:2:60+7 2:1:6*7 2:2:a/b\nc"},
		"range":           {message.HistoryRequest{Access: "range", Start: 1, Stop: &stop}, "2:1:6*7"},
		"open range":      {message.HistoryRequest{Access: "range", Session: 1, Start: 2}, "1:2:60+7"},
		"session before":  {message.HistoryRequest{Access: "range", Session: -1, Stop: &stop}, "1:1:6*7"},
		"search":          {message.HistoryRequest{Access: "search", Pattern: "6*"}, "1:1:6*7 1:2:60+7 2:1:6*7"},
		"the newest":      {message.HistoryRequest{Access: "search", Pattern: "6*", N: 1}, "2:1:6*7"},
		"unique":          {message.HistoryRequest{Access: "search", Pattern: "6?7", Unique: true}, "2:1:6*7"},
		"over line ends":  {message.HistoryRequest{Access: "search", Pattern: "a*c"}, "2:2:a/b\nc"},
		"no such":         {message.HistoryRequest{Access: "search", Pattern: "7"}, ""},
		"with the output": {message.HistoryRequest{Access: "tail", N: 2, Output: true}, "2:1:[6*7 42] 2:2:[a/b\nc <nil>]"},
	} {
		if got := inputs(h, f.q); got != f.want {
			t.Errorf("%s: got %q, want %q", name, got, f.want)
		}
	}
}

func TestHistoryFileIsSharedAndMended(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	var all sync.WaitGroup
	sessions := make([]*history, 8)
	for i := range sessions {
		all.Go(func() {
			sessions[i] = openHistory(path)
			for n := range 50 {
				sessions[i].add(n+1, "x", "")
			}
			sessions[i].close()
		})
	}
	all.Wait()
	numbers := map[int]bool{}
	for _, h := range sessions {
		numbers[h.session] = true
	}
	if len(numbers) != len(sessions) {
		t.Errorf("%d sessions share numbers: %v", len(sessions), numbers)
	}
	// A crash may leave half a line, and another program anything.
	f, _ := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	f.WriteString("null\n[1]\n{\"session\": 3, \"li\n")
	f.Close()
	h := openHistory(path)
	defer h.close()
	if got := len(h.find(message.HistoryRequest{})); got != 8*50 {
		t.Errorf("%d cells are left of %d", got, 8*50)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	line := `{"session":1,"line":1,"input":"` + strings.Repeat("x", 1000) + "\"}\n"
	os.WriteFile(path, []byte(strings.Repeat(line, historyMost/len(line)+2)), 0o600)
	h := openHistory(path)
	h.add(1, "the newest", "")
	h.close()
	if info, _ := os.Stat(path); info.Size() > historyMost*3/4 {
		t.Errorf("the file has %d bytes", info.Size())
	}
	if got := inputs(openHistory(path), message.HistoryRequest{N: 1}); got != "2:1:the newest" {
		t.Errorf("got %q", got)
	}
}

func TestHistoryWithoutAPlace(t *testing.T) {
	for _, path := range []string{"", filepath.Join(os.DevNull, "x", "history.jsonl")} {
		h := openHistory(path)
		h.add(1, "here", "")
		if got := inputs(h, message.HistoryRequest{N: 1}); got != "1:1:here" {
			t.Errorf("%q: got %q", path, got)
		}
		h.close()
	}
}

func TestGlob(t *testing.T) {
	for _, f := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true}, {"*", "", true}, {"*", "a\nb", true}, {"a*b*c", "aXbYc", true}, {"a*b*c", "aXbY", false},
		{"?", "é", true}, {"[a-c]x", "bx", true}, {"[!a-c]x", "bx", false}, {"[]]", "]", true}, {"[x", "[x", true}, {"a", "ab", false},
	} {
		if got := glob([]rune(f.pattern), []rune(f.text)); got != f.want {
			t.Errorf("glob(%q, %q) = %v", f.pattern, f.text, got)
		}
	}
}

func FuzzGlob(f *testing.F) {
	f.Add("a*[b-", "axb")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 30 || len(text) > 200 {
			return
		}
		glob([]rune(pattern), []rune(text))
		if !glob([]rune("*"+strings.Map(plainRune, text)+"*"), []rune(strings.Map(plainRune, text))) {
			t.Errorf("%q does not contain itself", text)
		}
	})
}

func plainRune(r rune) rune {
	if strings.ContainsRune("*?[", r) {
		return '.'
	}
	return r
}
