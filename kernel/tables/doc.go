// Package tables holds the export tables of packages display and comm, which cells
// know by these names. It is apart so that they can be compiled before them.
package tables

import (
	_ "embed"

	"github.com/gonterp/gonterp/interp/exports"
	"github.com/gonterp/gonterp/interp/symbols"
)

//go:generate go run ../../interp/symbols/generate -package tables -o . -docs docs.gz -as github.com/gonterp/gonterp/kernel/= github.com/gonterp/gonterp/kernel/display github.com/gonterp/gonterp/kernel/comm

// packages is filled by the generated files.
var packages []exports.Package

//go:embed docs.gz
var docs []byte

func init() { symbols.AddDocs(docs) }

// Packages are the tables.
func Packages() []exports.Package { return packages }
