package yaegi

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

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
