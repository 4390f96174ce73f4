// Package tables holds the export tables of package display, which cells know by
// that name. It is apart so that display itself can be compiled before them.
package tables

import (
	_ "embed"

	"github.com/gonterp/gonterp/interp/exports"
	"github.com/gonterp/gonterp/interp/symbols"
)

//go:generate go run ../../../interp/symbols/generate -package tables -o . -docs docs.gz -as github.com/gonterp/gonterp/kernel/display=display github.com/gonterp/gonterp/kernel/display

// packages is filled by the generated files.
var packages []exports.Package

//go:embed docs.gz
var docs []byte

func init() { symbols.AddDocs(docs) }

// Packages are the tables.
func Packages() []exports.Package { return packages }
