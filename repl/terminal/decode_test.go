package terminal

import (
	"fmt"
	"strings"
	"testing"
)

func decode(input string, size int) (events []Event, replies []string) {
	d := decoder{reply: func(s string) { replies = append(replies, s) }}
	for b := []byte(input); len(b) > 0; {
		n := min(size, len(b))
		for _, e := range d.feed(b[:n]) {
			events = appendEvent(events, e)
		}
		b = b[n:]
	}
	return append(events, d.flush()...), replies
}

func TestDecode(t *testing.T) {
	for input, want := range map[string]string{
		"aé模👩‍👩‍👧":                                  `[{1 aé模👩‍👩‍👧}]`,
		"\x03\x04\r\t\x7f":                          "[{3 c} {3 d} {5 } {7 } {9 }]",
		"\x1b[A\x1bOB\x1b[1;5C":                     "[{13 } {14 } {18 }]",
		"\x1b[3~\x1b[Z":                             "[{11 } {8 }]",
		"\x1bb\x1b\r\x1b":                           "[{4 b} {6 } {12 }]",
		pasteBegin + "a\r\n\tb\rc" + pasteEnd + "x": "[{2 a\n\tb\nc} {1 x}]",
		pasteBegin + "\x03\x1b[A" + pasteEnd:        "[{2 \x03\x1b[A}]",
		"\x1b[12~q\x1b[99;99Hq":                     "[{1 q} {19 } {1 q}]",
	} {
		for _, size := range []int{1, 2, 3, 1000} {
			got, _ := decode(input, size)
			if s := fmt.Sprint(got); s != want {
				t.Errorf("%q in pieces of %d: %s, want %s", input, size, s, want)
			}
		}
	}
}

func TestRepliesAreNoKeys(t *testing.T) {
	const answers = "\x1b[?62;4c\x1b_Gi=31;OK\x1b\\\x1b[6;20;10t\x1bP>|tmux 3.3a\x1b\\\x1b]11;rgb:0/0/0\a"
	events, replies := decode("a"+answers+"b", 1)
	if fmt.Sprint(events) != "[{1 ab}]" || strings.Join(replies, "") != answers || len(replies) != 5 {
		t.Errorf("events %v, replies %q", events, replies)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add("a\x1b[200~b\x1b[201~\x1b[A", 2)
	f.Add("\x1b[", 1)
	f.Add("\x1bP\x1b", 1)
	f.Fuzz(func(t *testing.T, input string, size int) {
		size = size&7 + 1
		got, _ := decode(input, size)
		for _, e := range got {
			if e.Key == Unknown {
				t.Errorf("%q gives an event of nothing", input)
			}
		}
	})
}
