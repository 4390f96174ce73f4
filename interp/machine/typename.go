package machine

import (
	"fmt"
	"go/types"
	"strings"
)

// typeName names a type as reflect does in a compiled program.
func typeName(t types.Type) string {
	switch u := types.Unalias(t).(type) {
	case *types.Named:
		s := u.Obj().Name()
		if p := u.Obj().Pkg(); p != nil {
			s = p.Name() + "." + s
		}
		if n := u.TypeArgs().Len(); n > 0 {
			as := make([]string, n)
			for i := range as {
				as[i] = typeName(u.TypeArgs().At(i))
			}
			s += "[" + strings.Join(as, ",") + "]"
		}
		return s
	case *types.Basic:
		return types.Default(u).String()
	case *types.Pointer:
		return "*" + typeName(u.Elem())
	case *types.Slice:
		return "[]" + typeName(u.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", u.Len(), typeName(u.Elem()))
	case *types.Map:
		return "map[" + typeName(u.Key()) + "]" + typeName(u.Elem())
	case *types.Chan:
		return map[types.ChanDir]string{types.SendRecv: "chan ", types.SendOnly: "chan<- ", types.RecvOnly: "<-chan "}[u.Dir()] + typeName(u.Elem())
	case *types.Signature:
		return "func" + signatureName(u)
	case *types.Interface:
		if u.Empty() {
			return "interface {}"
		}
		var ms []string
		for _, m := range sortedMethods(u) {
			ms = append(ms, m.Name()+signatureName(m.Type().(*types.Signature)))
		}
		return "interface { " + strings.Join(ms, "; ") + " }"
	case *types.Struct:
		if u.NumFields() == 0 {
			return "struct {}"
		}
		fs := make([]string, u.NumFields())
		for i := range fs {
			v := u.Field(i)
			fs[i] = v.Name() + " " + typeName(v.Type())
			if v.Embedded() {
				fs[i] = typeName(v.Type())
			}
			if g := u.Tag(i); g != "" {
				fs[i] += fmt.Sprintf(" %q", g)
			}
		}
		return "struct { " + strings.Join(fs, "; ") + " }"
	}
	return types.TypeString(t, (*types.Package).Name)
}

func signatureName(s *types.Signature) string {
	var in, out []string
	for i := range s.Params().Len() {
		t := s.Params().At(i).Type()
		if s.Variadic() && i == s.Params().Len()-1 {
			in = append(in, "..."+typeName(t.(*types.Slice).Elem()))
			continue
		}
		in = append(in, typeName(t))
	}
	for i := range s.Results().Len() {
		out = append(out, typeName(s.Results().At(i).Type()))
	}
	r := "(" + strings.Join(in, ", ") + ")"
	switch len(out) {
	case 0:
		return r
	case 1:
		return r + " " + out[0]
	}
	return r + " (" + strings.Join(out, ", ") + ")"
}
