// Package project holds the export tables of gonterp's own packages: what cells
// know as gonterp and plotting. It is apart from package symbols because it
// needs them all.
package project

import (
	_ "embed"

	"github.com/gonterp/gonterp/interp/exports"
	"github.com/gonterp/gonterp/interp/symbols"
)

//go:generate go run ../generate -package project -o . -docs docs.gz github.com/gonterp/gonterp github.com/gonterp/gonterp/plotting github.com/gonterp/gonterp/runtime/torch github.com/gonterp/gonterp/runtime/tokenizer

// packages is filled by the generated files.
var packages []exports.Package

//go:embed docs.gz
var docs []byte

func init() { symbols.AddDocs(docs) }

// Packages are the tables.
func Packages() []exports.Package { return packages }
