package zmtp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// A Type is what a socket does.
type Type string

// The socket types that bind here.
const (
	RouterType Type = "ROUTER"
	PubType    Type = "PUB"
	RepType    Type = "REP"
)

// peers has the socket types that may connect to each type.
var peers = map[Type][]string{
	RouterType: {"DEALER", "REQ", "ROUTER"},
	PubType:    {"SUB", "XSUB"},
	RepType:    {"REQ", "DEALER"},
}

// greeting is signature, version 3.1, mechanism NULL, not a server, filler.
func greeting() []byte {
	g := make([]byte, 64)
	g[0], g[8], g[9] = 0xff, 1, 0x7f
	g[10], g[11] = 3, 1
	copy(g[12:32], "NULL")
	return g
}

// readGreeting checks a peer's greeting. The first byte is looked at alone, so
// that a peer of another protocol is refused at once.
func readGreeting(r io.Reader) error {
	var g [64]byte
	for _, part := range [][2]int{{0, 1}, {1, 10}, {10, 11}, {11, 64}} {
		if _, err := io.ReadFull(r, g[part[0]:part[1]]); err != nil {
			return noEOF(err)
		}
		switch {
		case g[0] != 0xff, part[1] >= 10 && g[9]&1 == 0:
			return fmt.Errorf("zmtp: the peer does not speak ZMTP")
		case part[1] >= 11 && g[10] < 3:
			return fmt.Errorf("zmtp: the peer speaks version %d of ZMTP, 3 is needed", g[10])
		}
	}
	if m := bytes.TrimRight(g[12:32], "\x00"); string(m) != "NULL" {
		return fmt.Errorf("zmtp: the peer wants mechanism %q, only NULL is served", m)
	}
	return nil
}

// ready is the READY command of a socket.
func ready(t Type) []byte {
	b := []byte("\x05READY\x0bSocket-Type")
	b = binary.BigEndian.AppendUint32(b, uint32(len(t)))
	return append(b, t...)
}

// parseReady reads a peer's READY command and gives its socket type and identity.
func parseReady(b []byte) (socket, identity string, err error) {
	name, rest, ok := cutCommand(b)
	if !ok || name != "READY" {
		return "", "", fmt.Errorf("zmtp: the peer sent %q where READY was due", name)
	}
	for len(rest) > 0 {
		n := int(rest[0])
		if len(rest) < 1+n+4 {
			return "", "", fmt.Errorf("zmtp: a property of READY is cut short")
		}
		key := string(bytes.ToLower(rest[1 : 1+n]))
		size := binary.BigEndian.Uint32(rest[1+n:])
		rest = rest[1+n+4:]
		if uint64(size) > uint64(len(rest)) {
			return "", "", fmt.Errorf("zmtp: property %s of READY is cut short", key)
		}
		value := string(rest[:size])
		rest = rest[size:]
		switch key {
		case "socket-type":
			socket = value
		case "identity":
			if len(value) > 255 {
				return "", "", fmt.Errorf("zmtp: an identity of %d bytes, the limit is 255", len(value))
			}
			identity = value
		}
	}
	return socket, identity, nil
}

// cutCommand splits a command into its name and its data.
func cutCommand(b []byte) (name string, data []byte, ok bool) {
	if len(b) == 0 || len(b) < 1+int(b[0]) {
		return "", nil, false
	}
	n := 1 + int(b[0])
	return string(b[1:n]), b[n:], true
}
