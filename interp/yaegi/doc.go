// Package yaegi runs cells on github.com/traefik/yaegi.
//
// yaegi alone is not right in many places, silently. So the checked syntax of a
// cell is lowered first to the small part of Go that yaegi runs correctly: no
// methods, no interfaces of cells, no generics, no shadowing, no range over int
// or func, no defer of the interpreter's own. Package rt is the half of that
// lowering that works while a cell runs. What cannot be lowered is refused, with
// a position.
//
// What the lowering cannot mend: an interrupt may also stop goroutines of
// earlier cells; a stack overflow and concurrent map writes end the process;
// compiled code that asks reflection for the names or methods of a cell's types
// sees the box that carries them. Package machine has none of these limits and
// is the default; this engine is what it is compared with.
//
// Imports interp/check, interp/engine, interp/exports and interp/overlay.
package yaegi
