package main

import (
	"os"
	"strings"
)

// A testCell is a cell and what it must give; nil means that nothing is said.
type testCell struct {
	src             string
	value, out, err *string
	noErr           bool
}

type testCase struct {
	name, category string
	cells          []testCell
}

func parse(path string) ([]*testCase, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []*testCase
	var c *testCase
	for _, line := range strings.Split(string(b), "\n") {
		if head, ok := strings.CutPrefix(line, "### "); ok {
			f := strings.SplitN(head+"|", "|", 3)
			c = &testCase{name: strings.TrimSpace(f[0]), category: strings.TrimSpace(f[1]), cells: []testCell{{}}}
			all = append(all, c)
			continue
		}
		if c == nil {
			continue
		}
		last := &c.cells[len(c.cells)-1]
		want, isWant := strings.CutPrefix(line, "//= ")
		switch {
		case line == "%%":
			c.cells = append(c.cells, testCell{})
		case isWant:
			last.expect(want)
		default:
			last.src += line + "\n"
		}
	}
	return all, nil
}

func (c *testCell) expect(s string) {
	key, text, _ := strings.Cut(s, ": ")
	text = strings.ReplaceAll(text, `\n`, "\n")
	switch strings.TrimSuffix(key, ":") {
	case "v":
		c.value = &text
	case "out":
		c.out = &text
	case "err":
		c.err = &text
	case "noerr":
		c.noErr = true
	}
}
