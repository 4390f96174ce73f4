package machine

import "unsafe"

// How compiled code gets into cell code. A func value of a cell is a pointer to
// an object whose first word is the address of bridge, as every Go func value
// points to its code; bridge goes on in a Go closure kept in the second word. A
// method of a cell type needs an address of its own, because an interface's
// method table holds addresses only: stubs is a block of such addresses, each of
// which goes on in the closure that methods holds at the same index.

const (
	stubCount = 32768
	stubSize  = 16
)

func bridge()
func bridgePC() uintptr
func stubs()
func stubPC() uintptr

// Nothing calls these two: their addresses are what is wanted.
var _, _ = bridge, stubs

// goroutine identifies the running goroutine among those that run.
func goroutine() uintptr

// stackUsed is how many bytes of its stack the running goroutine uses.
func stackUsed() uintptr

// methods holds the closures behind the stubs. The garbage collector sees it, so
// what it holds stays.
var methods [stubCount]unsafe.Pointer

// funcAddr is the address that a func value holds in its first word.
var funcAddr = bridgePC()
