package plotting

import (
	"fmt"

	"github.com/gonterp/gonterp/docs"
)

// An Error is why a figure cannot be drawn: what was found, what was expected,
// and what to write instead.
type Error struct {
	Func  string // "Pattern"
	Found string
	Want  string
	Try   string // what to write; may be empty
}

func (e *Error) Error() string {
	s := fmt.Sprintf("plotting.%s: found %s; expected %s", e.Func, e.Found, e.Want)
	if e.Try != "" {
		s += "; write " + e.Try
	}
	return s + docs.See("figure")
}
