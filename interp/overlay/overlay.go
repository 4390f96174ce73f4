package overlay

import (
	"embed"
	"io/fs"
	"path"
)

//go:embed source
var files embed.FS

// Source returns the Go source of a package: all of it (whole), or what is to
// be added to the compiled package of that path; "" if there is none.
func Source(importPath string) (src string, whole bool) {
	if b, err := files.ReadFile("source/" + importPath + "/whole.go.txt"); err == nil {
		return string(b), true
	}
	b, _ := files.ReadFile("source/" + importPath + "/part.go.txt")
	return string(b), false
}

// Whole returns the import paths of the packages that exist only here.
func Whole() []string {
	var out []string
	fs.WalkDir(files, "source", func(p string, d fs.DirEntry, err error) error {
		if path.Base(p) == "whole.go.txt" {
			out = append(out, path.Dir(p)[len("source/"):])
		}
		return err
	})
	return out
}
