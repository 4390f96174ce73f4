// Package machine runs checked cells.
//
// # From a cell to closures
//
// A cell arrives as syntax with types (check.Cell). Each of its units becomes a
// package of its own in one golang.org/x/tools/go/ssa program; a unit of
// statements becomes a function whose top-level variables are globals and whose
// last expression is its result (cell.go, statements.go). So the meaning of Go, from the order of
// evaluation to range over func and generics, is what go/ssa has made of it.
// When a function is first called, each of its instructions is made a closure,
// and each basic block a list of closures and one that says which block is next
// (code.go). What cannot run is refused while this happens, before the cell runs.
//
// # Frames are Go values
//
// The registers of a call are a struct with a field for each kind of value:
// pointers, plain words, strings, slices, interfaces, and others by their own
// type (frame.go). An instruction is a closure over offsets into that struct:
// adding two ints is
//
//	func(f *frame) { *at[int](f, d) = *at[int](f, a) + *at[int](f, b) }
//
// with no boxing, no reflection and no case distinction when it runs, and the
// collector sees exactly what a compiled frame would show it. Constants are
// registers too, that the frame's template has filled in, so an operand is an
// offset and nothing else. A cell's own thread keeps frames for the next call.
//
// # Values are the runtime's own
//
// There is no other representation of a value than the compiler's. Maps, channels
// and slices are made and used by the runtime's functions that reflect uses
// (link.go). A func value of a cell is callable by compiled code, and a type that
// a cell declares has a descriptor with its name, fields, tags and methods, forged
// for it (forge.go, methodtable.go, entry.go). That is why a cell's type can be printed, encoded,
// sorted, compared, asserted, used as a map key or handed to any interface of
// compiled code without that code or this package knowing of each other, and why
// the words of most run-time errors are Go's: it is Go that panics.
// Compiled functions are called directly where their parameters come down to
// machine words that this package knows to pass (hostcall.go, native.go).
//
// The price is that the package knows how the runtime of this version of Go lays
// out types, interfaces and func values; tests read what the compiler made to
// see that it still does, and amd64 and arm64 are what it runs on.
//
// # Leaving a cell
//
// Panics are Go's panics; a function that defers runs under a recover of its own
// and follows Go's rules for what its deferred calls may recover (panics.go). What
// was running is read off the frames, so a fault has the cell's own lines.
// Loops, calls and whatever blocks look at the run that they belong to (thread.go,
// channels.go, host.go): an interrupt ends the running cell and its goroutines,
// whose deferred calls get 100 ms more, and leaves those of earlier cells, and other
// cells at work, alone. A cell that comes to its end gives its goroutines a moment
// to do the same (run.go).
//
// # Cells over time
//
// A function declared again takes the place of the old one for callers, closures
// and method tables alike, if it has the old one's signature (callee.now). A
// variable declared again with its type keeps its storage. A type that gets a
// method in a later cell gets a new descriptor (renew.go), and all code is made again.
// What a cell leaves is what can still be reached (module.go).
//
// Imports interp/check, interp/engine and interp/exports.
package machine
