package repl

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/interp/commands"
	"github.com/gonterp/gonterp/repl/editor"
	"github.com/gonterp/gonterp/repl/terminal"
)

// Options say where a REPL reads and writes, and how. The zero value is standard
// input and output, no history, no banner, and graphics as the terminal has them.
type Options struct {
	In, Out, Err *os.File
	// History is the path of the file that keeps cells across sessions.
	History string
	// Graphics is how figures are shown: "auto", "kitty", "iterm", "sixel",
	// "blocks" or "text". "" takes $GONTERP_GRAPHICS, else auto.
	Graphics string
	// Banner is printed before the first prompt.
	Banner string
}

// Run reads cells and runs them until the input ends or a cell says to quit. The
// session must understand session commands (commands.New). In a terminal errors of
// cells are shown and the next cell is read; elsewhere the first one ends Run.
func Run(session interp.Sessions, opt Options) error {
	if opt.In == nil {
		opt.In = os.Stdin
	}
	if opt.Out == nil {
		opt.Out = os.Stdout
	}
	if opt.Err == nil {
		opt.Err = os.Stderr
	}
	if opt.Graphics == "" {
		opt.Graphics = os.Getenv("GONTERP_GRAPHICS")
	}
	if err := checkGraphics(opt.Graphics); err != nil {
		return err
	}
	if !terminal.IsTerminal(opt.In) || !terminal.IsTerminal(opt.Out) {
		return batch(session, opt)
	}
	return interactive(session, opt)
}

// An Editor is what the REPL needs of one.
type Editor interface {
	// Read lets the person edit a cell that begins as text.
	Read(prompt, text string) (string, error)
	// While lets a cell run; interrupt is called when the person wants it to stop.
	While(done <-chan struct{}, interrupt func())
	Print(text string)
	Input(prompt string, password bool) (string, error)
}

func interactive(session interp.Sessions, opt Options) error {
	term, err := terminal.Open(opt.In, opt.Out)
	if err != nil {
		return err
	}
	defer term.Close()
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		s := <-end
		term.Close()
		os.Exit(128 + int(s.(syscall.Signal)))
	}()
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, syscall.SIGINT)
	defer signal.Stop(interrupts)
	go func() {
		for range interrupts {
			session.Interrupt()
		}
	}()
	history, err := editor.OpenHistory(opt.History)
	ed := editor.New(term, editor.Options{
		Complete: session.Complete,
		Enter:    func(code string) interp.Completeness { return enter(session, code) },
		History:  history,
		Colour:   colourful(),
	})
	out := &output{editor: ed, term: term, graphics: opt.Graphics, colour: colourful()}
	if opt.Banner != "" {
		ed.Print(opt.Banner + "\n")
	}
	if err != nil {
		out.note(err)
	}
	return loop(session, ed, history, out)
}

// enter says whether Enter runs a cell. The comment of a declaration waits for the
// declaration, unless an empty line follows it.
func enter(session interp.Sessions, code string) interp.Completeness {
	if last := code[strings.LastIndexByte(code, '\n')+1:]; onlyComments(code) && strings.TrimSpace(last) != "" {
		return interp.Completeness{Status: "incomplete"}
	}
	return session.IsComplete(code)
}

// onlyComments reports whether all lines are blank or comments, not all blank.
func onlyComments(code string) bool {
	some := false
	for line := range strings.Lines(code) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "//") {
			return false
		}
		some = some || line != ""
	}
	return some
}

// colourful reports whether colours are wanted: see https://no-color.org.
func colourful() bool { return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" }

func loop(session interp.Sessions, ed Editor, history *editor.History, out *output) error {
	next := 1
	if running, ok := session.(interface{ NextCell() int }); ok { // others have run cells in it
		next = max(next, running.NextCell())
	}
	for {
		code, err := ed.Read(fmt.Sprintf("[%d]> ", next), out.takeInput())
		switch {
		case errors.Is(err, editor.ErrCleared):
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if strings.TrimSpace(code) == "" {
			continue
		}
		if err := history.Add(code); err != nil {
			out.note(err)
		}
		if commands.Quits(code) {
			return nil
		}
		done := make(chan struct{})
		var outcome interp.Outcome
		go func() {
			defer close(done)
			outcome = session.Execute(interp.Cell{Code: code}, out)
		}()
		ed.While(done, session.Interrupt)
		if outcome.Count > 0 {
			next = outcome.Count + 1
		}
		out.outcome(outcome)
	}
}
