package cell

import (
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
)

// Complete says whether a cell is "complete", "incomplete" (more lines can make
// it right) or "invalid", and how to indent the next line of an incomplete one.
func Complete(src string) (status, indent string) {
	toks, errs, _ := scan(src)
	if len(errs) > 0 {
		if m := errs[0].Msg; strings.Contains(m, "raw string literal not terminated") || strings.Contains(m, "comment not terminated") {
			return "incomplete", ""
		}
		return "invalid", ""
	}
	open, ok := brackets(toks)
	if !ok {
		return "invalid", ""
	}
	indent = strings.Repeat("\t", len(open))
	unfinished := len(open) > 0
	if n := len(toks); n > 0 && toks[n-1].t != token.SEMICOLON && !unfinished { // ends in an operator, comma, dot or keyword
		unfinished, indent = true, "\t"
	}
	plain, _, e := replaceWith("", src)
	if e != nil {
		if e.AtEnd && unfinished {
			return "incomplete", indent
		}
		return "invalid", ""
	}
	if !parses(plain, unfinished) {
		return "invalid", ""
	}
	if unfinished {
		return "incomplete", indent
	}
	return "complete", ""
}

// brackets returns the brackets that are still open; ok is false where one is closed wrongly.
func brackets(toks []tok) (open []token.Token, ok bool) {
	partner := map[token.Token]token.Token{token.RPAREN: token.LPAREN, token.RBRACK: token.LBRACK, token.RBRACE: token.LBRACE}
	for _, t := range toks {
		switch {
		case opens(t.t):
			open = append(open, t.t)
		case closes(t.t):
			if len(open) == 0 || open[len(open)-1] != partner[t.t] {
				return nil, false
			}
			open = open[:len(open)-1]
		}
	}
	return open, true
}

// parses reports whether each item of a cell is right, the last one of an
// unfinished cell as far as it goes.
func parses(src string, unfinished bool) bool {
	items, err := Split(src)
	if err != nil {
		return false
	}
	for i, it := range items {
		text := src[it.Start:it.End]
		before, after := "package p;", ""
		if it.Kind == Stmt {
			before, after = "package p;func _(){", "\n}"
		}
		last := unfinished && i == len(items)-1
		if last {
			after = ""
		}
		_, err := parser.ParseFile(token.NewFileSet(), "", before+text+after, parser.SkipObjectResolution)
		if err == nil {
			continue
		}
		list, _ := err.(scanner.ErrorList)
		if !last || len(list) == 0 || list[0].Pos.Offset < len(before)+len(strings.TrimRight(text, " \t\r\n")) {
			return false
		}
	}
	return true
}
