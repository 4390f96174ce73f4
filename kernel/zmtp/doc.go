// Package zmtp is the bind side of ZMTP 3.1, the wire protocol of ZeroMQ, as far
// as a Jupyter kernel needs it: sockets of type ROUTER, PUB and REP over TCP or
// Unix sockets, with the NULL mechanism.
//
// It exists because a kernel's ports are open to every process of the machine,
// and a notebook must not die or grow from what a stranger sends, nor lose output
// because one of several subscribers stopped reading. So every length is checked
// before memory is taken, memory is taken as bytes arrive and not as they are
// announced, what connections may hold together is bounded, and each peer has a
// bounded queue of its own. The protocol is specified at https://rfc.zeromq.org/spec/37/.
//
// The package imports the standard library only.
package zmtp
