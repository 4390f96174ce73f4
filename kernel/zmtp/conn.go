package zmtp

import (
	"bufio"
	"net"
	"slices"
	"time"
)

// handshakeTime is how long a peer may take to say who it is.
const handshakeTime = 10 * time.Second

// A conn is one connected peer.
type conn struct {
	net      net.Conn
	in       reader
	out      *queue
	identity string
	done     chan struct{} // closed when nothing more will be written
}

// open runs the handshake. Nothing of the peer's is kept before it is over.
func (s *socket) open(nc net.Conn) (*conn, error) {
	nc.SetDeadline(time.Now().Add(handshakeTime))
	if _, err := nc.Write(greeting()); err != nil {
		return nil, err
	}
	c := &conn{
		net:  nc,
		in:   reader{r: bufio.NewReaderSize(nc, 32<<10), max: s.limits.Message, budget: &s.budget},
		out:  newQueue(s.limits.Queue),
		done: make(chan struct{}),
	}
	if err := readGreeting(c.in.r); err != nil {
		return nil, err
	}
	w := bufio.NewWriter(nc)
	writeFrame(w, flagCommand, ready(s.kind))
	if err := w.Flush(); err != nil {
		return nil, err
	}
	b, err := c.in.command()
	if err != nil {
		return nil, err
	}
	kind, identity, err := parseReady(b)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(peers[s.kind], kind) {
		return nil, &PeerError{Socket: s.kind, Peer: kind}
	}
	c.identity = identity
	return c, nc.SetDeadline(time.Time{})
}

// A PeerError refuses a peer of a type that cannot talk to this socket.
type PeerError struct {
	Socket Type
	Peer   string
}

func (e *PeerError) Error() string {
	return "zmtp: a " + e.Peer + " socket cannot talk to a " + string(e.Socket) + " socket"
}

// read hands every message of the peer on, until it is gone.
func (c *conn) read(each func(frames [][]byte, held int), command func(name string, data []byte)) error {
	for {
		frames, cmd, held, err := c.in.message()
		if err != nil {
			return err
		}
		if cmd == nil {
			each(frames, held)
			continue
		}
		switch name, data, _ := cutCommand(cmd); name {
		case "PING":
			if len(data) >= 2 && len(data) <= 2+16 {
				c.out.push(newItem(flagCommand, [][]byte{append([]byte("\x04PONG"), data[2:]...)}))
			}
		default:
			command(name, data)
		}
	}
}

// write empties the queue towards the peer until the queue is closed or the
// peer is gone.
func (c *conn) write() {
	defer close(c.done)
	w := bufio.NewWriterSize(progressWriter{c}, 64<<10)
	for {
		it, ok := c.out.front()
		if !ok {
			return
		}
		var err error
		if it.flags == flagCommand {
			err = writeFrame(w, flagCommand, it.frames[0])
		} else {
			err = writeMessage(w, it.frames)
		}
		if err == nil && c.out.last() {
			err = w.Flush()
		}
		if err != nil {
			c.close()
			return
		}
		c.out.done()
	}
}

// A progressWriter writes large pieces bit by bit, so that a peer which takes
// them slowly can be told from one that takes nothing.
type progressWriter struct{ c *conn }

func (p progressWriter) Write(b []byte) (int, error) {
	const piece = 256 << 10
	n := 0
	for n < len(b) {
		m, err := p.c.net.Write(b[n:min(n+piece, len(b))])
		n += m
		if err != nil {
			return n, err
		}
		p.c.out.touch()
	}
	return n, nil
}

func (c *conn) close() {
	c.out.close()
	c.net.Close()
}
