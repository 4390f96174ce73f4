package cell

import (
	"fmt"
	"go/token"
	"strings"
)

// A with block
//
//	with [name :=] E { body }
//
// stands for plain Go that keeps the body in the scope around it, so that what
// the body declares is still there afterwards:
//
//	pass := (E); [name :=] pass.Enter(); body; pass.Exit(true)
//
// with is special only at the start of a statement and before the start of an
// expression or name, where it is never valid Go. Leaving the block by break,
// continue or goto ends the pass first; return evaluates its operands first, as
// they may read values of the pass. A cell that fails does not reach Exit: the
// session's hook aborts what is open.

// An Error is a fault of the text of a with block.
type Error struct {
	Line, Column int
	Text         string
	AtEnd        bool // the text ends too early
}

func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Text) }

// PassPrefix starts the names of the variables that with blocks bring with them.
const PassPrefix = "pass__"

// ReplaceWith rewrites the with blocks of a cell to plain Go on the same lines.
// Line directives name the file and keep every column as it was typed.
func ReplaceWith(file, src string) (string, error) {
	if !strings.Contains(src, "with") {
		return src, nil
	}
	r := &rewriter{name: file, src: src}
	r.toks, _, r.file = scan(src)
	if err := r.run(); err != nil {
		return "", err
	}
	return r.apply(), nil
}

type rewriter struct {
	name, src string
	toks      []tok
	file      *token.File
	edits     []edit
	open      []frame
	passes    int
}

type edit struct {
	at, del int
	text    string
}

// A frame is an open brace.
type frame struct {
	pass     string // the variable of the with block that this brace opened
	value    int    // where the block's value stands
	ok       string // the variable that says that a return has been reached, if one has
	deferAt  int    // where that variable is declared
	function bool
	loop     bool   // for, switch or select: break ends here
	label    string // of the statement that the brace belongs to
	isFor    bool
	last     int // index of the first token of its last statement so far
}

func (r *rewriter) run() *Error {
	var next frame // what the next opening brace belongs to
	parens := 0
	headers := map[int]frame{} // by index of the brace
	for i := 0; i < len(r.toks); i++ {
		t := r.toks[i]
		switch {
		case t.is("with") && r.startsStatement(i) && i+1 < len(r.toks) && startsWith(r.toks[i+1:]):
			brace, err := r.header(i)
			if err != nil {
				return err
			}
			headers[brace] = r.enter(i, brace)
			i = brace - 1
		case t.t == token.FUNC:
			next = frame{function: true}
		case t.t == token.SEMICOLON:
			if next.function { // it was a type, without a body
				next = frame{}
			}
			if n := len(r.open); n > 0 && i+1 < len(r.toks) && r.toks[i+1].t != token.RBRACE {
				r.open[n-1].last = i + 1
			}
		case t.t == token.FOR || t.t == token.SWITCH || t.t == token.SELECT:
			next = frame{loop: true, isFor: t.t == token.FOR, label: r.labelBefore(i)}
		case t.t == token.LPAREN || t.t == token.LBRACK:
			parens++
		case t.t == token.RPAREN || t.t == token.RBRACK:
			parens--
		case t.t == token.LBRACE:
			f, with := headers[i]
			if !with {
				f, next = next, frame{}
			}
			f.last = i + 1
			r.open = append(r.open, f)
		case t.t == token.RBRACE:
			r.close(t)
		case t.t == token.RETURN || t.t == token.BREAK || t.t == token.CONTINUE || t.t == token.GOTO:
			r.leave(i)
		}
	}
	return nil
}

func (r *rewriter) startsStatement(i int) bool {
	if i == 0 {
		return true
	}
	switch r.toks[i-1].t {
	case token.SEMICOLON, token.LBRACE, token.RBRACE, token.COLON:
		return true
	}
	return false
}

// startsWith tells "with x" from uses of a variable that is called with.
func startsWith(ts []tok) bool {
	switch ts[0].t {
	case token.IDENT, token.STRING, token.INT, token.FUNC:
		return true
	case token.LPAREN: // with(x) alone is a call; followed by a block it is ours
		depth := 0
		for i, t := range ts {
			if opens(t.t) {
				depth++
			} else if closes(t.t) {
				depth--
			}
			if depth == 0 {
				return i+1 < len(ts) && ts[i+1].t == token.LBRACE
			}
		}
	}
	return false
}

// header finds the brace that opens the block of the with at i.
func (r *rewriter) header(i int) (int, *Error) {
	depth := 0
	for j := i + 1; j < len(r.toks); j++ {
		switch t := r.toks[j].t; {
		case t == token.LBRACE && depth == 0:
			if j == i+1 {
				return 0, r.fault(i, "with: a value is missing before {")
			}
			return j, nil
		case opens(t):
			depth++
		case closes(t):
			depth--
		case t == token.SEMICOLON && depth == 0:
			e := r.fault(i, "with: { is missing on the line of with")
			e.AtEnd = j == len(r.toks)-1
			return 0, e
		}
	}
	e := r.fault(i, "with: { is missing on the line of with")
	e.AtEnd = true
	return 0, e
}

func (r *rewriter) fault(i int, text string) *Error {
	p := r.file.Position(r.file.Pos(r.toks[i].off))
	return &Error{Line: p.Line, Column: p.Column, Text: text}
}

// line is a directive that says where the text after it stands.
func (r *rewriter) line(off int) string {
	p := r.file.Position(r.file.Pos(off))
	return fmt.Sprintf("/*line %s:%d:%d*/", r.name, p.Line, p.Column)
}

func (r *rewriter) enter(with, brace int) frame {
	r.passes++
	pass := fmt.Sprintf("%s%d", PassPrefix, r.passes)
	k, name := with+1, ""
	if r.toks[k].t == token.IDENT && k+1 < brace && r.toks[k+1].t == token.DEFINE {
		name = r.toks[k].lit
		k += 2
	}
	from, to := r.toks[k].off, r.toks[brace].off
	text := pass + " := (" + r.line(from) + strings.TrimSpace(r.src[from:to]) + ");"
	if name != "" && name != "_" {
		text += " " + r.line(r.toks[with+1].off) + name + " :="
	}
	text += " " + pass + "." + r.line(from) + "Enter();"
	if with > 0 && r.toks[with-1].t == token.RBRACE { // behind a block on its line
		text = "; " + text
	}
	start := r.toks[with].off
	r.edits = append(r.edits, edit{start, to + 1 - start, text + r.line(to+1)})
	return frame{pass: pass, value: from, deferAt: len(r.edits) - 1}
}

func (r *rewriter) close(t tok) {
	if len(r.open) == 0 {
		return
	}
	f := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	switch {
	case f.pass == "":
	case r.toks[f.last].t == token.RETURN: // so that a function may end with the block
		r.edits = append(r.edits, edit{t.off, 1, r.line(t.off + 1)})
	default:
		r.edits = append(r.edits, edit{t.off, 1, "; " + f.pass + "." + r.line(f.value) + "Exit(true)" + r.line(t.off+1)})
	}
}

// leave ends the passes that the branch or return at i leaves.
func (r *rewriter) leave(i int) {
	t := r.toks[i]
	label := ""
	if i+1 < len(r.toks) && r.toks[i+1].t == token.IDENT && t.t != token.RETURN {
		label = r.toks[i+1].lit
	}
	operands := t.t == token.RETURN && i+1 < len(r.toks) && r.toks[i+1].t != token.SEMICOLON && r.toks[i+1].t != token.RBRACE
	text := ""
	for k := len(r.open) - 1; k >= 0; k-- {
		f := &r.open[k]
		if f.function || f.loop && ends(t.t, label, f) {
			break
		}
		switch {
		case f.pass == "":
		case operands:
			if f.ok == "" {
				f.ok = strings.Replace(f.pass, PassPrefix, PassPrefix+"ok", 1)
				r.edits[f.deferAt].text += fmt.Sprintf("%s := false; defer func() { if %s { %s.Exit(true) } }();%s", f.ok, f.ok, f.pass, r.line(r.edits[f.deferAt].at+r.edits[f.deferAt].del))
			}
			text += f.ok + " = true; "
		default:
			text += f.pass + ".Exit(true); "
		}
	}
	if text != "" {
		r.edits = append(r.edits, edit{t.off, 0, text + r.line(t.off)})
	}
}

// ends reports whether a branch stays within the statement whose brace f is.
func ends(t token.Token, label string, f *frame) bool {
	switch {
	case t == token.RETURN || t == token.GOTO:
		return false
	case label != "":
		return f.label == label
	}
	return t == token.BREAK || f.isFor
}

func (r *rewriter) labelBefore(i int) string {
	for j := i - 1; j >= 1 && r.toks[j].t == token.SEMICOLON && r.toks[j].lit == "\n"; j-- {
		i = j
	}
	if i >= 2 && r.toks[i-1].t == token.COLON && r.toks[i-2].t == token.IDENT {
		return r.toks[i-2].lit
	}
	return ""
}

func (r *rewriter) apply() string {
	var b strings.Builder
	at := 0
	for _, e := range r.edits {
		b.WriteString(r.src[at:e.at])
		b.WriteString(e.text)
		at = e.at + e.del
	}
	b.WriteString(r.src[at:])
	return b.String()
}
