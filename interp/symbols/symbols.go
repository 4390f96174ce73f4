package symbols

import "github.com/gonterp/gonterp/interp/exports"

// packages is filled by the generated files.
var packages []exports.Package

// Packages returns all built-in packages.
func Packages() []exports.Package { return packages }
