// Package interp is a session: cells of Go that run one after the other on one
// locked OS thread, with what earlier cells declared, in the program's own
// process, so that they can call compiled packages. A session may have more than one
// such row of cells, called shells, which run at the same time (lane.go).
//
// A cell goes through interp/check (with blocks, type check, all errors before
// anything runs) and an interp/engine implementation; the session gives it a
// thread, catches its panics, keeps its output in order and shows its value.
// Nothing here knows of sockets or terminals.
//
// Imports interp/* and nothing else of the project.
package interp
