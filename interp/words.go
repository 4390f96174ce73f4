package interp

import (
	"strings"
	"unicode"
)

// words are what may stand in the string literal that the cursor is in, as far
// as Options.Words knows.
func (s *Session) words(head string) []CompletionItem {
	if s.opt.Words == nil {
		return nil
	}
	line := head[strings.LastIndexByte(head, '\n')+1:]
	quote := strings.LastIndexAny(line, "\"`")
	if quote < 0 {
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

// wordBefore is the part of a string literal that a word replaces: what follows its quote.
func wordBefore(head string) string {
	return head[strings.LastIndexAny(head, "\"`")+1:]
}
