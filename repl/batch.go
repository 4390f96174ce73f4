package repl

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/interp/commands"
	"github.com/gonterp/gonterp/interp/notebook"
)

// batch runs a text as cells: each ends where Enter would run it in a terminal, or
// at a line that separates cells. Of a text that comes slowly each cell runs as
// soon as it is there.
func batch(session interp.Sessions, opt Options) error {
	b := &batchRun{session: session, out: plainOutput{opt}}
	r := bufio.NewReader(opt.In)
	for {
		line, err := r.ReadString('\n')
		if line != "" {
			if stop, err := b.line(strings.TrimRight(line, "\r\n")); stop || err != nil {
				return err
			}
		}
		if err == io.EOF {
			_, err = b.end()
			return err
		}
		if err != nil {
			return fmt.Errorf("reading cells: %w", err)
		}
	}
}

type batchRun struct {
	session interp.Sessions
	out     plainOutput
	lines   []string
	first   int // line of the input, from 1, that the cell begins at
	read    int // lines
	cell    int
}

// line takes a line; stop is true where the text says to quit.
func (b *batchRun) line(line string) (stop bool, err error) {
	b.read++
	if strings.HasPrefix(strings.TrimSpace(line), notebook.Separator) {
		return b.end()
	}
	if len(b.lines) == 0 {
		if strings.TrimSpace(line) == "" {
			return false, nil
		}
		b.first = b.read
	}
	b.lines = append(b.lines, line)
	if enter(b.session, strings.Join(b.lines, "\n")).Status == "incomplete" {
		return false, nil
	}
	return b.end()
}

// end runs the lines there are.
func (b *batchRun) end() (stop bool, err error) {
	code := strings.Join(b.lines, "\n")
	b.lines = nil
	if strings.TrimSpace(code) == "" {
		return false, nil
	}
	if commands.Quits(code) {
		return true, nil
	}
	b.cell++
	outcome := b.session.Execute(interp.Cell{Code: code}, b.out)
	if outcome.Value != nil {
		b.out.show(*outcome.Value)
	}
	e := outcome.Err
	if e == nil {
		return false, nil
	}
	fmt.Fprintln(b.out.opt.Err, strings.Join(errorLines(e), "\n"))
	where := fmt.Sprintf("cell %d", b.cell)
	if e.Line > 0 {
		where += fmt.Sprintf(", line %d (line %d of the input)", e.Line, b.first+e.Line-1)
	}
	return true, fmt.Errorf("%s: %s", where, firstLine(e.Error()))
}

// plainOutput writes without escapes.
type plainOutput struct{ opt Options }

func (o plainOutput) Stream(_ int, name, text string) {
	to := o.opt.Out
	if name == "stderr" {
		to = o.opt.Err
	}
	io.WriteString(to, text)
}

func (o plainOutput) Display(_ int, b interp.Bundle, _ string, _ bool) { o.show(b) }

func (o plainOutput) Clear(int, bool) {}

func (o plainOutput) Input(string, bool) (string, error) {
	return "", fmt.Errorf("nobody can be asked for input: %s is read as cells", os.Stdin.Name())
}

func (o plainOutput) show(b interp.Bundle) {
	if own, ok := b.Data[TerminalForm].(func(columns int, colour bool) string); ok && o.opt.Graphics == blocks {
		io.WriteString(o.opt.Out, own(80, false))
		return
	}
	if text, ok := textOf(b.Data["text/plain"]); ok {
		fmt.Fprintln(o.opt.Out, strings.TrimRight(text, "\n"))
	}
}
