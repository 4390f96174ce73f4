// Package exports gives go/types a view of the packages that are compiled into
// the program, so that a cell can be checked before anything of it runs, with
// no Go toolchain and no source at run time.
//
// The packages come as yaegi's export tables: for "path/name" a map from each
// exported name to a reflect.Value (a nil pointer for a type, an addressable
// value for a variable). Imports only the standard library.
package exports
