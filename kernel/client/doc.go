// Package client is a session in a running kernel: it implements interp.Sessions
// over the kernel's ports, so that a terminal shares the variables and models of a
// notebook.
//
// It imports kernel for connection files, kernel/message for the protocol and interp
// for the data exchanged. The connecting side of ZMTP 3.1 is here, since the kernel
// itself only binds.
package client
