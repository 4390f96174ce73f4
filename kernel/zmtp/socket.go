package zmtp

import (
	"encoding/binary"
	"net"
	"sync"
	"time"
)

// Limits bound what peers can make a socket hold. The zero value of a field
// means its default.
type Limits struct {
	Message int // bytes of one incoming message; 64 MiB
	Flight  int // bytes of incoming messages over 64 KiB, all peers together; 2 × Message
	Peers   int // connections; 256
	Queue   int // bytes waiting to go out to one peer; 64 MiB
}

func (l Limits) filled() Limits {
	if l.Message == 0 {
		l.Message = 64 << 20
	}
	if l.Flight == 0 {
		l.Flight = 2 * l.Message
	}
	if l.Peers == 0 {
		l.Peers = 256
	}
	if l.Queue == 0 {
		l.Queue = 64 << 20
	}
	return l
}

// A socket is what the three types share: it accepts peers and keeps them.
type socket struct {
	kind     Type
	limits   Limits
	listener net.Listener
	budget   budget
	serve    func(*conn) error // reads from a peer until it is gone
	closed   chan struct{}

	mu    sync.Mutex
	raw   map[net.Conn]bool // all connections
	peers map[string]*conn  // by identity
	next  uint32
}

func (s *socket) start(kind Type, l net.Listener, limits Limits, serve func(*conn) error) {
	s.kind, s.listener, s.limits, s.serve = kind, l, limits.filled(), serve
	s.budget.left = s.limits.Flight
	s.closed = make(chan struct{})
	s.raw, s.peers = map[net.Conn]bool{}, map[string]*conn{}
	go s.accept()
}

func (s *socket) accept() {
	for {
		nc, err := s.listener.Accept()
		if err != nil {
			select {
			case <-s.closed:
				return
			case <-time.After(10 * time.Millisecond): // out of descriptors: try again when some are free
				continue
			}
		}
		s.mu.Lock()
		ok := len(s.raw) < s.limits.Peers
		if ok {
			s.raw[nc] = true
		}
		s.mu.Unlock()
		if !ok {
			nc.Close()
			continue
		}
		go s.run(nc)
	}
}

// run serves one connection. What is wrong with a peer ends its connection and
// concerns nobody else.
func (s *socket) run(nc net.Conn) {
	defer func() {
		nc.Close()
		s.mu.Lock()
		delete(s.raw, nc)
		s.mu.Unlock()
	}()
	c, err := s.open(nc)
	if err != nil {
		return
	}
	s.add(c)
	go c.write()
	s.serve(c)
	s.remove(c)
	c.close()
	<-c.done
}

// add makes a peer reachable. A peer that comes back under its old identity
// takes over from the connection it had.
func (s *socket) add(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.identity == "" {
		s.next++
		c.identity = string(binary.BigEndian.AppendUint32([]byte{0}, s.next))
	}
	if old := s.peers[c.identity]; old != nil {
		old.close()
	}
	s.peers[c.identity] = c
}

func (s *socket) remove(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.peers[c.identity] == c {
		delete(s.peers, c.identity)
	}
}

func (s *socket) peer(identity string) *conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peers[identity]
}

// Addr is where the socket listens.
func (s *socket) Addr() net.Addr { return s.listener.Addr() }

// Close stops the socket. It lets peers that read take what waits for them, for
// at most linger.
func (s *socket) Close(linger time.Duration) {
	s.mu.Lock()
	select {
	case <-s.closed:
		s.mu.Unlock()
		return
	default:
		close(s.closed)
	}
	conns := make([]*conn, 0, len(s.peers))
	for _, c := range s.peers {
		conns = append(conns, c)
	}
	s.mu.Unlock()
	s.listener.Close()
	for end := time.Now().Add(linger); time.Now().Before(end); time.Sleep(time.Millisecond) {
		waiting := false
		for _, c := range conns {
			n, _ := c.out.state()
			waiting = waiting || n > 0
		}
		if !waiting {
			break
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for nc := range s.raw {
		nc.Close()
	}
}
