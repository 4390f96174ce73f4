package repl_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A player plays a terminal that has graphics: it answers questions as one does.
type player struct {
	t      *testing.T
	master *os.File

	mu  sync.Mutex
	all strings.Builder
}

// play starts the REPL in a terminal of 80 by 24 characters of 10 by 20 pixels that
// gives each answer to its question.
func play(t *testing.T, answers map[string]string) *player {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("this system has no pseudo terminals:", err)
	}
	fd := int(master.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: 80, Row: 24})
	}
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	cmd := exec.Command(program)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	cmd.Env = []string{"TERM=xterm-256color", "HOME=" + t.TempDir()}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &player{t: t, master: master}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		master.Close()
	})
	go p.follow(answers)
	p.wait("[1]> ")
	return p
}

func (p *player) follow(answers map[string]string) {
	asked := map[string]bool{}
	b := make([]byte, 64<<10)
	for {
		n, err := p.master.Read(b)
		if err != nil {
			return
		}
		p.mu.Lock()
		p.all.Write(b[:n])
		sofar := p.all.String()
		p.mu.Unlock()
		for _, question := range []string{"\x1b_Gi=31", "\x1b[>q", "\x1b[16t", "\x1b[c"} {
			if !asked[question] && strings.Contains(sofar, question) {
				asked[question] = true
				p.master.WriteString(answers[question])
			}
		}
	}
}

func (p *player) wait(want string) string {
	p.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		p.mu.Lock()
		all := p.all.String()
		p.mu.Unlock()
		if strings.Contains(all, want) {
			return all
		}
		if time.Now().After(end) {
			p.t.Fatalf("%q does not come: %.2000q", want, all)
		}
	}
}

// A picture is shown by what the terminal answers that it has.
func TestGraphicsByAnswers(t *testing.T) {
	const kind, sixel, size = "\x1b[?62;22c", "\x1b[?62;4;22c", "\x1b[6;20;10t"
	for name, c := range map[string]struct {
		answers map[string]string
		begins  string
	}{
		"kitty":   {map[string]string{"\x1b_Gi=31": "\x1b_Gi=31;OK\x1b\\", "\x1b[16t": size, "\x1b[c": kind}, "\x1b_Ga=T,f=100,q=2,c=40,r=5,m=0;iVBOR"},
		"iterm":   {map[string]string{"\x1b[>q": "\x1bP>|iTerm2 3.5.0\x1b\\", "\x1b[16t": size, "\x1b[c": sixel}, "width=40;preserveAspectRatio=1:iVBOR"},
		"sixel":   {map[string]string{"\x1b[>q": "\x1bP>|foot(1.16.2)\x1b\\", "\x1b[16t": size, "\x1b[c": sixel}, "\"1;1;400;100"},
		"nothing": {map[string]string{"\x1b[c": kind}, "▀"},
		"silence": {nil, "▀"},
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t, c.answers)
			p.master.WriteString("image.NewGray(image.Rect(0, 0, 400, 100))\r")
			all := p.wait("[2]> ")
			if !strings.Contains(all, c.begins) {
				t.Errorf("no %q in %.3000q", c.begins, all)
			}
			p.master.WriteString("6 * 7\r") // and no answer was taken for a key
			p.wait("42\r\n")
		})
	}
}

// A picture that is larger than the window is made smaller.
func TestPictureFitsTheWindow(t *testing.T) {
	p := play(t, map[string]string{"\x1b_Gi=31": "\x1b_Gi=31;OK\x1b\\", "\x1b[16t": "\x1b[6;20;10t", "\x1b[c": "\x1b[?62c"})
	p.master.WriteString("image.NewGray(image.Rect(0, 0, 3000, 1000))\r")
	p.wait("c=80,r=14,")
	p.master.WriteString("image.NewGray(image.Rect(0, 0, 1000, 3000))\r")
	p.wait("c=14,r=21,")
}
