package comm

import "github.com/gonterp/gonterp/interp"

// Receive takes a message of the front end's; a session calls it.
func Receive(m interp.CommMessage) {
	known.Lock()
	c, opened := known.open[m.ID], known.targets[m.Target]
	known.Unlock()
	switch {
	case m.Kind == "open" && c == nil:
		accept(m, opened)
	case c == nil: // of a line that is closed
	case m.Kind == "message":
		c.mu.Lock()
		do := c.message
		c.mu.Unlock()
		if do != nil {
			do(received(m))
		}
	case m.Kind == "close":
		c.mu.Lock()
		do := c.closing
		c.mu.Unlock()
		if c.end() && do != nil {
			do(received(m))
		}
	}
}

// accept opens a line for a target. Where nobody answers it, or who does panics, it
// is closed again, as the protocol asks.
func accept(m interp.CommMessage, opened func(*Comm, Message)) {
	c := &Comm{id: m.ID, target: m.Target}
	if opened == nil {
		c.Close()
		return
	}
	known.Lock()
	known.open[c.id] = c
	known.Unlock()
	well := false
	defer func() {
		if !well {
			c.Close()
		}
	}()
	opened(c, received(m))
	well = true
}
