// Package symbols holds the export tables of the packages that cells can
// import, and their documentation. packages.txt lists them; the tables are
// generated for the Go version of go.mod. Imports interp/exports and what it exports.
package symbols

//go:generate go run ./generate -docs docs.gz @packages.txt
