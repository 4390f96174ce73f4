package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/interp/notebook"
)

// run runs files of cells, each in a session of its own.
func run(args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return fmt.Errorf("run wants a file of cells: gonterp run notebook.go")
	}
	for _, path := range args {
		if err := runFile(path); err != nil {
			return err
		}
	}
	return nil
}

func runFile(path string) error {
	cells, err := notebook.Read(path)
	if err != nil {
		return err
	}
	session, err := newSession()
	if err != nil {
		return err
	}
	defer session.Close()
	p := &printer{base: strings.TrimSuffix(path, filepath.Ext(path))}
	for i, c := range cells {
		p.cell, p.pictures = i+1, 0
		outcome := session.Execute(interp.Cell{Code: c.Code}, p)
		if outcome.Value != nil {
			p.show(*outcome.Value)
		}
		if e := outcome.Err; e != nil {
			fmt.Fprintln(os.Stderr, strings.Join(e.Traceback, "\n"))
			where := fmt.Sprintf("cell %d", i+1)
			if e.Line > 0 {
				where += fmt.Sprintf(", line %d", e.Line)
				if c.Line > 0 {
					where += fmt.Sprintf(" (%s:%d)", path, c.Line+e.Line-1)
				}
			}
			return fmt.Errorf("%s: %s", where, e)
		}
	}
	return nil
}

// printer writes what cells show to the terminal, and pictures to files beside
// the notebook.
type printer struct {
	base           string
	cell, pictures int
}

func (p *printer) Stream(_ int, name, text string) {
	if name == "stderr" {
		fmt.Fprint(os.Stderr, text)
	} else {
		fmt.Print(text)
	}
}

func (p *printer) Display(_ int, b interp.Bundle, _ string, _ bool) { p.show(b) }

func (p *printer) Clear(int, bool) {}

func (p *printer) Input(prompt string, _ bool) (string, error) {
	return "", fmt.Errorf("gonterp run asks nobody for input (prompt %q)", prompt)
}

// pictures are the forms that are written to files.
var pictures = []struct{ mime, ext string }{{"image/png", ".png"}, {"image/svg+xml", ".svg"}}

func (p *printer) show(b interp.Bundle) {
	if text, ok := b.Data["text/plain"].(string); ok {
		fmt.Println(text)
	}
	drawn := false
	for _, kind := range pictures {
		data, ok := b.Data[kind.mime]
		if !ok {
			continue
		}
		if !drawn {
			p.pictures++
			drawn = true
		}
		name := fmt.Sprintf("%s-%d-%d%s", p.base, p.cell, p.pictures, kind.ext)
		bytes, isBytes := data.([]byte)
		if text, isText := data.(string); isText {
			bytes, isBytes = []byte(text), true
		}
		if !isBytes {
			continue
		}
		if err := os.WriteFile(name, bytes, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		fmt.Println("  → " + name)
	}
}
