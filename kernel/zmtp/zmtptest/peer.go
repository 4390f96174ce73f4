// Package zmtptest is the connecting side of ZMTP 3 as far as tests of the bind
// side need it. It shares no code with what it tests.
package zmtptest

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"
)

// A Peer is a connected socket of a test.
type Peer struct {
	net.Conn
	r *bufio.Reader
}

// Greeting is what a peer sends first.
var Greeting = append([]byte("\xff\x00\x00\x00\x00\x00\x00\x00\x01\x7f\x03\x01NULL"), make([]byte, 48)...)

// Ready is a READY command, in its frame.
func Ready(kind, identity string) []byte {
	b := []byte("\x05READY")
	for _, p := range [][2]string{{"Socket-Type", kind}, {"Identity", identity}} {
		b = append(append(b, byte(len(p[0]))), p[0]...)
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(p[1]))), p[1]...)
	}
	return append([]byte{4, byte(len(b))}, b...)
}

// Dial connects to address as a socket of the given type.
func Dial(network, address, kind, identity string) (*Peer, error) {
	c, err := net.DialTimeout(network, address, 5*time.Second)
	if err != nil {
		return nil, err
	}
	p := &Peer{c, bufio.NewReader(c)}
	c.Write(Greeting)
	c.Write(Ready(kind, identity))
	if _, err := p.r.Discard(64); err != nil {
		c.Close()
		return nil, err
	}
	flags, _, err := p.frame()
	if err != nil || flags&4 == 0 {
		c.Close()
		return nil, fmt.Errorf("no READY came: %v", err)
	}
	return p, nil
}

// Send sends a message.
func (p *Peer) Send(frames ...[]byte) error {
	var b []byte
	for i, f := range frames {
		flags := byte(3)
		if i == len(frames)-1 {
			flags = 2
		}
		b = append(binary.BigEndian.AppendUint64(append(b, flags), uint64(len(f))), f...)
	}
	_, err := p.Write(b)
	return err
}

// Subscribe asks a PUB socket for a topic.
func (p *Peer) Subscribe(topic string) error {
	return p.Send(append([]byte{1}, topic...))
}

// Recv receives a message, for at most the given time.
func (p *Peer) Recv(within time.Duration) ([][]byte, error) {
	p.SetReadDeadline(time.Now().Add(within))
	var frames [][]byte
	for {
		flags, b, err := p.frame()
		if err != nil {
			return nil, err
		}
		if flags&4 != 0 {
			continue
		}
		frames = append(frames, b)
		if flags&1 == 0 {
			return frames, nil
		}
	}
}

func (p *Peer) frame() (flags byte, body []byte, err error) {
	if flags, err = p.r.ReadByte(); err != nil {
		return 0, nil, err
	}
	size := make([]byte, 8)
	from := 7
	if flags&2 != 0 {
		from = 0
	}
	if _, err = io.ReadFull(p.r, size[from:]); err != nil {
		return 0, nil, err
	}
	body = make([]byte, binary.BigEndian.Uint64(size))
	_, err = io.ReadFull(p.r, body)
	return flags, body, err
}
