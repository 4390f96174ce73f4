// Package commands are the session commands: what a person asks of the session
// rather than of Go. A cell that begins with % is a command, and ?name or name? asks
// what a name is. No Go statement begins with % or ?, nor ends with ?, so no cell of
// Go is ever taken for a command; and the spelling is IPython's.
//
// New puts them before any session, in the process of the kernel's worker or of the
// terminal, so both have the same ones. They see the session as its front ends do:
// what they want to know of Go they learn by running Go.
//
// It imports interp and interp/notebook.
package commands
