package output_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/kernel/output"
)

// What has not been passed on is in the journal, as whoever else has mapped it sees.
func TestJournal(t *testing.T) {
	f, err := output.NewJournalFile()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ours, err := output.OpenJournal(f)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := output.OpenJournal(f)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	var c collector
	s := output.NewStream(c.emit, ours)
	s.Untimed()
	rest := func() string {
		var b strings.Builder
		after := uint64(0)
		if n := len(c.pieces); n > 0 {
			after = c.pieces[n-1].Number
		}
		for _, p := range theirs.Rest(after) {
			fmt.Fprintf(&b, "%d/%d%s:%q ", p.Run, p.Cell, p.Name[3:], p.Text)
		}
		return strings.TrimSpace(b.String())
	}
	s.Write(1, 2, "stdout", "a")
	s.Write(1, 2, "stdout", "b")
	s.Write(1, 2, "stderr", "c")
	s.Write(3, 0, "stdout", "é"[:1])
	if got, want := rest(), `1/2out:"ab" 1/2err:"c" 3/0out:"\xc3"`; got != want {
		t.Errorf("before a flush %s, want %s", got, want)
	}
	s.Tick() // holds the half character back
	s.Untimed()
	if got, want := rest(), `3/0out:"\xc3"`; got != want {
		t.Errorf("after it %s, want %s", got, want)
	}
	s.Write(3, 0, "stdout", "é"[1:])
	s.Flush()
	if got := rest(); got != "" {
		t.Errorf("at the end %s", got)
	}
	// Between the sending of a piece and the end of the flush it is in both places.
	s.Write(4, 0, "stdout", "twice")
	if n := len(theirs.Rest(0)); n != 1 {
		t.Fatalf("%d pieces", n)
	}
	if n := len(theirs.Rest(theirs.Rest(0)[0].Number)); n != 0 {
		t.Errorf("%d pieces after the last", n)
	}
	// More than fits, and single texts of any size.
	c.pieces = nil
	var want strings.Builder
	for i, n := range []int{100, 1 << 20, 5 << 20, 3, 700 << 10} {
		text := strings.Repeat(string(rune('a'+i))+"é", n/3)
		want.WriteString(text)
		s.Write(5, 0, "stdout", text)
	}
	s.Flush()
	var got strings.Builder
	for _, p := range c.pieces {
		got.WriteString(p.Text)
	}
	if !strings.HasSuffix(got.String(), want.String()) {
		t.Errorf("%d bytes came, want %d", got.Len(), want.Len())
	}
}
