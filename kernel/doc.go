// Package kernel is gonterp in Jupyter: messaging protocol 5.4 between a front
// end and a session.
//
// It is two processes. The supervisor, Run, holds the sockets and the history and
// never opens libtorch, so it answers within milliseconds of its start and lives
// on whatever a cell does. The worker, ServeWorker, holds the session with its
// variables and models. They talk over pipes (package wire). When the worker dies,
// the supervisor says why and what was lost, and starts another. What cells wrote
// and the worker had not sent yet is in memory that the two share (output.Journal),
// so its death takes no text along.
//
// The main shell and each subshell have a queue of cells (lanes.go). In a session that
// has interp.Shells the queues run at the same time, each on a thread of its own;
// questions about code are answered beside them. Messages of comms stand in the same
// queues, so that handlers run between cells and in order.
//
// Late output keeps the cell that it comes from as its parent, as the protocol has
// it, and no cell stays busy for the sake of it beyond the moment that the engine
// gives a cell's goroutines at its end: a cell that starts a server would never be over.
//
// Packages below it: zmtp, the sockets; message, the protocol's types and
// signatures; wire, the session in another process; output, everything a worker
// writes as one ordered stream; display and comm, what cells show things and talk to
// front ends with, and tables, which makes these two known to cells. It imports
// interp for the session, and neither the root package nor plotting.
package kernel
