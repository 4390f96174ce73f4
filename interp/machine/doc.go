// Package machine runs checked cells: go/ssa makes them instructions, and each
// instruction becomes a closure over a frame that has the layout of a Go value.
// Types, maps, channels, interfaces and func values are the Go runtime's own, so
// that cells and compiled code hand each other anything.
//
// Imports interp/check, interp/engine and interp/exports.
package machine
