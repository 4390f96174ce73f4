// Package repl_test drives the REPL in a real terminal: tmux sends keys and
// captures the screen.
package repl_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the captured screens to testdata")

// program is the REPL that is driven, built once.
var program string

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "gonterp-repl-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	program = filepath.Join(dir, "gonterp")
	if out, err := exec.Command("go", "build", "-o", program, "./terminal").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the REPL: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// A pane is a terminal of tmux with a program in it.
type pane struct {
	t      *testing.T
	server string
}

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// open starts the REPL in a terminal of 80 by 24.
func open(t *testing.T, args ...string) *pane { return openAt(t, "[1]>", args...) }

// openAt waits for another first prompt.
func openAt(t *testing.T, prompt string, args ...string) *pane {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("tmux is not installed: apt-get install tmux")
	}
	p := &pane{t, fmt.Sprintf("gonterp-%d-%s", os.Getpid(), strings.ReplaceAll(t.Name(), "/", "-"))}
	command := program
	for _, a := range args {
		command += " '" + a + "'"
	}
	// What follows the program shows that it ended, and how.
	p.tmux("-u", "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", command+"; echo ended $?; sleep 1000")
	t.Cleanup(func() { exec.Command("tmux", "-L", p.server, "kill-server").Run() })
	p.wait(prompt)
	return p
}

func (p *pane) tmux(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-L", p.server}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.utf8", "TERM=xterm-256color", "GONTERP_GRAPHICS=", "NO_COLOR=", "COLORTERM=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// keys presses keys by tmux's names for them: Enter, C-c, Tab, M-b, Up.
func (p *pane) keys(names ...string) {
	p.t.Helper()
	p.tmux(append([]string{"send-keys"}, names...)...)
}

// typed types a text, one key after the other.
func (p *pane) typed(text string) {
	p.t.Helper()
	p.tmux("send-keys", "-l", text)
}

// run types a cell, runs it and waits for the prompt of the next one.
func (p *pane) run(text, next string) {
	p.t.Helper()
	p.typed(text)
	p.keys("Enter")
	p.wait(next)
}

// paste pastes a text as a terminal does, in brackets.
func (p *pane) paste(text string) {
	p.t.Helper()
	file := filepath.Join(p.t.TempDir(), "paste")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.tmux("load-buffer", file)
	p.tmux("paste-buffer", "-p", "-r")
}

// screen is what the terminal shows.
func (p *pane) screen(args ...string) string {
	p.t.Helper()
	out := p.tmux(append([]string{"capture-pane", "-p"}, args...)...)
	lines := strings.Split(out, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}

// wait waits until the screen shows all of want and has come to rest, and returns it.
func (p *pane) wait(want ...string) string {
	p.t.Helper()
	last := ""
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(60 * time.Millisecond) {
		now := p.screen()
		missing := ""
		for _, w := range want {
			if !strings.Contains(now, w) {
				missing = w
			}
		}
		if missing == "" && now == last {
			return now
		}
		last = now
	}
	p.t.Fatalf("the screen does not come to show %q:\n%s", want, last)
	return ""
}

// golden compares a screen with the one kept.
func (p *pane) golden(name, screen string) {
	p.t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(screen), 0o644); err != nil {
			p.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	if screen != string(want) {
		p.t.Errorf("the screen is not %s (-update writes it anew):\n%s\nwant\n%s", file, screen, want)
	}
}
