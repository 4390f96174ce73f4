// Package kernel is gonterp in Jupyter: messaging protocol 5.4 between a front
// end and a session.
//
// It is two processes. The supervisor, Run, holds the sockets and the history and
// never opens libtorch, so it answers within milliseconds of its start and lives
// on whatever a cell does. The worker, ServeWorker, holds the session with its
// variables and models. They talk over pipes (package wire). When the worker dies,
// the supervisor says why and what was lost, and starts another.
//
// Packages below it: zmtp, the sockets; message, the protocol's types and
// signatures; wire, the session in another process; output, everything a worker
// writes as one ordered stream; display, what cells show things with. It imports
// interp for the session, and neither the root package nor plotting.
package kernel
