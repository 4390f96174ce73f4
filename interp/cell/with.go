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
// they may read values of the pass. A panic does not reach Exit: in a function a
// deferred call closes what is open, and in the cell itself the session's hook.

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
	plain, unclosed, err := replaceWith(file, src)
	switch {
	case err != nil:
		return "", err
	case unclosed != nil:
		return "", unclosed
	}
	return plain, nil
}

// ReplaceUnfinished is ReplaceWith for a text that may go on after its end.
func ReplaceUnfinished(file, src string) (string, error) {
	plain, _, err := replaceWith(file, src)
	if err != nil {
		return "", err
	}
	return plain, nil
}

// replaceWith also returns the fault of the last block that has no end.
func replaceWith(file, src string) (plain string, unclosed, err *Error) {
	if !strings.Contains(src, "with") {
		return src, nil, nil
	}
	r := &rewriter{name: file, src: src, blocks: map[int]frame{}}
	r.toks, _, r.file = scan(src)
	if err := r.run(); err != nil {
		return "", nil, err
	}
	for _, f := range r.open {
		if f.pass != "" {
			unclosed = r.fault(f.with, "with: expected } at the end of the block")
			unclosed.AtEnd = true
		}
	}
	return r.apply(), unclosed, nil
}

type rewriter struct {
	name, src string
	toks      []tok
	file      *token.File
	edits     []edit
	blocks    map[int]frame // what the braces to come open, by their index
	open      []frame
	passes    int
}

type edit struct {
	at, del int
	text    string
}

// A frame is an open brace.
type frame struct {
	brace    int    // its index
	pass     string // the variable of the with block that this brace opened
	with     int    // the index of that with
	value    int    // where the block's value stands
	function bool
	start    int    // of a function: the edit at the start of its body
	returns  bool   // of a function: it has the variable that says that a return has been reached
	loop     bool   // for, switch or select: break ends here
	label    string // of the statement that the brace belongs to
	isFor    bool
	last     int // index of the first token of its last statement so far
}

func (r *rewriter) run() *Error {
	for i := 0; i < len(r.toks); i++ {
		t := r.toks[i]
		switch {
		case t.is("with") && r.startsStatement(i) && i+1 < len(r.toks) && startsWith(r.toks[i+1:]):
			brace, err := r.header(i)
			if err != nil {
				return err
			}
			r.blocks[brace] = r.enter(i, brace)
			i = brace - 1
		case t.t == token.FUNC:
			if brace := r.block(i); brace > 0 && !r.isType(i) {
				r.blocks[brace] = frame{function: true}
			}
		case t.t == token.SEMICOLON:
			if n := len(r.open); n > 0 && i+1 < len(r.toks) && r.toks[i+1].t != token.RBRACE {
				r.open[n-1].last = i + 1
			}
		case t.t == token.FOR || t.t == token.SWITCH || t.t == token.SELECT:
			if brace := r.block(i); brace > 0 {
				r.blocks[brace] = frame{loop: true, isFor: t.t == token.FOR, label: r.labelBefore(i)}
			}
		case t.t == token.LBRACE:
			f := r.blocks[i]
			f.brace, f.last = i, i+1
			if f.function {
				f.start = len(r.edits)
				r.edits = append(r.edits, edit{at: t.off + 1})
			}
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
	if f := r.function(); f != nil {
		n := strings.TrimPrefix(pass, PassPrefix)
		opened, deferred := PassPrefix+"open"+n, PassPrefix+"deferred"+n
		r.atStart(f, fmt.Sprintf("var %s func(bool); %s := false;", opened, deferred))
		text += fmt.Sprintf(" %s = %s.%sExit; if !%s { %s = true; defer func() { if %s != nil { %s(%s) } }() };",
			opened, pass, r.line(from), deferred, deferred, opened, opened, r.returned(f))
	}
	if with > 0 && r.toks[with-1].t == token.RBRACE { // behind a block on its line
		text = "; " + text
	}
	start := r.toks[with].off
	r.edits = append(r.edits, edit{start, to + 1 - start, text + r.line(to+1)})
	return frame{pass: pass, with: with, value: from}
}

// function is the innermost function that is open, nil in the cell itself.
func (r *rewriter) function() *frame {
	for k := len(r.open) - 1; k >= 0; k-- {
		if r.open[k].function {
			return &r.open[k]
		}
	}
	return nil
}

// atStart puts declarations at the start of a function's body.
func (r *rewriter) atStart(f *frame, text string) {
	e := &r.edits[f.start]
	line := r.line(e.at)
	e.text = strings.TrimSuffix(e.text, line) + text + line
}

// returned is the variable of a function that says that a return has been reached.
func (r *rewriter) returned(f *frame) string {
	name := fmt.Sprintf("%sreturned%d", PassPrefix, f.brace)
	if !f.returns {
		f.returns = true
		r.atStart(f, name+" := false;")
	}
	return name
}

func (r *rewriter) close(t tok) {
	if len(r.open) == 0 {
		return
	}
	f := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	switch last := r.toks[f.last]; {
	case f.pass == "":
	case last.t == token.RETURN || last.is("panic"): // so that a function may end with the block
		r.edits = append(r.edits, edit{t.off, 1, r.line(t.off + 1)})
	default:
		r.edits = append(r.edits, edit{t.off, 1, "; " + r.exit(&f, r.line(f.value)) + r.line(t.off+1)})
	}
}

// exit ends the pass of a block.
func (r *rewriter) exit(f *frame, line string) string {
	text := f.pass + "." + line + "Exit(true)"
	if r.function() != nil {
		text += "; " + PassPrefix + "open" + strings.TrimPrefix(f.pass, PassPrefix) + " = nil"
	}
	return text
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
		if f.function || f.loop && ends(t.t, label, f) || t.t == token.GOTO && r.hasLabel(f, label) {
			break
		}
		if f.pass == "" {
			continue
		}
		if fn := r.function(); operands && fn != nil {
			text = r.returned(fn) + " = true; "
			break
		}
		text += r.exit(f, "") + "; "
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
