// Package cell knows the text of a notebook cell: where its statements and
// declarations begin and end, whether it is complete, and the with block, which
// Go does not have. Imports only the standard library.
package cell
