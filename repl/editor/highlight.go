package editor

import (
	"go/scanner"
	"go/token"
	"strings"
)

// The styles of Go code. They are of the terminal's own sixteen colours, so that
// they are readable on its background.
const (
	keywordStyle = "\x1b[35m"
	stringStyle  = "\x1b[32m"
	numberStyle  = "\x1b[36m"
	commentStyle = "\x1b[90m"
	commandStyle = "\x1b[34m"
)

// highlight finds the style of each part of a cell, by byte offset.
func highlight(text string) map[int]string {
	styles := map[int]string{}
	if t := strings.TrimLeft(text, " \t\n"); strings.HasPrefix(t, "%") || strings.HasPrefix(t, "?") {
		styles[len(text)-len(t)] = commandStyle
		return styles
	}
	var sc scanner.Scanner
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(text))
	sc.Init(file, []byte(text), func(token.Position, string) {}, scanner.ScanComments)
	first := true
	for {
		pos, tok, lit := sc.Scan()
		if tok == token.EOF {
			return styles
		}
		style := ""
		switch {
		case tok.IsKeyword(), first && tok == token.IDENT && lit == "with":
			style = keywordStyle
		case tok == token.STRING, tok == token.CHAR:
			style = stringStyle
		case tok == token.INT, tok == token.FLOAT, tok == token.IMAG:
			style = numberStyle
		case tok == token.COMMENT:
			style = commentStyle
		}
		first = tok == token.SEMICOLON || tok == token.LBRACE || tok == token.COMMENT && first
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		styles[file.Offset(pos)] = style
	}
}
