package interp

import "github.com/gonterp/gonterp/interp/cell"

// IsComplete says whether a cell can run as it stands. It is safe to call while a cell runs.
func (s *Session) IsComplete(code string) Completeness {
	status, indent := cell.Complete(code)
	return Completeness{Status: status, Indent: indent}
}

func (s *Session) Complete(code string, cursor int) Completion { return Completion{} }

func (s *Session) Inspect(code string, cursor, detail int) (Bundle, bool) { return Bundle{}, false }
