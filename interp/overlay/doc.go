// Package overlay holds, as Go source, what export tables cannot: the generic
// declarations of the standard library, which reflection does not see. They are
// written for this project from the documentation; an engine treats them like a
// cell's own functions. Imports nothing.
package overlay
