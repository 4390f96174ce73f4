package kernel

import (
	"regexp"
	"strings"

	"github.com/gonterp/gonterp/interp"
)

// loading is a line of a cell that loads a model from what stands there itself,
// so that it can be run again in a worker that knows nothing else.
var loading = regexp.MustCompile(`^\s*(\w+(?:,\s*\w+)?)\s*:?=\s*gonterp\.(?:Load|Open)\((?:"[^"]*"|gonterp\.\w+\((?:"[^"]*"|[\w.]*)\)|,|\s)*\)\s*(?://.*)?$`)

// loads are the models that cells have loaded, by variable.
type loads struct {
	order []string
	lines map[string]string
}

// note remembers what a cell that ended well has loaded.
func (l *loads) note(code string) {
	for line := range strings.Lines(code) {
		m := loading.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		if l.lines == nil {
			l.lines = map[string]string{}
		}
		if _, known := l.lines[m[1]]; !known {
			l.order = append(l.order, m[1])
		}
		l.lines[m[1]] = strings.TrimSpace(line)
	}
}

// cells are the lines to run again, in the order in which the models were first
// loaded.
func (l *loads) cells() []string {
	var cells []string
	for _, name := range l.order {
		cells = append(cells, l.lines[name])
	}
	return cells
}

// again runs them in a new session. One that fails is the next cell's to tell.
func again(session interp.Sessions, cells []string) {
	for _, code := range cells {
		// A variable that was assigned to is declared here for the first time.
		if !strings.Contains(code, ":=") {
			code = strings.Replace(code, "=", ":=", 1)
		}
		session.Execute(interp.Cell{Code: code, Silent: true}, discard{})
	}
}

// discard is an output that nobody sees.
type discard struct{}

func (discard) Stream(int, string, string)               {}
func (discard) Display(int, interp.Bundle, string, bool) {}
func (discard) Clear(int, bool)                          {}
func (discard) Input(string, bool) (string, error)       { return "", errNoWorker }
