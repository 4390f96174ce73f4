package yaegi

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

func (g *gen) p(f string, a ...any) {
	fmt.Fprintf(g.out, f, a...)
	g.out.WriteByte('\n')
}

func (g *gen) pos(n ast.Node) {
	p := g.u.Fset.Position(n.Pos())
	if p.IsValid() && g.u.Cell != "" {
		fmt.Fprintf(g.out, "/*line %s:%d:%d*/", p.Filename, p.Line, p.Column)
	}
}

func (g *gen) where(n ast.Node) string {
	p := g.u.Fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d:%d", p.Filename, p.Line, p.Column)
}

func (g *gen) stmts(l []ast.Stmt) {
	for _, s := range l {
		g.stmt(s, "")
	}
}

// capture returns what f emits.
func (g *gen) capture(f func()) string {
	out := g.out
	g.out = &strings.Builder{}
	f()
	s := g.out.String()
	g.out = out
	return s
}

func (g *gen) stmt(s ast.Stmt, label string) {
	switch s.(type) {
	case *ast.BlockStmt, *ast.EmptyStmt, *ast.LabeledStmt, *ast.DeclStmt:
	default:
		g.mark(s)
		g.pos(s)
	}
	switch s := s.(type) {
	case *ast.EmptyStmt:
	case *ast.BlockStmt:
		if label != "" {
			g.refuse(s, "label on a block")
		}
		g.p("{")
		g.stmts(s.List)
		g.p("}")
	case *ast.ExprStmt:
		if _, ok := ast.Unparen(s.X).(*ast.CallExpr); ok || isRecv(s.X) {
			g.p("%s", g.expr(s.X))
		} else {
			g.p("_ = %s", g.conv(s.X, types.Default(g.typ(s.X))))
		}
	case *ast.AssignStmt:
		g.assign(s)
	case *ast.IncDecStmt:
		g.p("%s%s", g.lhs(s.X), s.Tok)
	case *ast.DeclStmt:
		d := s.Decl.(*ast.GenDecl)
		if d.Tok != token.VAR {
			return
		}
		for _, sp := range d.Specs {
			g.mark(s)
			g.pos(sp)
			g.varSpec(sp.(*ast.ValueSpec))
		}
	case *ast.ReturnStmt:
		g.ret(s)
	case *ast.IfStmt:
		g.ifStmt(s)
	case *ast.ForStmt:
		g.forStmt(s, label)
		g.after()
	case *ast.RangeStmt:
		g.rangeStmt(s, label)
		g.after()
	case *ast.SwitchStmt:
		g.switchStmt(s, label)
		g.after()
	case *ast.TypeSwitchStmt:
		g.typeSwitch(s, label)
		g.after()
	case *ast.SelectStmt:
		g.selectStmt(s, label)
		g.after()
	case *ast.LabeledStmt:
		if g.gotoUses(s.Label.Name) {
			g.p("%s__g:", s.Label.Name)
		}
		switch s.Stmt.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			f := g.temp("flag")
			g.flags[s.Label.Name] = f
			g.p("%s := 0", f)
			g.stmt(s.Stmt, s.Label.Name)
		default:
			g.stmt(s.Stmt, "")
		}
	case *ast.BranchStmt:
		g.branchStmt(s)
	case *ast.GoStmt:
		pre, call := g.frozen(s.Call)
		g.out.WriteString(pre)
		e := g.temp("e")
		g.p("go func() { defer func() { if %s := recover(); %s != nil { rt.Go(%s, %q) } }(); %s }()", e, e, e, g.where(s), call)
	case *ast.DeferStmt:
		fn := g.fn // in the body of a range over a function: the function around it
		for fn.rf != nil {
			fn = fn.up
		}
		if fn.defers == "" { // top level of a cell
			fn.defers = g.temp("ds")
		}
		if fl, ok := ast.Unparen(s.Call.Fun).(*ast.FuncLit); ok && len(s.Call.Args) == 0 && len(fl.Type.Params.List) == 0 && fl.Type.Results == nil {
			g.deferring = fn.defers
			g.p("rt.Defer(%s, %s)", fn.defers, g.keepLit(fl, g.funcLit(fl, nil)))
			return
		}
		call2 := "Defer"
		if _, ok := ast.Unparen(s.Call.Fun).(*ast.FuncLit); ok {
			g.deferring = fn.defers
		} else {
			call2 = "DeferCall" // may recover, and does not see the list
		}
		pre, call := g.frozen(s.Call)
		g.out.WriteString(pre)
		f := g.temp("f")
		g.p("%s := func() { %s }", f, call)
		g.p("rt.%s(%s, %s)", call2, fn.defers, f)
	case *ast.SendStmt:
		g.p("%s <- %s", g.expr(s.Chan), g.conv(s.Value, under(g.typ(s.Chan)).(*types.Chan).Elem()))
	default:
		g.refuse(s, "statement %T", s)
	}
}

func isRecv(e ast.Expr) bool {
	u, ok := ast.Unparen(e).(*ast.UnaryExpr)
	return ok && u.Op == token.ARROW
}

func (g *gen) gotoUses(l string) bool {
	found := false
	if g.u.Decl == nil {
		return false
	}
	ast.Inspect(g.u.Decl, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO && b.Label.Name == l {
			found = true
		}
		return true
	})
	return found
}

func (g *gen) lhs(e ast.Expr) string {
	if id, ok := e.(*ast.Ident); ok && id.Name == "_" {
		return "_"
	}
	return g.expr(e)
}

func (g *gen) isNew(e ast.Expr) *types.Var {
	id, ok := e.(*ast.Ident)
	if !ok || id.Name == "_" {
		return nil
	}
	v, _ := g.u.Info.Defs[id].(*types.Var)
	return v
}

// set emits x = code, declaring x when it is new and local.
func (g *gen) set(e ast.Expr, code string, tok token.Token) {
	if id, ok := e.(*ast.Ident); ok && id.Name == "_" {
		g.p("_ = %s", code)
		return
	}
	if tok == token.DEFINE {
		if v := g.isNew(e); v != nil {
			if n, ok := g.names[v]; ok {
				g.p("%s = %s", n, code)
				return
			}
			g.p("var %s %s = %s", g.declare(v), g.rep(g.subst(v.Type())), code)
			return
		}
	}
	g.p("%s = %s", g.lhs(e), code)
}

func (g *gen) lhsType(e ast.Expr, rhs types.Type) types.Type {
	if id, ok := e.(*ast.Ident); ok && id.Name == "_" {
		return types.Default(rhs)
	}
	if v := g.isNew(e); v != nil {
		return g.subst(v.Type())
	}
	return g.typ(e)
}

func (g *gen) assign(s *ast.AssignStmt) {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		r := g.conv(s.Rhs[0], g.typ(s.Lhs[0]))
		if s.Tok == token.SHL_ASSIGN || s.Tok == token.SHR_ASSIGN {
			r = g.expr(s.Rhs[0])
		}
		if s.Tok == token.AND_NOT_ASSIGN { // not every engine has it
			l := g.lhs(s.Lhs[0])
			g.p("%s = %s &^ (%s)", l, l, r)
			return
		}
		g.p("%s %s %s", g.lhs(s.Lhs[0]), s.Tok, r)
		return
	}
	if len(s.Lhs) == len(s.Rhs) {
		if len(s.Lhs) == 1 {
			r := s.Rhs[0]
			g.set(s.Lhs[0], g.conv(r, g.lhsType(s.Lhs[0], g.typ(r))), s.Tok)
			return
		}
		// operands of the left side first, then the right side, then assign in order
		var ls []string
		for i, l := range s.Lhs {
			_ = i
			ls = append(ls, g.fixLhs(l))
		}
		var ts []string
		for i, r := range s.Rhs {
			t := g.lhsType(s.Lhs[i], g.typ(r))
			n := g.temp("t")
			g.p("var %s %s = %s", n, g.rep(t), g.conv(r, t))
			ts = append(ts, n)
		}
		for i, l := range s.Lhs {
			if ls[i] != "" {
				g.p("%s = %s", ls[i], ts[i])
			} else {
				g.set(l, ts[i], s.Tok)
			}
		}
		return
	}
	g.multi(s.Lhs, s.Rhs[0], s.Tok)
}

// fixLhs evaluates the operands of an assignable expression; "" for plain names.
func (g *gen) fixLhs(e ast.Expr) string {
	tmp := func(x ast.Expr, t types.Type) string {
		if g.u.Info.Types[x].Value != nil {
			return g.conv(x, t)
		}
		n := g.temp("t")
		g.p("var %s %s = %s", n, g.rep(t), g.conv(x, t))
		return n
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		xt := g.typ(x.X)
		switch u := under(xt).(type) {
		case *types.Map:
			return tmp(x.X, xt) + "[" + tmp(x.Index, u.Key()) + "]"
		case *types.Slice:
			return tmp(x.X, xt) + "[" + tmp(x.Index, g.typ(x.Index)) + "]"
		case *types.Pointer:
			return "(*" + tmp(x.X, xt) + ")[" + tmp(x.Index, g.typ(x.Index)) + "]"
		case *types.Array:
			return g.expr(x.X) + "[" + tmp(x.Index, g.typ(x.Index)) + "]"
		}
	case *ast.StarExpr:
		return "*" + tmp(x.X, g.typ(x.X))
	case *ast.SelectorExpr:
		if _, ok := under(g.typ(x.X)).(*types.Pointer); ok {
			n := g.temp("t")
			g.p("var %s %s = %s", n, g.rep(g.typ(x.X)), g.expr(x.X))
			full := g.expr(x)
			return n + strings.TrimPrefix(full, g.expr(x.X))
		}
		return g.expr(x)
	}
	return ""
}

// multi: a, b = f() and the comma-ok forms.
func (g *gen) multi(lhs []ast.Expr, rhs ast.Expr, tok token.Token) {
	var ts []string
	for range lhs {
		ts = append(ts, g.temp("t"))
	}
	var from []types.Type
	code := ""
	switch r := ast.Unparen(rhs).(type) {
	case *ast.TypeAssertExpr:
		t := g.typ(r.Type)
		code = g.as(t) + "(" + g.expr(r.X) + ")"
		from = []types.Type{t, types.Typ[types.Bool]}
	case *ast.IndexExpr:
		m, ok := under(g.typ(r.X)).(*types.Map)
		if !ok {
			g.refuse(rhs, "assignment")
		}
		code = g.expr(r)
		from = []types.Type{m.Elem(), types.Typ[types.Bool]}
	case *ast.UnaryExpr:
		code = "<-" + g.expr(r.X)
		from = []types.Type{under(g.typ(r.X)).(*types.Chan).Elem(), types.Typ[types.Bool]}
	default:
		tu, ok := g.typ(rhs).(*types.Tuple)
		if !ok {
			g.refuse(rhs, "assignment")
		}
		code = g.expr(rhs)
		for i := 0; i < tu.Len(); i++ {
			from = append(from, tu.At(i).Type())
		}
	}
	g.p("%s := %s", strings.Join(ts, ", "), code)
	for i, l := range lhs {
		if id, ok := l.(*ast.Ident); ok && id.Name == "_" {
			continue
		}
		g.set(l, g.convS(ts[i], from[i], g.lhsType(l, from[i])), tok)
	}
}

func (g *gen) varSpec(sp *ast.ValueSpec) {
	var lhs []ast.Expr
	for _, n := range sp.Names {
		lhs = append(lhs, n)
	}
	switch {
	case len(sp.Values) == 0:
		for _, n := range sp.Names {
			v, ok := g.u.Info.Defs[n].(*types.Var)
			if !ok || n.Name == "_" {
				continue
			}
			r := g.rep(g.subst(v.Type()))
			if h, ok := g.names[v]; ok {
				g.p("%s = *new(%s)", h, r)
			} else {
				g.p("var %s %s%s", g.declare(v), r, g.zero(g.subst(v.Type()), r))
			}
		}
	case len(sp.Values) == len(sp.Names):
		var ts []string
		for i, n := range sp.Names {
			if v := g.isNew(n); v != nil {
				t := g.subst(v.Type())
				if len(sp.Names) == 1 {
					g.set(n, g.conv(sp.Values[i], t), token.DEFINE)
					return
				}
				x := g.temp("t")
				g.p("var %s %s = %s", x, g.rep(t), g.conv(sp.Values[i], t))
				ts = append(ts, x)
			} else {
				g.p("_ = %s", g.conv(sp.Values[i], types.Default(g.typ(sp.Values[i]))))
				ts = append(ts, "")
			}
		}
		for i, n := range sp.Names {
			if ts[i] != "" {
				g.set(n, ts[i], token.DEFINE)
			}
		}
	default:
		g.multi(lhs, sp.Values[0], token.DEFINE)
	}
}

// zero: a fresh zero value, so that the engine makes the variable anew in each iteration.
func (g *gen) zero(t types.Type, rep string) string {
	switch u := under(t).(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return ` = ""`
		case u.Info()&types.IsBoolean != 0:
			return " = false"
		case u.Info()&types.IsNumeric != 0:
			return " = 0"
		}
	case *types.Struct:
		if strings.ContainsAny(rep, "{ ") {
			return ""
		}
		return " = " + rep + "{}"
	case *types.Array:
		return " = " + rep + "{}"
	case *types.Slice, *types.Map, *types.Pointer, *types.Chan, *types.Signature, *types.Interface:
		return " = nil"
	}
	return ""
}
