// Package wire puts a session into a process of its own: Serve answers, in the
// worker, for an interp.Sessions, and Client is that session in the supervisor.
//
// Each frame is two lengths of four bytes, big endian, that much JSON, and that
// much text, which is most of what is sent and is not encoded twice. Requests carry
// a number that their reply repeats; what a running cell shows arrives as events
// that name the request which started it. Both directions are ordered, so all
// output of a cell has arrived when its reply does. Cells and comms' messages of one
// shell are served one after the other, those of several shells at the same time.
//
// The package imports interp for the data exchanged, and output.
package wire
