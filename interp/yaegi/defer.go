package yaegi

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

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
