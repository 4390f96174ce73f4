package yaegi

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"
)

func (l *Lowerer) isCell(n *types.Named) bool {
	o := n.Obj()
	if o.Pkg() == nil {
		return false
	}
	return !l.IsHost(o.Pkg().Path()) || l.Units[o] != nil
}

// Impure: the engine's reflect type does not say which type it is.
func (l *Lowerer) Impure(t types.Type) bool {
	t = types.Unalias(t)
	if v, ok := l.impure[t]; ok {
		return v
	}
	l.impure[t] = false
	v := false
	switch u := t.(type) {
	case *types.Named:
		v = l.isCell(u)
		for i := 0; !v && i < u.TypeArgs().Len(); i++ {
			v = l.Impure(u.TypeArgs().At(i))
		}
	case *types.Pointer:
		v = l.Impure(u.Elem())
	case *types.Slice:
		v = l.Impure(u.Elem())
	case *types.Array:
		v = l.Impure(u.Elem())
	case *types.Chan:
		v = l.Impure(u.Elem())
	case *types.Map:
		v = l.Impure(u.Key()) || l.Impure(u.Elem())
	case *types.Signature:
		for _, tu := range []*types.Tuple{u.Params(), u.Results()} {
			for i := 0; i < tu.Len(); i++ {
				v = v || l.Impure(tu.At(i).Type())
			}
		}
	case *types.Struct:
		for i := 0; i < u.NumFields(); i++ {
			v = v || !u.Field(i).Exported() || l.Impure(u.Field(i).Type())
		}
	case *types.Interface:
		v = u.NumMethods() > 0
	}
	l.impure[t] = v
	return v
}

func clean(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_':
			b.WriteRune(r)
		case r > 127:
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	return b.String()
}

func (l *Lowerer) fresh(base string) string {
	base = clean(base)
	l.used[base]++
	return fmt.Sprintf("%s__%d", base, l.used[base])
}

// typeKey names a cell type: one name for each object and type arguments.
func (l *Lowerer) typeKey(n *types.Named) string {
	k := fmt.Sprintf("%p", n.Obj())
	for i := 0; i < n.TypeArgs().Len(); i++ {
		k += "," + fmt.Sprint(l.RT.Intern(n.TypeArgs().At(i)).ID)
	}
	if s, ok := l.typs[k]; ok {
		return s
	}
	s := l.fresh(n.Obj().Name())
	l.typs[k] = s
	l.named[s] = n
	return s
}

// Alias is the name of a host package in emitted code.
func Alias(path string) string { return "h_" + clean(path) }

func (l *Lowerer) alias(p *types.Package) string { return Alias(p.Path()) }

func (g *gen) subst(t types.Type) types.Type {
	if len(g.env) == 0 || t == nil {
		return t
	}
	return g.sub(t)
}

func (g *gen) sub(t types.Type) types.Type {
	switch u := t.(type) {
	case *types.Alias:
		return g.sub(types.Unalias(u))
	case *types.TypeParam:
		if x, ok := g.env[u]; ok {
			return x
		}
		return u
	case *types.Pointer:
		if e := g.sub(u.Elem()); e != u.Elem() {
			return types.NewPointer(e)
		}
	case *types.Slice:
		if e := g.sub(u.Elem()); e != u.Elem() {
			return types.NewSlice(e)
		}
	case *types.Array:
		if e := g.sub(u.Elem()); e != u.Elem() {
			return types.NewArray(e, u.Len())
		}
	case *types.Chan:
		if e := g.sub(u.Elem()); e != u.Elem() {
			return types.NewChan(u.Dir(), e)
		}
	case *types.Map:
		k, e := g.sub(u.Key()), g.sub(u.Elem())
		if k != u.Key() || e != u.Elem() {
			return types.NewMap(k, e)
		}
	case *types.Tuple:
		if u == nil {
			return u
		}
		ch := false
		var vs []*types.Var
		for i := 0; i < u.Len(); i++ {
			v := u.At(i)
			if x := g.sub(v.Type()); x != v.Type() {
				ch = true
				v = types.NewVar(v.Pos(), v.Pkg(), v.Name(), x)
			}
			vs = append(vs, v)
		}
		if ch {
			return types.NewTuple(vs...)
		}
	case *types.Signature:
		p, r := g.sub(u.Params()).(*types.Tuple), g.sub(u.Results()).(*types.Tuple)
		if p != u.Params() || r != u.Results() {
			return types.NewSignatureType(nil, nil, nil, p, r, u.Variadic())
		}
	case *types.Struct:
		ch := false
		var fs []*types.Var
		var tags []string
		for i := 0; i < u.NumFields(); i++ {
			v := u.Field(i)
			if x := g.sub(v.Type()); x != v.Type() {
				ch = true
				v = types.NewField(v.Pos(), v.Pkg(), v.Name(), x, v.Embedded())
			}
			fs, tags = append(fs, v), append(tags, u.Tag(i))
		}
		if ch {
			return types.NewStruct(fs, tags)
		}
	case *types.Interface:
		ch := false
		var ms []*types.Func
		for i := 0; i < u.NumMethods(); i++ {
			m := u.Method(i)
			if x := g.sub(m.Type()); x != m.Type() {
				ch = true
				m = types.NewFunc(m.Pos(), m.Pkg(), m.Name(), x.(*types.Signature))
			}
			ms = append(ms, m)
		}
		if ch {
			it := types.NewInterfaceType(ms, nil)
			it.Complete()
			return it
		}
	case *types.Named:
		if n := u.TypeArgs().Len(); n > 0 {
			ch := false
			var as []types.Type
			for i := 0; i < n; i++ {
				x := g.sub(u.TypeArgs().At(i))
				ch = ch || x != u.TypeArgs().At(i)
				as = append(as, x)
			}
			if ch {
				x, err := types.Instantiate(g.Ctx, u.Origin(), as, false)
				if err == nil {
					return x
				}
			}
		}
	}
	return t
}

// rep is the type in the emitted program.
func (l *Lowerer) rep(t types.Type) string {
	switch u := types.Unalias(t).(type) {
	case *types.Basic:
		switch u.Kind() {
		case types.UntypedBool:
			return "bool"
		case types.UntypedInt:
			return "int"
		case types.UntypedRune:
			return "int32"
		case types.UntypedFloat:
			return "float64"
		case types.UntypedComplex:
			return "complex128"
		case types.UntypedString:
			return "string"
		case types.UnsafePointer:
			return "uintptr"
		case types.Invalid, types.UntypedNil:
			panic("rep of " + u.String())
		}
		return u.Name()
	case *types.Named:
		if u.Obj().Pkg() == nil { // error, comparable
			return "error"
		}
		if !l.isCell(u) {
			if u.TypeArgs().Len() == 0 && l.HostName(u) {
				return l.alias(u.Obj().Pkg()) + "." + u.Obj().Name()
			}
			if _, ok := u.Underlying().(*types.Struct); ok {
				panic(Refused{Msg: "the host type " + u.String() + " has no name in the engine"})
			}
			return l.rep(u.Underlying())
		}
		switch un := u.Underlying().(type) {
		case *types.Struct:
			name := l.typeKey(u)
			if !l.inst["type "+name] {
				l.inst["type "+name] = true
				i := len(l.pre)
				l.pre = append(l.pre, "")
				s := "type " + name + " " + l.rep(un)
				// a type goes after those it holds by value
				l.pre = append(append(l.pre[:i:i], l.pre[i+1:]...), s)
			}
			return name
		case *types.Interface:
			return "any"
		default:
			// erased, unless it holds itself
			name := l.typeKey(u)
			if l.inst["erasing "+name] {
				l.inst["recursive "+name] = true
				return name
			}
			if l.inst["recursive "+name] {
				return name
			}
			l.inst["erasing "+name] = true
			s := l.rep(un)
			delete(l.inst, "erasing "+name)
			if l.inst["recursive "+name] {
				l.pre = append(l.pre, "type "+name+" "+s)
				return name
			}
			return s
		}
	case *types.Pointer:
		return "*" + l.rep(u.Elem())
	case *types.Slice:
		return "[]" + l.rep(u.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", u.Len(), l.rep(u.Elem()))
	case *types.Map:
		return "map[" + l.rep(u.Key()) + "]" + l.rep(u.Elem())
	case *types.Chan:
		switch u.Dir() {
		case types.SendOnly:
			return "chan<- " + l.rep(u.Elem())
		case types.RecvOnly:
			return "<-chan " + l.rep(u.Elem())
		}
		return "chan (" + l.rep(u.Elem()) + ")"
	case *types.Signature:
		return "func" + l.sig(u, nil)
	case *types.Struct:
		var b strings.Builder
		b.WriteString("struct{ ")
		for i := 0; i < u.NumFields(); i++ {
			f := u.Field(i)
			n := l.field(f, i)
			b.WriteString(n + " " + l.rep(f.Type()))
			tag := u.Tag(i)
			if !f.Exported() && tag == "" {
				tag = `json:"-"`
			}
			if tag != "" {
				b.WriteString(" " + strconv.Quote(tag))
			}
			b.WriteString("; ")
		}
		b.WriteString("}")
		return b.String()
	case *types.Interface:
		return "any"
	case *types.TypeParam:
		panic("type parameter left: " + u.String())
	}
	panic(fmt.Sprintf("rep of %T", t))
}

func (l *Lowerer) field(f *types.Var, i int) string {
	if f.Name() == "_" {
		return fmt.Sprintf("blank%d", i)
	}
	return f.Name()
}

func (l *Lowerer) sig(s *types.Signature, names []string) string {
	var b strings.Builder
	b.WriteString("(")
	for i := 0; i < s.Params().Len(); i++ {
		if i > 0 {
			b.WriteString(", ")
		}
		t := s.Params().At(i).Type()
		if names != nil {
			b.WriteString(names[i] + " ")
		}
		if s.Variadic() && i == s.Params().Len()-1 {
			if sl, ok := t.(*types.Slice); ok {
				b.WriteString("..." + l.rep(sl.Elem()))
			} else {
				b.WriteString("...byte")
			}
		} else {
			b.WriteString(l.rep(t))
		}
	}
	b.WriteString(")")
	switch n := s.Results().Len(); n {
	case 0:
	case 1:
		b.WriteString(" " + l.rep(s.Results().At(0).Type()))
	default:
		b.WriteString(" (")
		for i := 0; i < n; i++ {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(l.rep(s.Results().At(i).Type()))
		}
		b.WriteString(")")
	}
	return b.String()
}

func isIface(t types.Type) bool { return t != nil && types.IsInterface(t) }

// hostIface: an interface that is itself in the emitted program (error, io.Reader), not any.
func (l *Lowerer) hostIface(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || !types.IsInterface(n) {
		return false
	}
	return n.Obj().Pkg() == nil || !l.isCell(n)
}
