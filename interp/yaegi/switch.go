package yaegi

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

func (g *gen) switchStmt(s *ast.SwitchStmt, label string) {
	g.p("{")
	if s.Init != nil {
		g.stmt(s.Init, "")
	}
	tag := ""
	var tt types.Type
	if s.Tag != nil {
		tt = types.Default(g.typ(s.Tag))
		tag = g.temp("tag")
		g.p("var %s %s = %s", tag, g.rep(tt), g.conv(s.Tag, tt))
	}
	t := &target{label: label, sw: true}
	g.push(t)
	g.p("switch {")
	anyT := types.Universe.Lookup("any").Type()
	for _, c := range s.Body.List {
		cc := c.(*ast.CaseClause)
		if cc.List == nil {
			g.p("default:")
		} else {
			var cs []string
			for _, e := range cc.List {
				switch {
				case tag == "":
					cs = append(cs, g.expr(e))
				case g.u.Info.Types[e].IsNil():
					cs = append(cs, tag+" == nil")
				case isIface(tt) || isIface(g.typ(e)):
					cs = append(cs, "rt.Eq("+g.convS(tag, tt, anyT)+", "+g.conv(e, anyT)+")")
				default:
					cs = append(cs, tag+" == "+g.conv(e, tt))
				}
			}
			g.p("case %s:", strings.Join(cs, " || "))
		}
		g.stmts(cc.Body)
	}
	g.p("}")
	g.pop()
	g.p("}")
}

func (g *gen) typeSwitch(s *ast.TypeSwitchStmt, label string) {
	g.p("{")
	if s.Init != nil {
		g.stmt(s.Init, "")
	}
	var x ast.Expr
	bind := false
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = a.X.(*ast.TypeAssertExpr).X
	case *ast.AssignStmt:
		x = a.Rhs[0].(*ast.TypeAssertExpr).X
		bind = true
	}
	xt := g.typ(x)
	v := g.temp("v")
	g.p("var %s %s = %s", v, g.rep(xt), g.expr(x))
	t := &target{label: label, sw: true}
	g.push(t)
	g.p("switch {")
	for _, c := range s.Body.List {
		cc := c.(*ast.CaseClause)
		if cc.List == nil {
			g.p("default:")
		} else {
			var cs []string
			for _, e := range cc.List {
				if g.u.Info.Types[e].IsNil() {
					cs = append(cs, v+" == nil")
				} else {
					cs = append(cs, fmt.Sprintf("rt.Is(%s, %d)", v, g.id(g.typ(e))))
				}
			}
			g.p("case %s:", strings.Join(cs, " || "))
		}
		if bind {
			if o := g.u.Info.Implicits[cc]; o != nil {
				code := v
				t := g.subst(o.Type())
				if len(cc.List) == 1 && !g.u.Info.Types[cc.List[0]].IsNil() {
					code = g.unbox(v, t)
				}
				g.p("var %s %s = %s", g.declare(o), g.rep(t), code)
			}
		}
		g.stmts(cc.Body)
	}
	g.p("}")
	g.pop()
	g.p("}")
}

func (g *gen) selectStmt(s *ast.SelectStmt, label string) {
	t := &target{label: label, sw: true}
	g.push(t)
	// operands first, in order
	pre := map[*ast.CommClause]string{}
	for _, c := range s.Body.List {
		cc := c.(*ast.CommClause)
		switch x := cc.Comm.(type) {
		case *ast.SendStmt:
			ct := under(g.typ(x.Chan)).(*types.Chan)
			pre[cc] = g.expr(x.Chan) + " <- " + g.conv(x.Value, ct.Elem())
		case *ast.ExprStmt:
			pre[cc] = "<-" + g.expr(ast.Unparen(x.X).(*ast.UnaryExpr).X)
		case *ast.AssignStmt:
			pre[cc] = "<-" + g.expr(ast.Unparen(x.Rhs[0]).(*ast.UnaryExpr).X)
		}
	}
	g.p("select {")
	for _, c := range s.Body.List {
		cc := c.(*ast.CommClause)
		switch x := cc.Comm.(type) {
		case nil:
			g.p("default:")
		case *ast.AssignStmt:
			et := under(g.typ(ast.Unparen(x.Rhs[0]).(*ast.UnaryExpr).X)).(*types.Chan).Elem()
			var ts []string
			for range x.Lhs {
				ts = append(ts, g.temp("t"))
			}
			g.p("case %s := %s:", strings.Join(ts, ", "), pre[cc])
			g.set(x.Lhs[0], g.convS(ts[0], et, g.lhsType(x.Lhs[0], et)), x.Tok)
			if len(ts) > 1 {
				g.set(x.Lhs[1], ts[1], x.Tok)
			}
		default:
			g.p("case %s:", pre[cc])
		}
		g.stmts(cc.Body)
	}
	g.p("}")
	g.pop()
}
