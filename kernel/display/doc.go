// Package display is what cells show things with: values of a MIME type, pictures,
// files, and a bar for long work.
//
// Its function names are those that people know from other Go kernels. A Data that
// is a cell's last expression is the cell's result; Display shows one anywhere in
// a cell:
//
//	Display(display.HTML("<b>bold</b>"))
//
// A type of a cell or a package that has one of the methods in interfaces.go, HTML() string
// for one, shows itself by it.
//
// Cells need no import for it, and Prelude makes Display itself known to them. The
// package imports interp, for the calling cell.
package display
