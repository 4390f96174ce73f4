package zmtp_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/gonterp/gonterp/kernel/zmtp"
)

func TestIdentityComesBack(t *testing.T) {
	r := echo(t, zmtp.Limits{})
	old := dial(t, r.Addr(), "DEALER", "the same")
	roundTrip(t, old, "one")
	again := dial(t, r.Addr(), "DEALER", "the same")
	roundTrip(t, again, "two")
	if _, err := old.Recv(2 * time.Second); err == nil {
		t.Error("the old connection still gets answers")
	}
	roundTrip(t, again, "three")
}

func TestHeartbeatEchoesItsEnvelope(t *testing.T) {
	e := zmtp.NewEcho(listen(t), zmtp.Limits{})
	defer e.Close(0)
	p := dial(t, e.Addr(), "REQ", "")
	p.Send(nil, []byte("ping"))
	got, err := p.Recv(5 * time.Second)
	if err != nil || len(got) != 2 || len(got[0]) != 0 || string(got[1]) != "ping" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestPing(t *testing.T) {
	r := echo(t, zmtp.Limits{})
	p := dial(t, r.Addr(), "DEALER", "")
	p.Write([]byte("\x04\x0a\x04PING\x00\x10ctx"))
	buf := make([]byte, 10)
	p.SetReadDeadline(time.Now().Add(5 * time.Second))
	if _, err := p.Read(buf); err != nil || string(buf) != "\x04\x08\x04PONGctx" {
		t.Errorf("got %q, %v", buf, err)
	}
}

func publisher(t *testing.T, limits zmtp.Limits) *zmtp.Pub {
	p := zmtp.NewPub(listen(t), limits)
	t.Cleanup(func() { p.Close(0) })
	return p
}

func TestTopics(t *testing.T) {
	pub := publisher(t, zmtp.Limits{})
	s := dial(t, pub.Addr(), "SUB", "")
	s.Write([]byte("\x04\x0b\x09SUBSCRIBEa")) // as ZMTP 3.1 does
	s.Subscribe("b")                          // as ZMTP 3.0 does
	var got []string
	publish := func(topics ...string) {
		time.Sleep(100 * time.Millisecond)
		for _, topic := range topics {
			pub.Publish([][]byte{[]byte(topic)})
		}
		for {
			m, err := s.Recv(200 * time.Millisecond)
			if err != nil {
				return
			}
			got = append(got, string(m[0]))
		}
	}
	publish("a1", "b1", "c1")
	s.Send([]byte("\x00b"))
	s.Write([]byte("\x04\x08\x06CANCELa"))
	s.Subscribe("c")
	publish("a2", "b2", "c2")
	if want := "[a1 b1 c2]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// One subscriber that never reads costs the other nothing but one short wait.
func TestStalledSubscriber(t *testing.T) {
	pub := publisher(t, zmtp.Limits{Queue: 1 << 20})
	stalled, healthy := dial(t, pub.Addr(), "SUB", ""), dial(t, pub.Addr(), "SUB", "")
	stalled.Subscribe("")
	healthy.Subscribe("")
	time.Sleep(100 * time.Millisecond)
	const n = 400
	body := make([]byte, 100_000)
	go func() {
		for i := range n {
			pub.Publish([][]byte{fmt.Append(nil, i), body})
		}
	}()
	start := time.Now()
	for i := range n {
		m, err := healthy.Recv(5 * time.Second)
		if err != nil || string(m[0]) != fmt.Sprint(i) || !bytes.Equal(m[1], body) {
			t.Fatalf("message %d: %v", i, err)
		}
	}
	if took := time.Since(start); took > 4*time.Second {
		t.Errorf("it took %v", took)
	}
}

// A subscriber that is slower than a burst gets all of it, when nobody else waits.
func TestSlowSubscriber(t *testing.T) {
	pub := publisher(t, zmtp.Limits{Queue: 1 << 20})
	slow := dial(t, pub.Addr(), "SUB", "")
	slow.Subscribe("")
	time.Sleep(100 * time.Millisecond)
	const n = 200
	go func() {
		for i := range n {
			pub.Publish([][]byte{fmt.Append(nil, i), make([]byte, 100_000)})
		}
	}()
	for i := range n {
		time.Sleep(5 * time.Millisecond)
		m, err := slow.Recv(5 * time.Second)
		if err != nil || string(m[0]) != fmt.Sprint(i) {
			t.Fatalf("message %d: got %q, %v", i, m[0], err)
		}
	}
}

func TestCloseDeliversWhatWaits(t *testing.T) {
	pub := publisher(t, zmtp.Limits{})
	s := dial(t, pub.Addr(), "SUB", "")
	s.Subscribe("")
	time.Sleep(100 * time.Millisecond)
	const n = 50
	for i := range n {
		pub.Publish([][]byte{fmt.Append(nil, i), make([]byte, 100_000)})
	}
	go pub.Close(5 * time.Second)
	for i := range n {
		if _, err := s.Recv(5 * time.Second); err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
	}
}
