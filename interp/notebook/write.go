package notebook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Write writes the code of cells as a .go file, with a line // %% before each cell,
// or as an .ipynb notebook for the gonterp kernel. Read reads both.
func Write(path string, cells []Cell) error {
	var data []byte
	var err error
	switch ext := filepath.Ext(path); ext {
	case ".go":
		data, err = toText(cells)
	case ".ipynb":
		data, err = toNotebook(cells)
	default:
		err = fmt.Errorf("cells are written to .go files or to .ipynb notebooks, not to %q", ext)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, data, 0o644)
}

func toText(cells []Cell) ([]byte, error) {
	var b bytes.Buffer
	for i, c := range cells {
		for line := range strings.Lines(c.Code) {
			if strings.HasPrefix(strings.TrimSpace(line), Separator) {
				return nil, fmt.Errorf("cell %d has a line that begins with %s, which separates cells in a .go file; an .ipynb notebook can hold it", i+1, Separator)
			}
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s\n%s\n", Separator, strings.Trim(c.Code, "\n"))
	}
	return b.Bytes(), nil
}

func toNotebook(cells []Cell) ([]byte, error) {
	type cell struct {
		ID       string         `json:"id"`
		Type     string         `json:"cell_type"`
		Metadata map[string]any `json:"metadata"`
		Count    *int           `json:"execution_count"`
		Outputs  []any          `json:"outputs"`
		Source   []string       `json:"source"`
	}
	nb := struct {
		Cells    []cell         `json:"cells"`
		Metadata map[string]any `json:"metadata"`
		Format   int            `json:"nbformat"`
		Minor    int            `json:"nbformat_minor"`
	}{
		Cells: []cell{},
		Metadata: map[string]any{
			"kernelspec":    map[string]string{"name": "gonterp", "display_name": "Go (gonterp)", "language": "go"},
			"language_info": map[string]string{"name": "go", "file_extension": ".go", "mimetype": "text/x-go"},
		},
		Format: 4,
		Minor:  5,
	}
	for i, c := range cells {
		lines := []string{}
		for line := range strings.Lines(c.Code) {
			lines = append(lines, line)
		}
		nb.Cells = append(nb.Cells, cell{ID: fmt.Sprintf("cell-%d", i+1), Type: "code", Metadata: map[string]any{}, Outputs: []any{}, Source: lines})
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(nb)
	return b.Bytes(), err
}
