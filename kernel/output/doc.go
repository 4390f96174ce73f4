// Package output makes one ordered stream of what a worker writes: by its
// session, by C code and by child processes, to standard output and standard
// error.
//
// A Stream joins small writes into few messages without being late; Descriptors
// are file descriptors 1 and 2 of the process, read into a Stream; a Journal is
// memory in which what a Stream holds outlives the process.
//
// The package imports the standard library and golang.org/x/sys only.
package output
