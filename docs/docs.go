// Package docs carries the pages that `gonterp help` prints and that error texts
// name, so that an error can be looked up where it happened.
//
// It imports nothing of the project.
package docs

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:generate go run ./encyclopedia

//go:embed errors/*.md concepts.md coming-from.md encyclopedia.md notebooks.md
var pages embed.FS

// See is how an error text ends: the command that prints its page.
func See(page string) string { return " (gonterp help " + page + ")" }

// Page is the text of a page by its name.
func Page(name string) (string, error) {
	for _, file := range []string{"errors/" + name + ".md", name + ".md"} {
		if data, err := pages.ReadFile(file); err == nil {
			return string(data), nil
		}
	}
	return "", fmt.Errorf("there is no page %q; there are %s", name, strings.Join(append(Topics(), Names()...), ", "))
}

// Names lists the pages of errors.
func Names() []string { return matching("errors/*.md") }

// Topics lists the other pages.
func Topics() []string { return matching("*.md") }

func matching(pattern string) (names []string) {
	files, _ := fs.Glob(pages, pattern)
	for _, f := range files {
		names = append(names, strings.TrimSuffix(path.Base(f), ".md"))
	}
	return names
}
