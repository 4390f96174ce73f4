// Package symbols holds the export tables of the packages that cells can
// import. Imports what it exports.
package symbols
