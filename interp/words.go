package interp

import (
	"strings"
	"unicode"
)

// words are what may stand in the string literal that the cursor is in: import
// paths after import, else what Options.Words knows.
func (s *Session) words(head string) []CompletionItem {
	line := head[strings.LastIndexByte(head, '\n')+1:]
	quote := strings.LastIndexAny(line, "\"`")
	if quote < 0 {
		return nil
	}
	if strings.HasPrefix(strings.TrimSpace(line), "import") || inImports(head) {
		var out []CompletionItem
		for _, p := range s.importable {
			out = append(out, CompletionItem{Text: p, Kind: "package"})
		}
		return out
	}
	if s.opt.Words == nil {
		return nil
	}
	call := strings.TrimRightFunc(line[:quote], unicode.IsSpace)
	name, isCall := strings.CutSuffix(call, "(")
	if !isCall {
		return nil
	}
	name = name[strings.LastIndexFunc(name, func(r rune) bool { return !isLetter(r) })+1:]
	var out []CompletionItem
	for _, w := range s.opt.Words(name, line[quote+1:]) {
		out = append(out, CompletionItem{Text: w, Kind: "value"})
	}
	return out
}

// inImports reports whether a text ends in an import block.
func inImports(head string) bool {
	i := strings.LastIndex(head, "import (")
	return i >= 0 && !strings.Contains(head[i:], ")")
}

// wordBefore is the part of a string literal that a word replaces: what follows its quote.
func wordBefore(head string) string {
	return head[strings.LastIndexAny(head, "\"`")+1:]
}
