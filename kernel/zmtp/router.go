package zmtp

import "net"

// A Message came from a peer.
type Message struct {
	Peer   string // the identity to answer to
	Frames [][]byte
}

// A Router receives messages of many peers and sends each answer to the peer it
// is for.
type Router struct {
	socket
	in chan received
}

type received struct {
	Message
	held int
}

// NewRouter serves a ROUTER socket on l, which it owns from then on.
func NewRouter(l net.Listener, limits Limits) *Router {
	r := &Router{in: make(chan received, 16)}
	r.start(RouterType, l, limits, r.receive)
	return r
}

func (r *Router) receive(c *conn) error {
	return c.read(func(frames [][]byte, held int) {
		select {
		case r.in <- received{Message{c.identity, frames}, held}:
		case <-r.closed:
			r.budget.give(held)
		}
	}, func(string, []byte) {})
}

// Recv waits for the next message. It says false when the socket is closed.
func (r *Router) Recv() (Message, bool) {
	select {
	case m := <-r.in:
		r.budget.give(m.held)
		return m.Message, true
	case <-r.closed:
		return Message{}, false
	}
}

// Connected says whether a peer is there.
func (r *Router) Connected(peer string) bool { return r.peer(peer) != nil }

// Send queues a message for a peer. It says false where the peer is gone or has
// stopped reading; the message is dropped then.
func (r *Router) Send(m Message) bool {
	c := r.peer(m.Peer)
	return c != nil && c.out.push(newItem(0, m.Frames))
}
