// Package message is the Jupyter messaging protocol 5.4 as Go types: headers and
// contents, and the signed frames they travel in. The protocol is specified at
// https://jupyter-client.readthedocs.io/en/stable/messaging.html.
//
// The package knows no sockets and no session. It imports the standard library
// only.
package message
