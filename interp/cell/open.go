package cell

import (
	"go/token"
	"strings"
)

// Open tells what closes the brackets that are open at the end of a text, in
// the order of opening, and whether the end is in the header of a statement
// whose block is still to come. inCode is false in a string or comment.
func Open(head string) (closers []byte, header, inCode bool) {
	const mark = "z__z" // read as code only where code may stand
	toks, _, _ := scan(head + mark)
	if n := len(toks); n > 0 && toks[n-1].t == token.SEMICOLON { // at the end of the text
		toks = toks[:n-1]
	}
	found := false
	from := []int{0} // where the current statement begins, for each open bracket
	for i, t := range toks {
		switch {
		case t.is(mark) || t.t == token.IDENT && strings.HasSuffix(t.lit, mark):
			found = true
		case opens(t.t):
			closers = append(closers, map[token.Token]byte{token.LPAREN: ')', token.LBRACK: ']', token.LBRACE: '}'}[t.t])
			from = append(from, i+1)
		case closes(t.t):
			if len(closers) > 0 {
				closers, from = closers[:len(closers)-1], from[:len(from)-1]
			}
			if t.t == token.RBRACE && (i+1 == len(toks) || toks[i+1].t != token.ELSE) && endsStatement(toks, from[len(from)-1], i) {
				from[len(from)-1] = i + 1
			}
		case t.t == token.SEMICOLON && (t.lit == "\n" || !inHeader(toks[from[len(from)-1]:i])):
			from[len(from)-1] = i + 1
		}
	}
	start := unlabelled(toks[min(from[len(from)-1], len(toks)):])
	if len(start) > 0 {
		switch start[0].t {
		case token.FOR, token.IF, token.SWITCH, token.SELECT:
			header = true
		}
		header = header || start[0].is("with") && len(start) > 1
	}
	return closers, header, found
}

// endsStatement reports whether the brace at i closes the block of the statement that begins at from.
func endsStatement(toks []tok, from, i int) bool {
	s := unlabelled(toks[from:i])
	if len(s) == 0 {
		return false
	}
	switch s[0].t {
	case token.FOR, token.IF, token.SWITCH, token.SELECT, token.FUNC:
		return true
	}
	return s[0].is("with")
}
