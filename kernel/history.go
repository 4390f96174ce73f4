package kernel

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/gonterp/gonterp/kernel/message"
	"github.com/gonterp/gonterp/runtime/folder"
)

// The history file is cut to its newer half when it grows beyond historyMost
// bytes. An entry's output is kept up to outputMost bytes.
const (
	historyMost = 16 << 20
	outputMost  = 4 << 10
)

// An entry is a cell that was run.
type entry struct {
	Session int    `json:"session"`
	Line    int    `json:"line"`
	Input   string `json:"input"`
	Output  string `json:"output,omitempty"`
	Time    string `json:"time"`
}

// History keeps cells in a file of one JSON object a line, shared by all kernels
// of a user. Kernels append whole lines under a lock and read the file at their
// start, so each sees its own cells and those of earlier sessions.
type history struct {
	path string

	loaded  chan struct{}
	mu      sync.Mutex
	file    *os.File // nil where nothing can be kept
	session int
	entries []entry
}

// historyPath is where the history is kept; "" where there is no place for it.
func historyPath() string {
	if data := folder.Data(); data != "" {
		return filepath.Join(data, "history.jsonl")
	}
	return ""
}

// openHistory reads the history beside the kernel's start. A file that cannot be
// used leaves a history of this session alone.
func openHistory(path string) *history {
	h := &history{path: path, session: 1, loaded: make(chan struct{})}
	go func() {
		defer close(h.loaded)
		if path != "" {
			h.load()
		}
	}()
	return h
}

func (h *history) load() {
	if os.MkdirAll(filepath.Dir(h.path), 0o700) != nil {
		return
	}
	f, err := os.OpenFile(h.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX) != nil {
		f.Close()
		return
	}
	defer syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	h.file = f
	b, _ := os.ReadFile(h.path)
	if len(b) > historyMost {
		b = b[len(b)/2:]
		b = b[bytes.IndexByte(b, '\n')+1:]
		if f.Truncate(0) == nil {
			f.Write(b)
		}
	}
	h.entries = parseHistory(b)
	for _, e := range h.entries {
		h.session = max(h.session, e.Session+1)
	}
	// An empty entry takes the session's number, so that no other kernel does.
	h.append(entry{Session: h.session, Time: now()})
}

// parseHistory reads what can be read; a line that was cut short by a crash is
// skipped.
func parseHistory(b []byte) []entry {
	var entries []entry
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(make([]byte, 64<<10), historyMost)
	for lines.Scan() {
		var e entry
		if json.Unmarshal(lines.Bytes(), &e) == nil && e.Session > 0 {
			entries = append(entries, e)
		}
	}
	return entries
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }

func (h *history) append(e entry) {
	if h.file == nil {
		return
	}
	if b, err := json.Marshal(e); err == nil {
		h.file.Write(append(b, '\n'))
	}
}

// add keeps a cell.
func (h *history) add(line int, input, output string) {
	<-h.loaded
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(output) > outputMost {
		output = output[:outputMost]
	}
	e := entry{Session: h.session, Line: line, Input: input, Output: output, Time: now()}
	h.entries = append(h.entries, e)
	h.append(e)
}

func (h *history) close() {
	<-h.loaded
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file != nil {
		h.file.Close()
		h.file = nil
	}
}

// find answers a request for earlier cells, oldest first.
func (h *history) find(q message.HistoryRequest) [][3]any {
	<-h.loaded
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []entry
	switch q.Access {
	case "range":
		found = h.within(q)
	case "search":
		found = h.matching(q)
	default:
		found = h.latest(q.N, func(entry) bool { return true })
	}
	rows := make([][3]any, 0, len(found))
	for _, e := range found {
		if !q.Output {
			rows = append(rows, [3]any{e.Session, e.Line, e.Input})
			continue
		}
		var output any
		if e.Output != "" {
			output = e.Output
		}
		rows = append(rows, [3]any{e.Session, e.Line, [2]any{e.Input, output}})
	}
	return rows
}

// latest gives the last n cells that are wanted, all where n is not positive.
func (h *history) latest(n int, wanted func(entry) bool) []entry {
	var found []entry
	for i := len(h.entries) - 1; i >= 0 && (n <= 0 || len(found) < n); i-- {
		if e := h.entries[i]; e.Line > 0 && wanted(e) {
			found = append(found, e)
		}
	}
	for i, j := 0, len(found)-1; i < j; i, j = i+1, j-1 {
		found[i], found[j] = found[j], found[i]
	}
	return found
}

// within gives lines start to stop (excluded) of a session: 0 is this one, and
// negative numbers count back from it.
func (h *history) within(q message.HistoryRequest) []entry {
	session := q.Session
	if session <= 0 {
		session += h.session
	}
	return h.latest(0, func(e entry) bool {
		return e.Session == session && e.Line >= q.Start && (q.Stop == nil || e.Line < *q.Stop)
	})
}

// matching gives the cells that fit a pattern of *, ? and [sets].
func (h *history) matching(q message.HistoryRequest) []entry {
	pattern := q.Pattern
	if pattern == "" {
		pattern = "*"
	}
	seen := map[string]bool{}
	return h.latest(q.N, func(e entry) bool {
		if !glob([]rune(pattern), []rune(e.Input)) || q.Unique && seen[e.Input] {
			return false
		}
		seen[e.Input] = true
		return true
	})
}

// glob matches the whole text. Unlike path.Match, * also matches slashes and
// line ends, and a pattern is never malformed.
func glob(pattern, text []rune) bool {
	star, mark := -1, 0
	p, t := 0, 0
	for t < len(text) {
		if p < len(pattern) && pattern[p] == '*' {
			star, mark = p, t
			p++
			continue
		}
		if n := one(pattern[p:], text[t]); n > 0 {
			p, t = p+n, t+1
			continue
		}
		if star < 0 {
			return false
		}
		mark++
		p, t = star+1, mark
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// one is how much of the pattern's start matches a character: 0 where it does
// not.
func one(pattern []rune, c rune) int {
	if len(pattern) == 0 {
		return 0
	}
	switch pattern[0] {
	case '?':
		return 1
	case '[':
		end := 1
		for end < len(pattern) && (pattern[end] != ']' || end == 1) {
			end++
		}
		if end == len(pattern) {
			break // no closing bracket: an ordinary character
		}
		set := pattern[1:end]
		not := len(set) > 1 && (set[0] == '!' || set[0] == '^')
		if not {
			set = set[1:]
		}
		in := false
		for i := 0; i < len(set); i++ {
			if i+2 < len(set) && set[i+1] == '-' {
				in = in || set[i] <= c && c <= set[i+2]
				i += 2
				continue
			}
			in = in || set[i] == c
		}
		if in != not {
			return end + 1
		}
		return 0
	}
	if pattern[0] == c {
		return 1
	}
	return 0
}
