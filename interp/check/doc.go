// Package check turns the text of a cell into checked syntax: it rewrites with
// blocks, cuts the cell into runs of declarations and runs of statements, and
// type-checks them in order against what earlier cells declared, all before
// anything runs. Both engines work on its result.
//
// Imports interp/cell, interp/exports and interp/overlay.
package check
