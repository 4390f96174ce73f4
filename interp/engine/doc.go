// Package engine is the seam between a session and what runs its cells: the
// interface that every engine implements, what the session gives to an engine,
// and what an engine tells about values and faults.
//
// Imports interp/check and interp/exports.
package engine
