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

//go:embed errors/*.md
var pages embed.FS

// See is how an error text ends: the command that prints its page.
func See(page string) string { return " (gonterp help " + page + ")" }

// Page is the text of a page by its name.
func Page(name string) (string, error) {
	data, err := pages.ReadFile("errors/" + name + ".md")
	if err != nil {
		return "", fmt.Errorf("there is no page %q; there are %s", name, strings.Join(Names(), ", "))
	}
	return string(data), nil
}

// Names lists the pages.
func Names() (names []string) {
	files, _ := fs.Glob(pages, "errors/*.md")
	for _, f := range files {
		names = append(names, strings.TrimSuffix(path.Base(f), ".md"))
	}
	return names
}
