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
		if _, ok := x.(*ast.Ident); ok {
			// may be changed by this very assignment
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

// captured: a closure or a pointer may outlive the iteration.
func (g *gen) captured(objs []types.Object, nodes ...ast.Node) bool {
	is := func(e ast.Expr) bool {
		for {
			switch x := ast.Unparen(e).(type) {
			case *ast.SelectorExpr:
				e = x.X
				continue
			case *ast.IndexExpr:
				e = x.X
				continue
			case *ast.Ident:
				o := g.u.Info.ObjectOf(x)
				for _, y := range objs {
					if o == y {
						return true
					}
				}
			}
			return false
		}
	}
	found := false
	lit := 0
	var walk func(n ast.Node) bool
	walk = func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			return true
		case *ast.FuncLit:
			lit++
			ast.Inspect(n.Body, walk)
			lit--
			return false
		case *ast.GoStmt, *ast.DeferStmt:
			lit++
			if g, ok := n.(*ast.GoStmt); ok {
				ast.Inspect(g.Call, walk)
			} else {
				ast.Inspect(n.(*ast.DeferStmt).Call, walk)
			}
			lit--
			return false
		case *ast.RangeStmt:
			if _, ok := under(g.typ(n.X)).(*types.Signature); ok {
				lit++
				ast.Inspect(n.Body, walk)
				lit--
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND && is(n.X) {
				found = true
			}
		case *ast.SliceExpr:
			if _, ok := under(g.typ(n.X)).(*types.Array); ok && is(n.X) {
				found = true
			}
		case *ast.SelectorExpr:
			if s := g.u.Info.Selections[n]; s != nil && s.Kind() != types.FieldVal && is(n.X) {
				found = true
			}
		case *ast.Ident:
			if lit > 0 && is(n) {
				found = true
			}
		}
		return !found
	}
	for _, n := range nodes {
		if n != nil {
			ast.Inspect(n, walk)
		}
	}
	return found
}

func (g *gen) assigned(objs []types.Object, n ast.Node) bool {
	found := false
	chk := func(e ast.Expr) {
		if id, ok := ast.Unparen(e).(*ast.Ident); ok {
			for _, o := range objs {
				if g.u.Info.ObjectOf(id) == o {
					found = true
				}
			}
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				chk(l)
			}
		case *ast.IncDecStmt:
			chk(n.X)
		case *ast.RangeStmt:
			if n.Key != nil {
				chk(n.Key)
			}
			if n.Value != nil {
				chk(n.Value)
			}
		}
		return true
	})
	return found
}

func (g *gen) forStmt(s *ast.ForStmt, label string) {
	var objs []types.Object
	if as, ok := s.Init.(*ast.AssignStmt); ok && as.Tok == token.DEFINE {
		for _, l := range as.Lhs {
			if v := g.isNew(l); v != nil {
				objs = append(objs, v)
			}
		}
	}
	body, cond, post := ast.Node(s.Body), ast.Node(nil), ast.Node(nil)
	if s.Cond != nil {
		cond = s.Cond
	}
	if s.Post != nil {
		post = s.Post
	}
	t := &target{label: label, loop: true}
	if len(objs) == 0 || !g.captured(objs, body, cond, post) {
		g.p("{")
		if s.Init != nil {
			g.stmt(s.Init, "")
		}
		c, p := "", ""
		if s.Cond != nil {
			c = g.expr(s.Cond)
		}
		if s.Post != nil {
			p = strings.TrimSpace(g.capture(func() { cell := g.u.Cell; g.u.Cell = ""; g.stmt(s.Post, ""); g.u.Cell = cell }))
		}
		first := ""
		if strings.Contains(p, "\n") || strings.Contains(c, "\n") {
			first = g.temp("first")
			g.p("%s := true", first)
			g.p("for {")
			if p != "" {
				g.p("if %s { %s = false } else {\n%s\n}", first, first, p)
			}
			if c != "" {
				g.p("if !(%s) { break }", c)
			}
		} else {
			if c == "" {
				c = "true"
			}
			g.p("for ; %s; %s {", c, p)
		}
		g.push(t)
		g.stmts(s.Body.List)
		g.pop()
		g.p("}")
		g.p("}")
		return
	}
	g.p("{")
	g.stmt(s.Init, "")
	var outer, inner []string
	for _, o := range objs {
		outer = append(outer, g.local[o])
	}
	first := g.temp("first")
	g.p("%s := true", first)
	g.p("for {")
	for i, o := range objs {
		n := g.temp(clean(o.Name()))
		inner = append(inner, n)
		g.local[o] = n
		g.p("%s := %s", n, outer[i])
	}
	if s.Post != nil {
		g.p("if %s { %s = false } else {", first, first)
		g.stmt(s.Post, "")
		g.p("}")
	}
	if s.Cond != nil {
		g.p("if !(%s) { break }", g.expr(s.Cond))
	}
	back := ""
	for i := range objs {
		back += outer[i] + " = " + inner[i] + "; "
	}
	t.cont = func() string { return back }
	g.push(t)
	g.stmts(s.Body.List)
	g.pop()
	g.p("%s", back)
	g.p("}")
	g.p("}")
}

func (g *gen) rangeStmt(s *ast.RangeStmt, label string) {
	xt := g.typ(s.X)
	key, val := s.Key, s.Value
	if id, ok := key.(*ast.Ident); ok && id.Name == "_" {
		key = nil
	}
	if id, ok := val.(*ast.Ident); ok && id.Name == "_" {
		val = nil
	}
	var objs []types.Object
	if s.Tok == token.DEFINE {
		for _, e := range []ast.Expr{key, val} {
			if e != nil {
				if v := g.isNew(e); v != nil {
					objs = append(objs, v)
				}
			}
		}
	}
	if sig, ok := under(xt).(*types.Signature); ok {
		g.rangeFunc(s, sig, key, val, label)
		return
	}
	t := &target{label: label, loop: true}
	fresh := s.Tok == token.ASSIGN || g.captured(objs, s.Body) || g.assigned(objs, s.Body)
	g.p("{")
	// one names the loop's own variable for e; bind gives it to the body
	var binds []func()
	one := func(e ast.Expr, et types.Type) string {
		if e == nil {
			return ""
		}
		if fresh {
			n := g.temp("k")
			binds = append(binds, func() { g.set(e, g.convS(n, et, g.lhsType(e, et)), s.Tok) })
			return n
		}
		return g.declare(g.isNew(e))
	}
	body := func() {
		for _, b := range binds {
			b()
		}
		g.push(t)
		g.stmts(s.Body.List)
		g.pop()
	}
	if b, ok := under(xt).(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
		vt := types.Default(xt)
		if key != nil {
			vt = g.lhsType(key, vt)
		}
		n, lim := g.temp("i"), g.temp("n")
		if key != nil {
			n = one(key, vt)
		}
		r := g.rep(vt)
		g.p("var %s %s = %s", lim, r, g.conv(s.X, vt))
		g.p("var %s %s = 0", n, r)
		g.p("for ; %s < %s; %s++ {", n, lim, n)
		body()
		g.p("}")
		g.p("}")
		return
	}
	x := g.conv(s.X, types.Default(xt))
	var kt, et types.Type
	switch u := under(xt).(type) {
	case *types.Slice:
		kt, et = types.Typ[types.Int], u.Elem()
	case *types.Array:
		kt, et = types.Typ[types.Int], u.Elem()
		if val != nil {
			n := g.temp("t")
			g.p("var %s %s = %s", n, g.rep(xt), x)
			x = n
		}
	case *types.Pointer:
		kt, et = types.Typ[types.Int], u.Elem().Underlying().(*types.Array).Elem()
		x = "(*" + x + ")[:]"
	case *types.Basic:
		kt, et = types.Typ[types.Int], types.Typ[types.Rune]
	case *types.Map:
		kt, et = u.Key(), u.Elem()
	case *types.Chan:
		kt = u.Elem()
	default:
		g.refuse(s, "range over %v", xt)
	}
	k, v := one(key, kt), one(val, et)
	switch {
	case v != "":
		if k == "" {
			k = "_"
		}
		g.p("for %s, %s := range %s {", k, v, x)
	case k != "":
		g.p("for %s := range %s {", k, x)
	default:
		g.p("for range %s {", x)
	}
	body()
	g.p("}")
	g.p("}")
}

func (g *gen) rangeFunc(s *ast.RangeStmt, sig *types.Signature, key, val ast.Expr, label string) {
	cb := sig.Params().At(0).Type().Underlying().(*types.Signature)
	rf := &rangeFn{state: g.temp("rf")}
	fn := g.fn
	for fn.rf != nil {
		fn = fn.up
	}
	g.p("{")
	if g.fn.rf != nil {
		rf.rets = g.fn.rf.rets
	} else if fn.defers != "" {
		rf.rets = fn.rets
	} else if len(fn.names) == 0 {
		for _, t := range fn.res {
			n := g.temp("ret")
			g.p("var %s %s", n, g.rep(t))
			rf.rets = append(rf.rets, n)
		}
	}
	g.p("%s := 0", rf.state)
	f := g.temp("f")
	g.p("var %s %s = %s", f, g.rep(g.typ(s.X)), g.expr(s.X))
	outer := g.fn
	t := &target{label: label, loop: true, rf: rf}
	var ps []string
	var binds []func()
	for i := 0; i < cb.Params().Len(); i++ {
		n := g.temp("y")
		pt := cb.Params().At(i).Type()
		ps = append(ps, n+" "+g.rep(pt))
		e := key
		if i == 1 {
			e = val
		}
		if e != nil {
			binds = append(binds, func() { g.set(e, g.convS(n, pt, g.lhsType(e, pt)), s.Tok) })
		}
	}
	body := g.capture(func() {
		g.fn = &fnCtx{res: fn.res, up: outer, rf: rf}
		g.push(t)
		for _, b := range binds {
			b()
		}
		g.stmts(s.Body.List)
		g.pop()
		g.fn = outer
	})
	g.p("%s(func(%s) bool {", f, strings.Join(ps, ", "))
	g.p("if %s != 0 { rt.Panic(\"range function continued iteration after function for loop body returned false\") }", rf.state)
	g.out.WriteString(body)
	g.p("return true")
	g.p("})")
	// what the body asked for
	if strings.Contains(body, rf.state+" = -1") {
		g.p("if %s == -1 {", rf.state)
		switch {
		case g.fn.rf != nil:
			g.p("%s = -1", g.fn.rf.state)
			g.p("return false")
		case fn.defers != "":
			g.p("return")
		case len(fn.names) > 0:
			g.p("return %s", strings.Join(fn.names, ", "))
		default:
			g.p("return %s", strings.Join(rf.rets, ", "))
		}
		g.p("}")
	}
	for i, x := range rf.exits {
		g.p("if %s == %d {", rf.state, i+2)
		g.branch(x.tok, x.to)
		g.p("}")
	}
	g.p("%s = 1", rf.state)
	g.p("}")
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

// frozen evaluates the operands of a go or defer call now; the call itself uses the copies.
func (g *gen) frozen(e *ast.CallExpr) (pre, call string) {
	by := g.deferring
	g.deferring = ""
	var b strings.Builder
	keep := func(rep, code string) string {
		n := g.temp("t")
		fmt.Fprintf(&b, "var %s %s = %s\n", n, rep, code)
		return n
	}
	fun := ast.Unparen(e.Fun)
	tv := g.u.Info.Types[fun]
	if tv.IsBuiltin() {
		id := fun.(*ast.Ident)
		if id.Name == "recover" {
			return "", "rt.Recover()"
		}
		var as []string
		for i, a := range e.Args {
			t := types.Default(g.typ(a))
			if id.Name == "panic" {
				t = types.Universe.Lookup("any").Type()
			}
			if id.Name == "delete" && i == 1 {
				t = under(g.typ(e.Args[0])).(*types.Map).Key()
			}
			as = append(as, keep(g.rep(t), g.conv(a, t)))
		}
		return b.String(), id.Name + "(" + strings.Join(as, ", ") + ")"
	}
	if tv.IsType() {
		g.refuse(e, "go or defer of a conversion")
	}
	if s := g.special(e); s != "" {
		return "", s
	}
	if fl, ok := fun.(*ast.FuncLit); ok && !e.Ellipsis.IsValid() {
		sig := g.u.Info.TypeOf(fl).(*types.Signature)
		single := len(e.Args) == sig.Params().Len() && !sig.Variadic()
		if single {
			p := parts{sig: sig}
			args, apre := g.args(p, e)
			if apre == "" {
				i := 0
				for _, f := range fl.Type.Params.List {
					ids := f.Names
					if len(ids) == 0 {
						ids = []*ast.Ident{nil}
					}
					for _, id := range ids {
						n := ""
						if id == nil || id.Name == "_" {
							n = g.temp("p")
						} else {
							n = g.declare(g.u.Info.Defs[id])
						}
						fmt.Fprintf(&b, "var %s %s = %s\n", n, g.rep(g.subst(sig.Params().At(i).Type())), args[i])
						i++
					}
				}
				out, fn, loops := g.out, g.fn, g.loops
				g.out, g.fn, g.loops = &strings.Builder{}, &fnCtx{under: by}, nil
				res := g.results(sig, fl.Type)
				g.body(fl.Body)
				body := g.out.String()
				g.out, g.fn, g.loops = out, fn, loops
				return b.String(), "func()" + res + " {\n" + body + "}()"
			}
		}
	}
	p := g.callee(e)
	args, apre := g.args(p, e)
	if apre != "" {
		fmt.Fprintln(&b, apre)
	}
	for i := range args {
		a := strings.TrimSuffix(args[i], "...")
		spread := a != args[i]
		if len(e.Args) == len(args) {
			t := paramAt(p.sig, i, spread)
			a = keep(g.rep(t), a)
		}
		if spread {
			a += "..."
		}
		args[i] = a
	}
	if p.recv != "" {
		rep, code := p.recvRep, p.recv
		if strings.HasPrefix(rep, "&") { // a host's pointer method on an addressable value
			rep, code = "*"+rep[1:], "&"+code
		}
		p.recv = keep(rep, code)
	} else if _, ok := fun.(*ast.Ident); !ok || g.local[g.u.Info.ObjectOf(fun.(*ast.Ident))] != "" {
		if !strings.HasPrefix(p.fn, "h") || !strings.Contains(p.fn, "_") || strings.Contains(p.fn, "(") {
			p.fn = keep(g.rep(g.typ(e.Fun)), p.fn)
		}
	}
	return b.String(), g.finish(p, args)
}
