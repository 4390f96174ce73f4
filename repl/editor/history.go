package editor

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// remembered is how many cells a history has; its file is cut when it holds twice
// as many.
const remembered = 10000

// A History has the cells that were typed, the newest last. A cell of several lines
// is one entry. Its file has one JSON string a line, so that two terminals can add
// to it at the same time.
type History struct {
	path    string
	entries []string
}

// OpenHistory reads the history at path, "" for one that is not kept.
func OpenHistory(path string) (*History, error) {
	h := &History{path: path}
	if path == "" {
		return h, nil
	}
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return h, nil
	}
	if err != nil {
		return h, fmt.Errorf("the history of cells: %w", err)
	}
	defer f.Close()
	r := bufio.NewReader(f)
	for {
		line, err := r.ReadString('\n')
		var cell string
		if json.Unmarshal([]byte(line), &cell) == nil {
			h.entries = append(h.entries, cell)
		}
		if err != nil {
			break
		}
	}
	if n := len(h.entries); n > remembered {
		h.entries = h.entries[n-remembered:]
		if n > 2*remembered {
			return h, h.rewrite()
		}
	}
	return h, nil
}

func (h *History) rewrite() error {
	var b strings.Builder
	for _, e := range h.entries {
		b.Write(encode(e))
	}
	next := h.path + ".new"
	if err := os.WriteFile(next, []byte(b.String()), 0o600); err != nil {
		return fmt.Errorf("the history of cells: %w", err)
	}
	return os.Rename(next, h.path)
}

func encode(cell string) []byte {
	b, _ := json.Marshal(cell) // a string always encodes
	return append(b, '\n')
}

// Add remembers a cell, unless it is the one before again.
func (h *History) Add(cell string) error {
	if n := len(h.entries); n > 0 && h.entries[n-1] == cell || strings.TrimSpace(cell) == "" {
		return nil
	}
	h.entries = append(h.entries, cell)
	if h.path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(h.path), 0o755); err != nil {
		return fmt.Errorf("the history of cells: %w", err)
	}
	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("the history of cells: %w", err)
	}
	defer f.Close()
	if _, err := f.Write(encode(cell)); err != nil {
		return fmt.Errorf("the history of cells: %w", err)
	}
	return nil
}

// before finds the newest entry older than i that is wanted, -1 if there is none.
func (h *History) before(i int, wanted func(string) bool) int {
	for i--; i >= 0; i-- {
		if wanted(h.entries[i]) {
			return i
		}
	}
	return -1
}

// after finds the oldest entry newer than i that is wanted; len(entries) if there is none.
func (h *History) after(i int, wanted func(string) bool) int {
	for i++; i < len(h.entries); i++ {
		if wanted(h.entries[i]) {
			return i
		}
	}
	return len(h.entries)
}
