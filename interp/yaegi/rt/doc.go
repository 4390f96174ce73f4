// Package rt is the half of the lowering that works while cells run: dynamic
// types of cell values are go/types types, kept beside the value in a Box,
// because yaegi's reflect types cannot tell them apart; deferred calls, which
// yaegi loses its way in; and Go's own words for run-time errors.
//
// Imports only the standard library.
package rt
