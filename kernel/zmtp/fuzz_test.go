package zmtp

import (
	"bufio"
	"bytes"
	"testing"
)

// Whatever comes, reading ends with a message or an error, takes no more memory
// than the limits allow, and gives its share of the budget back.
func FuzzMessage(f *testing.F) {
	f.Add([]byte("\x01\x01a\x00\x01b"))
	f.Add([]byte("\x04\x05\x04PING"))
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00\x03abc"))
	f.Add([]byte("\x02\x7f\xff\xff\xff\xff\xff\xff\xff"))
	f.Add(append([]byte("\x02\x00\x00\x00\x00\x00\x02\x00\x00"), make([]byte, 0x20000)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		const limit = 256 << 10
		share := budget{left: limit}
		r := reader{r: bufio.NewReader(bytes.NewReader(b)), max: limit, budget: &share}
		for {
			frames, command, held, err := r.message()
			total := 0
			for _, f := range frames {
				total += len(f)
			}
			if total > limit || len(command) > maxCommand || held > limit {
				t.Fatalf("%d bytes, a command of %d, %d held", total, len(command), held)
			}
			share.give(held)
			if share.left != limit {
				t.Fatalf("%d of the budget are gone", limit-share.left)
			}
			if err != nil {
				return
			}
			var w bytes.Buffer
			bw := bufio.NewWriter(&w)
			if command == nil {
				writeMessage(bw, frames)
				bw.Flush()
				again := reader{r: bufio.NewReader(&w), max: limit, budget: &share}
				same, _, held, err := again.message()
				share.give(held)
				if err != nil || len(same) != len(frames) {
					t.Fatalf("written and read again: %d frames for %d, %v", len(same), len(frames), err)
				}
			}
		}
	})
}

func FuzzHandshake(f *testing.F) {
	f.Add(append(greeting(), ready(RouterType)...))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		readGreeting(bytes.NewReader(b))
		if _, identity, err := parseReady(b); err == nil && len(identity) > 255 {
			t.Fatalf("an identity of %d bytes", len(identity))
		}
	})
}
