package cell

import (
	"go/scanner"
	"go/token"
)

type tok struct {
	t   token.Token
	lit string
	off int
}

// is reports whether t is the identifier name.
func (t tok) is(name string) bool { return t.t == token.IDENT && t.lit == name }

func scan(src string) (toks []tok, errs scanner.ErrorList, file *token.File) {
	file = token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), func(p token.Position, m string) { errs.Add(p, m) }, 0)
	for {
		p, t, l := s.Scan()
		if t == token.EOF {
			return
		}
		toks = append(toks, tok{t, l, file.Offset(p)})
	}
}

func opens(t token.Token) bool {
	return t == token.LPAREN || t == token.LBRACK || t == token.LBRACE
}

func closes(t token.Token) bool {
	return t == token.RPAREN || t == token.RBRACK || t == token.RBRACE
}
