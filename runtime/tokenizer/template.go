package tokenizer

import (
	"fmt"
	"strings"
)

// literal rewrites a template so that its text stands in expressions: what the
// template says about white space is done here, as Jinja does it with
// trim_blocks and lstrip_blocks, which is how chat templates are written. The
// engine that renders them looks past neighbouring tags when it trims, and
// would take line ends that belong to the text after an expression.
func literal(source string) (string, error) {
	source = strings.ReplaceAll(strings.ReplaceAll(source, "\r\n", "\n"), "\r", "\n")
	source = strings.TrimSuffix(source, "\n")
	var out strings.Builder
	emit := func(text string) {
		if text != "" {
			out.WriteString(`{{ "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `" }}`)
		}
	}
	lineStart := true // whether the text begins a line
	rest := source
	for rest != "" {
		text, tag, after, err := nextTag(rest)
		if err != nil {
			return "", fmt.Errorf("line %d: %w", 1+strings.Count(source[:len(source)-len(rest)], "\n"), err)
		}
		if tag == nil {
			emit(text)
			break
		}
		text = tag.trimBefore(text, lineStart)
		emit(text)
		rest = after
		if tag.body == "raw" {
			inside, last, after, err := untilEndRaw(rest)
			if err != nil {
				return "", err
			}
			if tag.after == '-' {
				inside = strings.TrimLeft(inside, whiteSpace)
			}
			emit(inside)
			tag, rest = last, after
		} else if tag.kind != '#' {
			out.WriteString(tag.open() + " " + tag.body + " " + tag.close())
		}
		trimmed := tag.trimAfter(rest)
		lineStart = len(trimmed) < len(rest) && rest[len(rest)-len(trimmed)-1] == '\n'
		rest = trimmed
	}
	return out.String(), nil
}

// A tag is {{ an expression }}, {% a block %} or {# a comment #}. before and
// after are the marks that change what happens to the white space beside it.
type tag struct {
	kind          byte // '{', '%' or '#'
	body          string
	before, after byte // '-', '+' or 0
}

func (t *tag) open() string { return "{" + string(t.kind) }

func (t *tag) close() string {
	if t.kind == '{' {
		return "}}"
	}
	return string(t.kind) + "}"
}

// nextTag cuts s into the text before its first tag, the tag, and the rest.
func nextTag(s string) (text string, t *tag, rest string, err error) {
	at := 0
	for {
		next := strings.IndexByte(s[at:], '{')
		if next < 0 || at+next+1 >= len(s) {
			return s, nil, "", nil
		}
		at += next
		if c := s[at+1]; c == '{' || c == '%' || c == '#' {
			break
		}
		at++
	}
	t = &tag{kind: s[at+1]}
	end := at + 2
	for ; ; end++ {
		if end >= len(s) {
			return "", nil, "", fmt.Errorf("%s without %s", t.open(), t.close())
		}
		if c := s[end]; t.kind != '#' && (c == '\'' || c == '"') {
			for end++; end < len(s) && s[end] != c; end++ {
				if s[end] == '\\' {
					end++
				}
			}
			continue
		}
		if strings.HasPrefix(s[end:], t.close()) {
			break
		}
	}
	body := s[at+2 : end]
	if body != "" && (body[0] == '-' || body[0] == '+') {
		t.before, body = body[0], body[1:]
	}
	if n := len(body); n > 0 && (body[n-1] == '-' || body[n-1] == '+') {
		t.after, body = body[n-1], body[:n-1]
	}
	t.body = strings.TrimSpace(body)
	return s[:at], t, s[end+2:], nil
}

// trimBefore is what is left of the text before the tag.
func (t *tag) trimBefore(text string, lineStart bool) string {
	switch {
	case t.before == '-':
		return strings.TrimRight(text, whiteSpace)
	case t.before == '+' || t.kind == '{':
		return text
	}
	line := strings.LastIndexByte(text, '\n') + 1
	if (line > 0 || lineStart) && strings.Trim(text[line:], whiteSpace) == "" {
		return text[:line]
	}
	return text
}

// trimAfter is what is left of the text after the tag.
func (t *tag) trimAfter(text string) string {
	switch {
	case t.after == '-':
		return strings.TrimLeft(text, whiteSpace)
	case t.after == '+' || t.kind == '{':
		return text
	}
	return strings.TrimPrefix(text, "\n")
}

const whiteSpace = " \t\n\v\f\r"

// untilEndRaw cuts s into the text before {% endraw %}, that tag, and the rest.
func untilEndRaw(s string) (text string, last *tag, rest string, err error) {
	for at := 0; ; {
		next := strings.Index(s[at:], "{%")
		if next < 0 {
			return "", nil, "", fmt.Errorf("{%% raw %%} without {%% endraw %%}")
		}
		at += next
		if _, t, rest, err := nextTag(s[at:]); err == nil && t != nil && t.body == "endraw" {
			return t.trimBefore(s[:at], false), t, rest, nil
		}
		at += 2
	}
}
