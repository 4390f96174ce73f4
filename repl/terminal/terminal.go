package terminal

import (
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A Terminal is a terminal in raw mode.
type Terminal struct {
	in, out *os.File
	saved   *unix.Termios
	events  chan Event
	replies chan string
	signals chan os.Signal
	once    sync.Once
}

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// Open puts the terminal into raw mode. Close puts it back.
func Open(in, out *os.File) (*Terminal, error) {
	saved, err := unix.IoctlGetTermios(int(in.Fd()), unix.TCGETS)
	if err != nil {
		return nil, fmt.Errorf("%s is no terminal: %w", in.Name(), err)
	}
	t := &Terminal{
		in: in, out: out, saved: saved,
		events: make(chan Event, 256), replies: make(chan string, 16), signals: make(chan os.Signal, 1),
	}
	if err := t.raw(); err != nil {
		return nil, err
	}
	signal.Notify(t.signals, syscall.SIGWINCH, syscall.SIGCONT)
	go t.read()
	go func() {
		for s := range t.signals {
			if s == syscall.SIGCONT { // the shell has had the terminal
				t.raw()
			}
			t.events <- Event{Key: Resize}
		}
	}()
	return t, nil
}

func (t *Terminal) raw() error {
	m := *t.saved
	m.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	m.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	m.Cflag &^= unix.CSIZE | unix.PARENB
	m.Cflag |= unix.CS8
	m.Oflag |= unix.OPOST | unix.ONLCR
	m.Cc[unix.VMIN], m.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(int(t.in.Fd()), unix.TCSETS, &m); err != nil {
		return fmt.Errorf("setting the terminal's mode: %w", err)
	}
	t.out.WriteString("\x1b[?2004h")
	return nil
}

func (t *Terminal) cooked() {
	t.out.WriteString("\x1b[?2004l\x1b[?25h")
	unix.IoctlSetTermios(int(t.in.Fd()), unix.TCSETS, t.saved)
}

// Close puts the terminal's mode back.
func (t *Terminal) Close() {
	t.once.Do(func() {
		signal.Stop(t.signals)
		close(t.signals)
		t.cooked()
	})
}

// Suspend hands the terminal to the shell until the process is continued. Where no
// shell takes it, nothing happens.
func (t *Terminal) Suspend() error {
	t.cooked()
	syscall.Kill(0, syscall.SIGTSTP)
	time.Sleep(stopTime)
	return t.raw()
}

// stopTime is how long the system may take to stop the process.
const stopTime = 50 * time.Millisecond

// Events are what comes from the terminal; the last one is Closed.
func (t *Terminal) Events() <-chan Event { return t.events }

// escapeTime is how long the rest of a sequence may take after an escape
// character, which alone is the key of that name.
const escapeTime = 40 * time.Millisecond

func (t *Terminal) read() {
	chunks := make(chan []byte)
	go func() {
		defer close(chunks)
		for {
			b := make([]byte, 16<<10)
			n, err := t.in.Read(b)
			if n > 0 {
				chunks <- b[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	d := decoder{reply: func(s string) {
		select {
		case t.replies <- s:
		default: // nobody asked
		}
	}}
	for {
		var late <-chan time.Time
		if d.waiting() {
			late = time.After(escapeTime)
		}
		var events []Event
		select {
		case b, ok := <-chunks:
			if !ok {
				t.events <- Event{Key: Closed}
				return
			}
			events = d.feed(b)
		case <-late:
			events = d.flush()
		}
		for _, e := range events {
			t.events <- e
		}
	}
}

// Ask writes a question and collects the answers until last accepts one or the
// time is over.
func (t *Terminal) Ask(question string, within time.Duration, last func(reply string) bool) []string {
	for len(t.replies) > 0 {
		<-t.replies
	}
	t.out.WriteString(question)
	over := time.After(within)
	var replies []string
	for {
		select {
		case r := <-t.replies:
			replies = append(replies, r)
			if last(r) {
				return replies
			}
		case <-over:
			return replies
		}
	}
}

// Size is the terminal's size in character cells, and in pixels where it tells.
type Size struct {
	Columns, Rows int
	Width, Height int
}

// Size asks the system; a terminal that does not tell counts as 80 by 24.
func (t *Terminal) Size() Size {
	s := Size{Columns: 80, Rows: 24}
	w, err := unix.IoctlGetWinsize(int(t.out.Fd()), unix.TIOCGWINSZ)
	if err == nil && w.Col > 0 && w.Row > 0 {
		s = Size{int(w.Col), int(w.Row), int(w.Xpixel), int(w.Ypixel)}
	}
	return s
}

// Write writes to the terminal.
func (t *Terminal) Write(b []byte) (int, error) { return t.out.Write(b) }
