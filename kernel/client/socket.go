package client

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// Flags of a frame.
const (
	flagMore    = 1
	flagLong    = 2
	flagCommand = 4
)

// maxMessage bounds what the kernel may send at once: more than any figure.
const maxMessage = 1 << 30

// A socket is connected to one port of the kernel.
type socket struct {
	conn net.Conn
	r    *bufio.Reader
	mu   sync.Mutex // one message is written at a time
}

// greeting is signature, version 3.1, mechanism NULL, filler.
func greeting() []byte {
	g := make([]byte, 64)
	g[0], g[8], g[9], g[10], g[11] = 0xff, 1, 0x7f, 3, 1
	copy(g[12:], "NULL")
	return g
}

// dial connects as a socket of the given type.
func dial(network, address, kind, identity string) (*socket, error) {
	conn, err := net.DialTimeout(network, address, 5*time.Second)
	if err != nil {
		return nil, err
	}
	s := &socket{conn: conn, r: bufio.NewReaderSize(conn, 64<<10)}
	if err := s.handshake(kind, identity); err != nil {
		conn.Close()
		return nil, err
	}
	return s, nil
}

func (s *socket) handshake(kind, identity string) error {
	s.conn.SetDeadline(time.Now().Add(5 * time.Second))
	ready := []byte("\x05READY")
	for _, p := range [][2]string{{"Socket-Type", kind}, {"Identity", identity}} {
		ready = append(append(ready, byte(len(p[0]))), p[0]...)
		ready = append(binary.BigEndian.AppendUint32(ready, uint32(len(p[1]))), p[1]...)
	}
	if _, err := s.conn.Write(append(greeting(), append([]byte{flagCommand, byte(len(ready))}, ready...)...)); err != nil {
		return err
	}
	var theirs [64]byte
	if _, err := io.ReadFull(s.r, theirs[:]); err != nil {
		return err
	}
	if theirs[0] != 0xff || theirs[10] < 3 {
		return errors.New("what listens there does not speak ZMTP 3")
	}
	flags, _, err := s.frame(4096)
	if err == nil && flags&flagCommand == 0 {
		err = errors.New("a message came where READY was due")
	}
	s.conn.SetDeadline(time.Time{})
	return err
}

// frame reads a frame of at most limit bytes. Room grows with what arrives.
func (s *socket) frame(limit uint64) (flags byte, body []byte, err error) {
	if flags, err = s.r.ReadByte(); err != nil {
		return 0, nil, err
	}
	var size [8]byte
	from := 7
	if flags&flagLong != 0 {
		from = 0
	}
	if _, err := io.ReadFull(s.r, size[from:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint64(size[:])
	if n > limit {
		return 0, nil, fmt.Errorf("a frame of %d bytes, the limit is %d", n, limit)
	}
	body, err = io.ReadAll(io.LimitReader(s.r, int64(n)))
	if err == nil && uint64(len(body)) < n {
		err = io.ErrUnexpectedEOF
	}
	return flags, body, err
}

// receive reads a message.
func (s *socket) receive() ([][]byte, error) {
	var frames [][]byte
	left := uint64(maxMessage)
	for {
		flags, body, err := s.frame(left)
		if err != nil {
			return nil, err
		}
		if flags&flagCommand != 0 {
			continue
		}
		left -= uint64(len(body))
		frames = append(frames, body)
		if flags&flagMore == 0 {
			return frames, nil
		}
	}
}

// send writes a message.
func (s *socket) send(frames ...[]byte) error {
	var b []byte
	for i, f := range frames {
		flags := byte(flagLong)
		if i < len(frames)-1 {
			flags |= flagMore
		}
		b = append(binary.BigEndian.AppendUint64(append(b, flags), uint64(len(f))), f...)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.conn.Write(b)
	return err
}
