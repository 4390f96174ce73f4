// Package tables exports the mock packages to cells.
package tables

import (
	"slices"

	"github.com/gonterp/gonterp/interp/exports"
)

//go:generate go run ../../../../interp/symbols/generate -package tables -as github.com/gonterp/gonterp/tests/cells=lab github.com/gonterp/gonterp/tests/cells/host/hostlib github.com/gonterp/gonterp/tests/cells/host/trace

var packages []exports.Package

// generics is what package hostlib declares and reflection does not see.
const generics = `package hostlib

func Map[T, U any](xs []T, f func(T) U) []U {
	var r []U
	for _, x := range xs {
		r = append(r, f(x))
	}
	return r
}

type Pair[A, B any] struct {
	First  A
	Second B
}

func (p Pair[A, B]) Swap() Pair[B, A] { return Pair[B, A]{p.Second, p.First} }
`

// Packages returns them, importable as lab/host/hostlib and lab/host/trace.
func Packages() []exports.Package {
	out := slices.Clone(packages)
	for i := range out {
		if out[i].Path == "lab/host/hostlib" {
			out[i].Source = generics
		}
	}
	return out
}
