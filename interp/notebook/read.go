package notebook

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A Cell is a piece of code and where it stands in its file.
type Cell struct {
	Code string
	Line int // of its first line in a .go file, from 1; 0 in a notebook
}

// Read reads the code cells of a .go or .ipynb file.
func Read(path string) ([]Cell, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	switch ext := filepath.Ext(path); ext {
	case ".go":
		return FromText(string(data)), nil
	case ".ipynb":
		cells, err := fromNotebook(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return cells, nil
	default:
		return nil, fmt.Errorf("%s: cells are read from .go files, with a line // %%%% between cells, and from .ipynb notebooks, not from %q", path, ext)
	}
}

// Separator begins a line that ends one cell and begins the next. What follows it
// on the line is the cell's title.
const Separator = "// %%"

// FromText splits a text into cells. A cell of nothing but blank lines is left out.
func FromText(text string) []Cell {
	var cells []Cell
	var lines []string
	start := 1
	flush := func(next int) {
		if code := strings.Join(lines, "\n"); strings.TrimSpace(code) != "" {
			cells = append(cells, Cell{Code: code, Line: start})
		}
		lines, start = nil, next
	}
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), Separator) {
			flush(i + 2)
			continue
		}
		lines = append(lines, line)
	}
	flush(0)
	return cells
}

func fromNotebook(data []byte) ([]Cell, error) {
	var nb struct {
		Format int `json:"nbformat"`
		Cells  []struct {
			Type   string          `json:"cell_type"`
			Source json.RawMessage `json:"source"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(data, &nb); err != nil {
		return nil, fmt.Errorf("no notebook: %w", err)
	}
	if nb.Format != 4 {
		return nil, fmt.Errorf("a notebook of format %d; format 4 is read (jupyter nbconvert --to notebook converts)", nb.Format)
	}
	var cells []Cell
	for i, c := range nb.Cells {
		if c.Type != "code" {
			continue
		}
		code, err := source(c.Source)
		if err != nil {
			return nil, fmt.Errorf("cell %d: %w", i+1, err)
		}
		if strings.TrimSpace(code) != "" {
			cells = append(cells, Cell{Code: code})
		}
	}
	return cells, nil
}

// source is a cell's text, stored as one string or as a list of lines.
func source(raw json.RawMessage) (string, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var lines []string
	if err := json.Unmarshal(raw, &lines); err != nil {
		return "", fmt.Errorf("source is neither a string nor a list of strings")
	}
	return strings.Join(lines, ""), nil
}
