package yaegi

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

func (g *gen) ret(s *ast.ReturnStmt) {
	fn := g.fn
	for fn.rf != nil {
		fn = fn.up
	}
	var vals []string
	switch {
	case len(s.Results) == 1 && len(fn.res) > 1:
		tu := g.typ(s.Results[0]).(*types.Tuple)
		var ts []string
		for i := 0; i < tu.Len(); i++ {
			t := g.temp("t")
			ts = append(ts, t)
			vals = append(vals, g.convS(t, tu.At(i).Type(), fn.res[i]))
		}
		g.p("%s := %s", strings.Join(ts, ", "), g.expr(s.Results[0]))
	default:
		for i, r := range s.Results {
			vals = append(vals, g.conv(r, fn.res[i]))
		}
	}
	if g.fn.rf == nil && fn.defers == "" {
		if len(vals) == 0 {
			vals = fn.names
		}
		g.p("return %s", strings.Join(vals, ", "))
		return
	}
	// out of a callback: keep the values, tell the loop
	dst := fn.names
	if fn.defers != "" {
		dst = fn.rets
	}
	if len(dst) == 0 && g.fn.rf != nil {
		dst = g.fn.rf.rets
	}
	if len(vals) > 1 {
		for i := range vals {
			t := g.temp("t")
			g.p("var %s %s = %s", t, g.rep(fn.res[i]), vals[i])
			vals[i] = t
		}
	}
	for i, v := range vals {
		g.p("%s = %s", dst[i], v)
	}
	if g.fn.rf == nil {
		g.p("return")
		return
	}
	g.p("%s = -1", g.fn.rf.state)
	g.p("return false")
}

func (g *gen) ifStmt(s *ast.IfStmt) {
	if s.Init != nil {
		g.p("{")
		g.stmt(s.Init, "")
	}
	g.p("if %s {", g.expr(s.Cond))
	g.stmts(s.Body.List)
	if s.Else != nil {
		g.p("} else {")
		if b, ok := s.Else.(*ast.BlockStmt); ok {
			g.stmts(b.List)
		} else {
			g.stmt(s.Else, "")
		}
	}
	g.p("}")
	if s.Init != nil {
		g.p("}")
	}
}

func (g *gen) push(t *target) {
	t.fn = g.fn
	if t.label != "" {
		t.flag = g.flags[t.label]
	}
	g.loops = append(g.loops, t)
}

func (g *gen) pop() { g.loops = g.loops[:len(g.loops)-1] }

// after passes on a labelled branch that has just left an inner statement: the engine's own labels go wrong.
func (g *gen) after() {
	loop := false
	for i := len(g.loops) - 1; i >= 0 && g.loops[i].fn == g.fn; i-- {
		o := g.loops[i]
		if o.used {
			inner := i < len(g.loops)-1
			if o.loop && !loop {
				g.p("if %s == 2 {", o.flag)
				g.p("%s = 0", o.flag)
				g.branch(token.CONTINUE, o)
				g.p("}")
			}
			if inner {
				g.p("if %s != 0 { break }", o.flag)
			} else {
				g.p("if %s == 1 { break }", o.flag)
			}
		}
		loop = loop || o.loop
	}
}

func (g *gen) branchStmt(s *ast.BranchStmt) {
	switch s.Tok {
	case token.GOTO:
		if g.fn.rf != nil {
			g.refuse(s, "goto inside the body of a range over a function")
		}
		g.p("goto %s__g", s.Label.Name)
		return
	case token.FALLTHROUGH:
		g.p("fallthrough")
		return
	}
	for i := len(g.loops) - 1; i >= 0; i-- {
		t := g.loops[i]
		if s.Label != nil && t.label != s.Label.Name || s.Label == nil && s.Tok == token.CONTINUE && !t.loop {
			continue
		}
		g.branch(s.Tok, t)
		return
	}
	g.refuse(s, "%s without a loop", s.Tok)
}

// branch leaves for t from wherever g.fn is.
func (g *gen) branch(tok token.Token, t *target) {
	if rf := g.fn.rf; rf != nil && t.rf == rf {
		if tok == token.CONTINUE {
			g.p("return true")
		} else {
			g.p("%s = 1", rf.state)
			g.p("return false")
		}
		return
	}
	if t.fn == g.fn {
		k := len(g.loops) - 1
		loop := false
		for ; g.loops[k] != t; k-- {
			loop = loop || g.loops[k].loop
		}
		switch {
		case tok == token.CONTINUE && !loop:
			if t.cont != nil {
				g.p("%s", t.cont())
			}
			g.p("continue")
		case tok == token.BREAK && k == len(g.loops)-1:
			g.p("break")
		default:
			t.used = true
			g.p("%s = %d", t.flag, map[token.Token]int{token.BREAK: 1, token.CONTINUE: 2}[tok])
			g.p("break")
		}
		return
	}
	rf := g.fn.rf
	code := -1
	for i, x := range rf.exits {
		if x.tok == tok && x.to == t {
			code = i + 2
		}
	}
	if code < 0 {
		rf.exits = append(rf.exits, exit{tok, t})
		code = len(rf.exits) + 1
	}
	g.p("%s = %d", rf.state, code)
	g.p("return false")
}
