// Package terminal is the terminal as the REPL needs it: keys, pastes and the
// terminal's answers as events, its size, and its mode put back at the end.
//
// In raw mode the terminal still turns line feeds into line ends, so that what C
// code and children write stays readable.
//
// It imports the standard library and golang.org/x/sys only.
package terminal
