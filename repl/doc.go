// Package repl is the session in a terminal: cells of several lines are edited,
// run, and what they show is printed, figures as pictures where the terminal can
// show some and as coloured cells elsewhere.
//
// Run drives any interp.Sessions: one in this process, or a client of a running
// kernel. Where standard input is no terminal its text is run as cells and nothing
// but their output is written.
//
// It may import interp, and what stands above it.
package repl
