package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/kernel"
	"github.com/gonterp/gonterp/kernel/message"
)

// A Client is a session in a running kernel. Its methods may be called from any
// goroutine.
type Client struct {
	codec                         *message.Codec
	shell, control, stdin, output *socket
	next                          int

	mu      sync.Mutex
	waiting map[string]chan *message.Message // for replies, by the request's id
	runs    map[string]*run                  // by the request's id
	order   []string                         // of runs
	seen    chan struct{}                    // closed when something came from iopub
	gone    chan struct{}
	lost    error
}

// A run is a cell that the client sent.
type run struct {
	number int
	out    interp.Output
	value  *interp.Bundle
	over   sync.Once
	idle   chan struct{} // closed when the cell is over
}

// kept is how many cells a client remembers, for what their goroutines still write.
const kept = 1024

// Open connects to the kernel of a connection file. The error says what to do.
func Open(path string) (*Client, error) {
	c, err := kernel.ReadConnection(path)
	if err != nil {
		return nil, err
	}
	codec, err := message.NewCodec(c.Key, c.Scheme)
	if err != nil {
		return nil, err
	}
	cl := &Client{
		codec: codec, waiting: map[string]chan *message.Message{}, runs: map[string]*run{},
		seen: make(chan struct{}), gone: make(chan struct{}),
	}
	identity := "console-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	for _, s := range []struct {
		to   **socket
		port int
		kind string
	}{{&cl.shell, c.Shell, "DEALER"}, {&cl.control, c.Control, "DEALER"}, {&cl.stdin, c.Stdin, "DEALER"}, {&cl.output, c.IOPub, "SUB"}} {
		network, address := "tcp", net.JoinHostPort(strings.Trim(c.IP, "[]"), strconv.Itoa(s.port))
		if c.Transport == "ipc" {
			network, address = "unix", c.IP+"-"+strconv.Itoa(s.port)
		}
		if *s.to, err = dial(network, address, s.kind, identity); err != nil {
			cl.Close()
			return nil, fmt.Errorf("the kernel of %s does not answer: %w; if it has ended, its file is left over", path, err)
		}
	}
	if err := cl.output.send([]byte{1}); err != nil { // subscribes to everything
		cl.Close()
		return nil, err
	}
	for _, s := range []*socket{cl.shell, cl.control} {
		go cl.follow(s, cl.replied)
	}
	go cl.follow(cl.stdin, cl.asked)
	go cl.follow(cl.output, cl.published)
	if err := cl.greet(); err != nil {
		cl.Close()
		return nil, fmt.Errorf("the kernel of %s: %w", path, err)
	}
	return cl, nil
}

// greet waits until output arrives, which a subscription takes a while for, and
// asks for the number of the next cell.
func (c *Client) greet() error {
	for range 20 {
		if _, err := c.ask(c.shell, "kernel_info_request", struct{}{}, 5*time.Second); err != nil {
			return err
		}
		select {
		case <-c.seen:
			reply, err := c.ask(c.shell, "execute_request", message.ExecuteRequest{Silent: true}, time.Second)
			var r message.ExecuteReply
			if err == nil && reply.Read(&r) == nil {
				c.next = r.Count
			}
			return nil
		case <-time.After(100 * time.Millisecond):
		}
	}
	return errors.New("it answers, but none of its output arrives")
}

// NextCell is the number of the next cell when the client was opened; 0 where the
// kernel was too busy to say.
func (c *Client) NextCell() int { return c.next }

// A received message, with the id of the request that it belongs to.
type received struct {
	*message.Message
	parent string
}

// follow hands on what comes from a socket until the kernel is gone.
func (c *Client) follow(s *socket, each func(received)) {
	for {
		frames, err := s.receive()
		if err != nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.lost == nil {
				c.lost = fmt.Errorf("the kernel is gone: %w", err)
				close(c.gone)
			}
			return
		}
		m, err := c.codec.Decode(frames)
		if err != nil {
			continue // not of this kernel
		}
		var parent message.Header
		json.Unmarshal(frames[len(m.Route)+3], &parent)
		each(received{m, parent.ID})
	}
}

func (c *Client) replied(m received) {
	c.mu.Lock()
	answer := c.waiting[m.parent]
	delete(c.waiting, m.parent)
	c.mu.Unlock()
	if answer != nil {
		answer <- m.Message
	}
}

// send sends a request and returns its id.
func (c *Client) send(s *socket, typ string, content any, prepare func(id string)) error {
	frames := c.codec.Encode(typ, nil, content)
	var h message.Header
	if err := json.Unmarshal(frames[2], &h); err != nil {
		return err
	}
	prepare(h.ID)
	return s.send(frames...)
}

// ask sends a request and waits for its reply; without a time, as long as it takes.
func (c *Client) ask(s *socket, typ string, content any, within time.Duration) (*message.Message, error) {
	answer := make(chan *message.Message, 1)
	err := c.send(s, typ, content, func(id string) {
		c.mu.Lock()
		c.waiting[id] = answer
		c.mu.Unlock()
	})
	if err != nil {
		return nil, err
	}
	return c.await(answer, typ, within)
}

func (c *Client) await(answer chan *message.Message, typ string, within time.Duration) (*message.Message, error) {
	var late <-chan time.Time
	if within > 0 {
		late = time.After(within)
	}
	select {
	case m := <-answer:
		return m, nil
	case <-late:
		return nil, fmt.Errorf("no answer to %s within %v", typ, within)
	case <-c.gone:
		return nil, c.lost
	}
}

// Close ends the connection; the kernel runs on.
func (c *Client) Close() error {
	for _, s := range []*socket{c.shell, c.control, c.stdin, c.output} {
		if s != nil {
			s.conn.Close()
		}
	}
	return nil
}
