package commands

import (
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/gonterp/gonterp/interp"
)

// Complete returns what may stand at the cursor: names of commands, files, Go.
func (s *Session) Complete(code string, cursor int) interp.Completion {
	runes := []rune(code)
	cursor = min(max(cursor, 0), len(runes))
	l, ok := parse(string(runes[:cursor]))
	if !ok {
		return s.Sessions.Complete(code, cursor)
	}
	head := string(runes[:cursor])
	if l.name != "" && l.args == "" && strings.HasSuffix(head, l.name) {
		return complete(cursor, l.name, names(l.name))
	}
	if c, err := find(l.name); err == nil && c.files {
		word := l.args[strings.LastIndexAny(l.args, " \t")+1:]
		return complete(cursor, word, files(word))
	}
	if !l.asks && strings.TrimSpace(head) == "%" {
		return complete(cursor, "", names(""))
	}
	if l.name != "" && l.name != "time" {
		return interp.Completion{Start: cursor, End: cursor}
	}
	skipped := utf8.RuneCountInString(head[:l.at])
	found := s.Sessions.Complete(string(runes[skipped:]), cursor-skipped)
	found.Start += skipped
	found.End += skipped
	return found
}

func complete(cursor int, word string, items []interp.CompletionItem) interp.Completion {
	return interp.Completion{Start: cursor - utf8.RuneCountInString(word), End: cursor, Items: items}
}

func names(prefix string) []interp.CompletionItem {
	var items []interp.CompletionItem
	for _, c := range list() {
		if strings.HasPrefix(c.name, prefix) {
			items = append(items, interp.CompletionItem{Text: c.name, Kind: "keyword", Signature: c.usage(), Doc: c.doc})
		}
	}
	return items
}

// files are the folders and files of cells whose path begins as word.
func files(word string) []interp.CompletionItem {
	folder, prefix := filepath.Split(word)
	in, err := expand(folder)
	if err != nil {
		return nil
	}
	if in == "" {
		in = "."
	}
	found, err := os.ReadDir(in)
	if err != nil {
		return nil
	}
	var items []interp.CompletionItem
	for _, f := range found {
		name := f.Name()
		if !strings.HasPrefix(name, prefix) || prefix == "" && name[0] == '.' {
			continue
		}
		switch ext := filepath.Ext(name); {
		case f.IsDir():
			name += "/"
		case ext != ".go" && ext != ".ipynb":
			continue
		}
		items = append(items, interp.CompletionItem{Text: folder + name, Kind: "value"})
	}
	return items
}

// expand replaces a leading ~.
func expand(path string) (string, error) {
	if path != "~" && !strings.HasPrefix(path, "~/") {
		return path, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, strings.TrimPrefix(path, "~")), err
}
