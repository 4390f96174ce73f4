package commands

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/interp/notebook"
)

func (c command) usage() string { return strings.TrimSpace("%" + c.name + " " + c.args) }

func help(c *call) error {
	if c.args != "" {
		cmd, err := find(strings.TrimLeft(c.args, "%"))
		if err == nil {
			c.print(cmd.usage() + "  " + cmd.doc + "\n")
		}
		return err
	}
	var b strings.Builder
	for _, cmd := range list() {
		fmt.Fprintf(&b, "%-18s %s\n", cmd.usage(), cmd.doc)
	}
	fmt.Fprintf(&b, "%-18s %s\n", "?NAME  NAME?", "what a name is; ?? with its source")
	c.print(b.String())
	return nil
}

func history(c *call) error {
	n := -1
	if c.args != "" {
		var err error
		if n, err = strconv.Atoi(c.args); err != nil || n < 1 {
			return fmt.Errorf("%%history wants a number of cells, not %q", c.args)
		}
	}
	c.session.mu.Lock()
	entries := c.session.entries
	c.session.mu.Unlock()
	if n > 0 {
		entries = entries[max(0, len(entries)-n):]
	}
	var b strings.Builder
	for _, e := range entries {
		mark := ""
		if !e.well {
			mark = "  (failed)"
		}
		fmt.Fprintf(&b, "// %d%s\n%s\n", e.number, mark, strings.TrimRight(e.code, "\n"))
	}
	c.print(b.String())
	return nil
}

func save(c *call) error {
	path, replace := c.args, false
	if rest, ok := strings.CutPrefix(path, "-f "); ok {
		path, replace = strings.TrimSpace(rest), true
	}
	if path == "" {
		return errors.New("%save wants a file to write: %save session.go, or %save session.ipynb")
	}
	path, err := expand(path)
	if err != nil {
		return err
	}
	c.session.mu.Lock()
	again := path == c.session.saved
	c.session.mu.Unlock()
	if _, err := os.Stat(path); err == nil && !replace && !again {
		return fmt.Errorf("%s is there already; %%save -f %s replaces it", path, path)
	}
	c.session.mu.Lock()
	var cells []notebook.Cell
	for _, e := range c.session.entries {
		if e.well {
			cells = append(cells, notebook.Cell{Code: e.code})
		}
	}
	c.session.mu.Unlock()
	if len(cells) == 0 {
		return errors.New("no cell has ended well yet: there is nothing to save")
	}
	if err := notebook.Write(path, cells); err != nil {
		return err
	}
	c.session.mu.Lock()
	c.session.saved = path
	c.session.mu.Unlock()
	c.print(fmt.Sprintf("%d cells written to %s\n", len(cells), path))
	return nil
}

func read(name, path string) (string, []notebook.Cell, error) {
	if path == "" {
		return "", nil, fmt.Errorf("%%%s wants a file of cells: %%%s session.go", name, name)
	}
	path, err := expand(path)
	if err != nil {
		return "", nil, err
	}
	cells, err := notebook.Read(path)
	if err == nil && len(cells) == 0 {
		err = fmt.Errorf("%s has no cells", path)
	}
	return path, cells, err
}

func load(c *call) error {
	path, number := c.args, ""
	if i := strings.LastIndexAny(path, " \t"); i >= 0 {
		if _, err := strconv.Atoi(path[i+1:]); err == nil {
			path, number = strings.TrimSpace(path[:i]), path[i+1:]
		}
	}
	path, cells, err := read("load", path)
	if err != nil {
		return err
	}
	var code []string
	for _, cell := range cells {
		code = append(code, strings.Trim(cell.Code, "\n"))
	}
	if number != "" {
		n, _ := strconv.Atoi(number)
		if n < 1 || n > len(cells) {
			return fmt.Errorf("%s has cells 1 to %d, not %d", path, len(cells), n)
		}
		code = code[n-1 : n]
	}
	text := strings.Join(code, "\n\n")
	c.outcome.Value = &interp.Bundle{Data: map[string]any{"text/plain": text, InputForm: text}}
	return nil
}

func run(c *call) error {
	path, cells, err := read("run", c.args)
	if err != nil {
		return err
	}
	for i, cell := range cells {
		outcome := c.session.execute(c.with(cell.Code), c.out)
		c.outcome.Count = outcome.Count
		if outcome.Value != nil {
			c.out.Display(outcome.Count, *outcome.Value, "", false)
		}
		if e := outcome.Err; e != nil {
			where := fmt.Sprintf("%s, cell %d", path, i+1)
			if e.Line > 0 && cell.Line > 0 {
				where = fmt.Sprintf("%s:%d", path, cell.Line+e.Line-1)
			}
			located := *e
			located.Traceback = append(append([]string(nil), e.Traceback...), where)
			return &located
		}
		if c.session.wasInterrupted(c.cell.Shell) {
			text := fmt.Sprintf("interrupted after cell %d of %d of %s", i+1, len(cells), path)
			return &interp.CellError{Name: "interrupted", Value: text, Cell: outcome.Count, Traceback: []string{text}}
		}
	}
	return nil
}

func timed(c *call) error {
	if c.args == "" {
		return errors.New("%time wants code: %time model.Forward(\"Hello\")")
	}
	cpu, start := processorTime(), time.Now()
	outcome := c.session.execute(c.with(c.args), c.out)
	wall, cpu := time.Since(start), processorTime()-cpu
	c.outcome.Count = outcome.Count
	if outcome.Value != nil {
		c.out.Display(outcome.Count, *outcome.Value, "", false)
	}
	c.print(fmt.Sprintf("took %s, %s of processors\n", short(wall), short(cpu)))
	if outcome.Err != nil {
		return outcome.Err
	}
	return nil
}

// short gives a duration three digits.
func short(d time.Duration) string {
	unit := time.Nanosecond
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit).String()
}

// processorTime is what the process has used of all processors.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func quit(*call) error {
	return errors.New("%quit leaves the terminal; a notebook's kernel is shut down from its menu")
}
