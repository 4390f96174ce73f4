// Package project holds the export tables of gonterp's own packages: what cells
// know as gonterp and plotting.
package project

//go:generate go run ../generate -package project -o . github.com/gonterp/gonterp github.com/gonterp/gonterp/plotting

import "github.com/gonterp/gonterp/interp/exports"

// packages is filled by the generated files.
var packages []exports.Package

// Packages are the tables.
func Packages() []exports.Package { return packages }
