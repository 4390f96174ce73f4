// Cells runs .cells files: notebook cells with what they must show, each case
// in a process of its own.
//
//	go run ./tests/cells FILE...
//
// It prints the failures and "N passed, N refused, N failed", and exits with
// status 1 on any failure. A case is a line "### name | category | note",
// cells between lines "%%", and after the lines of each cell what it must give:
//
//	//= v: TEXT     the value of its last expression, as %v prints it
//	//= out: TEXT   what it writes
//	//= err: TEXT   part of its error
//	//= noerr       no error
//
// Where v, out or noerr is given, an error is a failure. \n in TEXT is a line
// end. A cell that runs too long is interrupted; its error then says "context
// deadline exceeded". A case that the engine refuses with a reason counts as
// refused and is listed with the construct.
package main
