// Package tables exports the mock packages to cells.
package tables

import "github.com/gonterp/gonterp/interp/exports"

//go:generate go run ../../../../interp/symbols/generate -package tables -as github.com/gonterp/gonterp/tests/cells=lab github.com/gonterp/gonterp/tests/cells/host/hostlib github.com/gonterp/gonterp/tests/cells/host/trace

var packages []exports.Package

// Packages returns them, importable as lab/host/hostlib and lab/host/trace.
func Packages() []exports.Package { return packages }
