package zmtp

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"sync"
)

const (
	flagMore    = 1
	flagLong    = 2
	flagCommand = 4
)

// Limits on what a peer may send. A message within smallMessage never competes
// for the budget, so large transfers cannot lock small requests out.
const (
	maxCommand   = 4 << 10
	maxFrames    = 1 << 10
	smallMessage = 64 << 10
)

// A SizeError refuses a message that is over a limit.
type SizeError struct {
	What  string
	Size  uint64
	Limit uint64
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("zmtp: %s of %d, the limit is %d", e.What, e.Size, e.Limit)
}

// A budget bounds the bytes of large messages that the connections of a socket
// hold together, from their arrival until they are handed out.
type budget struct {
	mu   sync.Mutex
	left int
}

func (b *budget) take(n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > b.left {
		return false
	}
	b.left -= n
	return true
}

func (b *budget) give(n int) {
	b.mu.Lock()
	b.left += n
	b.mu.Unlock()
}

// A reader takes frames and messages from a peer.
type reader struct {
	r      *bufio.Reader
	max    int // bytes of one message
	budget *budget
	held   int // of the budget, for the message being read
}

// header reads a frame's flags and length and refuses what the protocol forbids.
func (r *reader) header() (flags byte, size uint64, err error) {
	flags, err = r.r.ReadByte()
	if err != nil {
		return 0, 0, err
	}
	if flags&^(flagMore|flagLong|flagCommand) != 0 || flags&flagCommand != 0 && flags&flagMore != 0 {
		return 0, 0, fmt.Errorf("zmtp: a frame with flags %#02x", flags)
	}
	var b [8]byte
	if flags&flagLong == 0 {
		_, err = io.ReadFull(r.r, b[7:])
	} else {
		_, err = io.ReadFull(r.r, b[:])
	}
	return flags, binary.BigEndian.Uint64(b[:]), noEOF(err)
}

// body reads size bytes. Room grows with what has arrived: an announced length
// alone takes no memory.
func (r *reader) body(size, already int) ([]byte, error) {
	b := make([]byte, 0, min(size, smallMessage))
	for len(b) < size {
		if len(b) == cap(b) {
			grown := make([]byte, len(b), min(2*cap(b), size))
			copy(grown, b)
			b = grown
		}
		if over := already + cap(b) - smallMessage - r.held; over > 0 {
			if !r.budget.take(over) {
				return nil, &SizeError{"messages in flight", uint64(already + cap(b)), uint64(r.max)}
			}
			r.held += over
		}
		n, err := io.ReadFull(r.r, b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err != nil {
			return nil, noEOF(err)
		}
	}
	return b, nil
}

// command reads one frame, which must be a command.
func (r *reader) command() ([]byte, error) {
	flags, size, err := r.header()
	if err != nil {
		return nil, err
	}
	if flags&flagCommand == 0 {
		return nil, fmt.Errorf("zmtp: a message before the handshake was over")
	}
	return r.commandBody(size)
}

func (r *reader) commandBody(size uint64) ([]byte, error) {
	if size > maxCommand {
		return nil, &SizeError{"a command", size, maxCommand}
	}
	b := make([]byte, size)
	_, err := io.ReadFull(r.r, b)
	return b, noEOF(err)
}

// message reads one whole message, or one command. The caller gives back what
// the message holds of the budget once it is handed out.
func (r *reader) message() (frames [][]byte, command []byte, held int, err error) {
	defer func() {
		if err != nil {
			r.budget.give(r.held)
		}
		r.held = 0
	}()
	total := 0
	for {
		flags, size, err := r.header()
		if err != nil {
			if frames != nil {
				err = noEOF(err)
			}
			return nil, nil, 0, err
		}
		if flags&flagCommand != 0 {
			if frames != nil {
				return nil, nil, 0, fmt.Errorf("zmtp: a command inside a message")
			}
			command, err = r.commandBody(size)
			return nil, command, 0, err
		}
		if size > uint64(r.max-total) {
			return nil, nil, 0, &SizeError{"a message", size + uint64(total), uint64(r.max)}
		}
		if len(frames) == maxFrames {
			return nil, nil, 0, &SizeError{"a message's frames", maxFrames + 1, maxFrames}
		}
		b, err := r.body(int(size), total)
		if err != nil {
			return nil, nil, 0, err
		}
		frames, total = append(frames, b), total+len(b)
		if flags&flagMore == 0 {
			return frames, nil, r.held, nil
		}
	}
}

// noEOF says that an end of input inside a frame is not a clean one.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// writeFrame writes one frame; flags without flagLong, which its size decides.
func writeFrame(w *bufio.Writer, flags byte, body []byte) error {
	if len(body) < 256 {
		w.WriteByte(flags)
		w.WriteByte(byte(len(body)))
	} else {
		var h [9]byte
		h[0] = flags | flagLong
		binary.BigEndian.PutUint64(h[1:], uint64(len(body)))
		w.Write(h[:])
	}
	_, err := w.Write(body)
	return err
}

func writeMessage(w *bufio.Writer, frames [][]byte) error {
	for i, f := range frames {
		flags := byte(flagMore)
		if i == len(frames)-1 {
			flags = 0
		}
		if err := writeFrame(w, flags, f); err != nil {
			return err
		}
	}
	return nil
}
