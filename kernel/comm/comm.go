package comm

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"slices"
	"sync"

	"github.com/gonterp/gonterp/interp"
)

// ErrClosed is the error of a message over a line that is closed.
var ErrClosed = errors.New("this comm is closed")

// A Comm is a line to a front end. Its methods may be called from any goroutine of
// a cell.
type Comm struct {
	id, target string

	mu      sync.Mutex
	message func(Message)
	closing func(Message)
	closed  bool
}

// known are the lines that are open, and who answers new ones.
var known = struct {
	sync.Mutex
	open    map[string]*Comm
	targets map[string]func(*Comm, Message)
}{open: map[string]*Comm{}, targets: map[string]func(*Comm, Message){}}

// Register says what to do when a front end opens a line for a target. A later call
// takes the place of an earlier one, and nil refuses the target again.
func Register(target string, opened func(c *Comm, first Message)) {
	known.Lock()
	defer known.Unlock()
	if opened == nil {
		delete(known.targets, target)
		return
	}
	known.targets[target] = opened
}

// Open opens a line for a target of the front end's. Data encodes as JSON and may be
// nil. A front end that does not know the target closes the line.
func Open(target string, data any, extra ...Extra) (*Comm, error) {
	id := make([]byte, 16)
	rand.Read(id)
	c := &Comm{id: hex.EncodeToString(id), target: target}
	known.Lock()
	known.open[c.id] = c
	known.Unlock()
	if err := send(interp.CommMessage{Kind: "open", ID: c.id, Target: target}, data, extra); err != nil {
		c.end()
		return nil, err
	}
	return c, nil
}

// ID is what both sides know the line by.
func (c *Comm) ID() string { return c.id }

// Target is what the line is for.
func (c *Comm) Target() string { return c.target }

// String says which line it is.
func (c *Comm) String() string {
	state := "open"
	if c.isClosed() {
		state = "closed"
	}
	return "comm " + c.target + " " + c.id + ", " + state
}

// OnMessage says what to do with what comes.
func (c *Comm) OnMessage(do func(m Message)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.message = do
}

// OnClose says what to do when the front end closes the line.
func (c *Comm) OnClose(do func(last Message)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closing = do
}

// Send sends data, which encodes as JSON.
func (c *Comm) Send(data any, extra ...Extra) error {
	if c.isClosed() {
		return ErrClosed
	}
	return send(interp.CommMessage{Kind: "message", ID: c.id}, data, extra)
}

// Close closes the line, with a last word if there is one. Closing twice is no error.
func (c *Comm) Close(last ...any) error {
	if !c.end() {
		return nil
	}
	var data any
	if len(last) > 0 {
		data = last[0]
	}
	return send(interp.CommMessage{Kind: "close", ID: c.id}, data, nil)
}

func (c *Comm) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// end forgets a line, and says whether it was open.
func (c *Comm) end() bool {
	c.mu.Lock()
	was := !c.closed
	c.closed = true
	c.mu.Unlock()
	known.Lock()
	defer known.Unlock()
	delete(known.open, c.id)
	return was
}

// List gives the lines that are open, sorted by target.
func List() []*Comm {
	known.Lock()
	defer known.Unlock()
	all := make([]*Comm, 0, len(known.open))
	for _, c := range known.open {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *Comm) int {
		return cmp.Or(cmp.Compare(a.target, b.target), cmp.Compare(a.id, b.id))
	})
	return all
}
