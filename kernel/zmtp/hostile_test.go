package zmtp_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/gonterp/gonterp/kernel/zmtp"
	"github.com/gonterp/gonterp/kernel/zmtp/zmtptest"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// echo is a router that sends everything back.
func echo(t *testing.T, limits zmtp.Limits) *zmtp.Router {
	r := zmtp.NewRouter(listen(t), limits)
	t.Cleanup(func() { r.Close(0) })
	go func() {
		for {
			m, ok := r.Recv()
			if !ok {
				return
			}
			r.Send(m)
		}
	}()
	return r
}

func dial(t *testing.T, to net.Addr, kind, identity string) *zmtptest.Peer {
	t.Helper()
	p, err := zmtptest.Dial(to.Network(), to.String(), kind, identity)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func roundTrip(t *testing.T, p *zmtptest.Peer, body string) {
	t.Helper()
	if err := p.Send([]byte(body)); err != nil {
		t.Fatal(err)
	}
	got, err := p.Recv(5 * time.Second)
	if err != nil || len(got) != 1 || string(got[0]) != body {
		t.Fatalf("got %q, %v; want %q", got, err, body)
	}
}

// hostile is what a stranger may send.
func hostile() map[string][]byte {
	noise := make([]byte, 5000)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	opened := slices.Concat(zmtptest.Greeting, zmtptest.Ready("DEALER", ""))
	curve := bytes.Clone(zmtptest.Greeting)
	copy(curve[12:], "CURVE")
	old := bytes.Clone(zmtptest.Greeting)
	old[10] = 1
	return map[string][]byte{
		"noise":                    noise,
		"http":                     []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		"another mechanism":        curve,
		"an old version":           old,
		"a huge command":           append(bytes.Clone(zmtptest.Greeting), "\x06\x7f\xff\xff\xff\xff\xff\xff\xff"...),
		"a command of 8 GB":        append(bytes.Clone(zmtptest.Greeting), "\x06\x00\x00\x00\x02\x00\x00\x00\x00"...),
		"a command cut short":      append(bytes.Clone(zmtptest.Greeting), "\x04\x03\x05REA"...),
		"an empty command":         append(bytes.Clone(zmtptest.Greeting), "\x04\x00"...),
		"a message for READY":      append(bytes.Clone(zmtptest.Greeting), "\x00\x01x"...),
		"a property cut short":     append(bytes.Clone(zmtptest.Greeting), "\x04\x0c\x05READY\x03abc\xff\xff"...),
		"a property of 4 GB":       append(bytes.Clone(zmtptest.Greeting), "\x04\x0e\x05READY\x03abc\xff\xff\xff\xff"...),
		"a subscriber at a router": slices.Concat(zmtptest.Greeting, zmtptest.Ready("SUB", "")),
		"a huge frame":             append(bytes.Clone(opened), "\x02\x7f\xff\xff\xff\xff\xff\xff\xff"...),
		"a frame over the limit":   append(bytes.Clone(opened), "\x02\x00\x00\x00\x00\x10\x00\x00\x00"...),
		"a wrong flag":             append(bytes.Clone(opened), "\x10\x00"...),
		"more of a command":        append(bytes.Clone(opened), "\x05\x00"...),
		"a command in a message":   append(bytes.Clone(opened), "\x01\x01x\x04\x05\x04PING"...),
		"endless frames":           append(bytes.Clone(opened), bytes.Repeat([]byte("\x01\x00"), 2000)...),
	}
}

// What breaks the protocol ends its own connection and nothing else.
func TestHostileBytes(t *testing.T) {
	r := echo(t, zmtp.Limits{Message: 1 << 20})
	good := dial(t, r.Addr(), "DEALER", "good")
	for name, b := range hostile() {
		t.Run(name, func(t *testing.T) {
			c, err := net.Dial("tcp", r.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			c.Write(b)
			if name == "a command cut short" {
				c.(*net.TCPConn).CloseWrite()
			}
			c.SetReadDeadline(time.Now().Add(5 * time.Second))
			if _, err := io.Copy(io.Discard, c); err != nil && err.(net.Error).Timeout() {
				t.Error("the connection stayed open")
			}
			roundTrip(t, good, "after "+name)
		})
	}
}

// A length that is announced takes no memory, and bytes that do come take no more
// than the limit for all connections together.
func TestMemoryIsBounded(t *testing.T) {
	const limit = 4 << 20
	r := echo(t, zmtp.Limits{Message: limit, Flight: 2 * limit})
	good := dial(t, r.Addr(), "DEALER", "")
	// A frame just under the limit, which never ends.
	endless := append([]byte{2, 0, 0, 0, 0, 0, 0x3f, 0xff, 0xff}, make([]byte, limit-2048)...)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		p := dial(t, r.Addr(), "DEALER", "")
		go p.Write(endless)
	}
	time.Sleep(500 * time.Millisecond)
	roundTrip(t, good, "small messages need no share")
	runtime.GC()
	runtime.ReadMemStats(&after)
	// Each connection also has its buffers, and what a small message may take.
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 2*limit+100*(256<<10) {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
}

func TestTooManyPeers(t *testing.T) {
	r := echo(t, zmtp.Limits{Peers: 3})
	first := dial(t, r.Addr(), "DEALER", "")
	dial(t, r.Addr(), "DEALER", "")
	dial(t, r.Addr(), "DEALER", "")
	if p, err := zmtptest.Dial("tcp", r.Addr().String(), "DEALER", ""); err == nil {
		p.Close()
		t.Error("a fourth peer was let in")
	}
	roundTrip(t, first, "still here")
	first.Close()
	for range 100 {
		if p, err := zmtptest.Dial("tcp", r.Addr().String(), "DEALER", ""); err == nil {
			defer p.Close()
			roundTrip(t, p, "room again")
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("a closed connection left no room")
}
