package cell

import (
	"go/token"
)

// A Kind says what an Item is.
type Kind int

const (
	Stmt   Kind = iota // a statement; var declarations too, which are evaluated in order
	Decl               // a function, method, type or constant declaration
	Import             // an import declaration
)

// An Item is one top-level statement or declaration of a cell.
type Item struct {
	Kind         Kind
	Start, End   int // byte offsets
	Line, Column int // of Start, from 1; columns count bytes
}

// Split returns the items of a cell in order. Brackets that are not closed make
// the last item reach to the end; an error is one of the scanner's.
func Split(src string) ([]Item, error) {
	toks, errs, file := scan(src)
	if len(errs) > 0 {
		return nil, errs
	}
	var items []Item
	depth, start := 0, 0
	flush := func(i, end int) {
		if i > start {
			p := file.Position(file.Pos(toks[start].off))
			items = append(items, Item{Kind: kind(toks[start:i]), Start: toks[start].off, End: end, Line: p.Line, Column: p.Column})
		}
		start = i + 1
	}
	for i, t := range toks {
		switch {
		case opens(t.t):
			depth++
		case closes(t.t):
			depth--
		case t.t == token.SEMICOLON && depth == 0 && !(t.lit == ";" && inHeader(toks[start:i])):
			flush(i, t.off)
		}
	}
	flush(len(toks), len(src))
	return items, nil
}

// inHeader reports whether the tokens are the beginning of a for, if or switch
// whose body has not opened yet: a semicolon there belongs to the header.
func inHeader(ts []tok) bool {
	ts = unlabelled(ts)
	if len(ts) == 0 || ts[0].t != token.FOR && ts[0].t != token.IF && ts[0].t != token.SWITCH {
		return false
	}
	depth := 0
	for i, t := range ts {
		switch {
		case opens(t.t):
			depth++
		case closes(t.t):
			depth--
			if t.t == token.RBRACE && depth == 0 && (i+1 == len(ts) || ts[i+1].t != token.ELSE) {
				return false
			}
		}
	}
	return true
}

func unlabelled(ts []tok) []tok {
	for len(ts) > 1 && ts[0].t == token.IDENT && ts[1].t == token.COLON {
		ts = ts[2:]
	}
	return ts
}

func kind(ts []tok) Kind {
	switch ts[0].t {
	case token.IMPORT:
		return Import
	case token.TYPE, token.CONST:
		return Decl
	case token.FUNC:
		if declaresFunc(ts) {
			return Decl
		}
	}
	return Stmt
}

// declaresFunc tells func name(...) and func (recv) name(...) from a function literal.
func declaresFunc(ts []tok) bool {
	if len(ts) < 2 || ts[1].t == token.IDENT {
		return len(ts) > 1
	}
	depth := 0
	for i := 1; i < len(ts); i++ {
		switch {
		case opens(ts[i].t):
			depth++
		case closes(ts[i].t):
			depth--
		}
		if depth == 0 {
			return i+2 < len(ts) && ts[i+1].t == token.IDENT && (ts[i+2].t == token.LPAREN || ts[i+2].t == token.LBRACK)
		}
	}
	return false
}
