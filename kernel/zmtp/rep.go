package zmtp

import "net"

// An Echo is a REP socket that answers every request with itself, which is what
// a heartbeat is.
type Echo struct{ socket }

// NewEcho serves an Echo on l, which it owns from then on.
func NewEcho(l net.Listener, limits Limits) *Echo {
	e := &Echo{}
	e.start(RepType, l, limits, func(c *conn) error {
		return c.read(func(frames [][]byte, held int) {
			// The frames before the body are the request's envelope, which an answer repeats.
			c.out.push(newItem(0, frames))
			e.budget.give(held)
		}, func(string, []byte) {})
	})
	return e
}
