package zmtp

import (
	"bytes"
	"net"
	"sync"
	"time"
)

const (
	// stallTime is how long a subscriber with a full queue may take nothing before
	// it is given up on.
	stallTime = 500 * time.Millisecond
	// patience is how long a subscriber that does read, but slower than messages
	// come, may hold up those that keep pace.
	patience = time.Second
	// maxTopics bounds the subscriptions of one peer.
	maxTopics = 64
)

// A Pub sends every message to all subscribers. A subscriber that stops reading
// loses messages once its queue is full, and holds nobody up; one that is merely
// slower than a burst is waited for.
type Pub struct {
	socket
	order sync.Mutex // one message at a time, so that all subscribers see one order
	mu    sync.Mutex
	subs  map[*conn]*subscriber
}

type subscriber struct {
	topics  [][]byte
	behind  bool          // messages are dropped until half of the queue is free
	waited  time.Duration // in this burst
	dropped uint64
}

// NewPub serves a PUB socket on l, which it owns from then on.
func NewPub(l net.Listener, limits Limits) *Pub {
	p := &Pub{subs: map[*conn]*subscriber{}}
	p.start(PubType, l, limits, p.subscribe)
	return p
}

// subscribe follows a peer's subscriptions, which ZMTP 3.0 sends as messages and
// 3.1 as commands.
func (p *Pub) subscribe(c *conn) error {
	p.mu.Lock()
	p.subs[c] = &subscriber{}
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.subs, c)
		p.mu.Unlock()
	}()
	return c.read(func(frames [][]byte, held int) {
		if f := frames[0]; len(frames) == 1 && len(f) > 0 && f[0] <= 1 && len(f) <= maxCommand {
			p.topic(c, f[0] == 1, f[1:])
		}
		p.budget.give(held)
	}, func(name string, data []byte) {
		switch name {
		case "SUBSCRIBE":
			p.topic(c, true, data)
		case "CANCEL":
			p.topic(c, false, data)
		}
	})
}

func (p *Pub) topic(c *conn, on bool, topic []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.subs[c]
	if on {
		if len(s.topics) < maxTopics {
			s.topics = append(s.topics, bytes.Clone(topic))
		}
		return
	}
	for i, t := range s.topics {
		if bytes.Equal(t, topic) {
			s.topics = append(s.topics[:i], s.topics[i+1:]...)
			return
		}
	}
}

func (s *subscriber) wants(topic []byte) bool {
	for _, t := range s.topics {
		if bytes.HasPrefix(topic, t) {
			return true
		}
	}
	return false
}

// Publish queues a message for the subscribers of its first frame. It returns
// when each has it queued or is known to have fallen behind.
func (p *Pub) Publish(frames [][]byte) {
	p.order.Lock()
	defer p.order.Unlock()
	it := newItem(0, frames)
	var full []*conn
	fast := false // a subscriber keeps pace
	p.mu.Lock()
	for c, s := range p.subs {
		if !s.wants(frames[0]) {
			continue
		}
		n, _ := c.out.state()
		if n == 0 {
			s.waited = 0
		}
		s.behind = s.behind && !c.out.halfFree()
		switch {
		case s.behind:
			s.dropped++
		case !c.out.push(it):
			full = append(full, c)
		default:
			fast = true
		}
	}
	p.mu.Unlock()
	for _, c := range full {
		p.await(c, it, fast)
	}
}

// await waits for room in a subscriber's queue while it goes on reading.
func (p *Pub) await(c *conn, it item, fast bool) {
	p.mu.Lock()
	s := p.subs[c]
	p.mu.Unlock()
	if s == nil {
		return
	}
	for !c.out.push(it) {
		_, quiet := c.out.state()
		if quiet > stallTime || fast && s.waited > patience {
			p.mu.Lock()
			s.behind = true
			s.dropped++
			p.mu.Unlock()
			return
		}
		start := time.Now()
		select {
		case <-c.out.space:
		case <-time.After(20 * time.Millisecond):
		case <-p.closed:
			return
		}
		s.waited += time.Since(start)
	}
}
