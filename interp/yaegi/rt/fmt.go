package rt

import (
	"fmt"
	"go/types"
	"io"
	"reflect"
	"strings"
)

// types replaces %T of boxes, which fmt itself answers from reflect.
func (r *RT) verbs(format string, a []any) (string, []any) {
	if !strings.Contains(format, "T") {
		return format, a
	}
	var b strings.Builder
	n := 0
	out := append([]any(nil), a...)
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		j := i + 1
		for j < len(format) && strings.IndexByte("+-# 0123456789.*[]", format[j]) >= 0 {
			if format[j] == '*' {
				n++
			}
			j++
		}
		if j >= len(format) {
			b.WriteString(format[i:])
			break
		}
		if format[j] == '%' {
			b.WriteString(format[i : j+1])
			i = j
			continue
		}
		if format[j] == 'T' && n < len(out) {
			if x, ok := r.norm(out[n]).(Box); ok {
				out[n] = x.T.name
				b.WriteString(format[i:j] + "s")
				n++
				i = j
				continue
			}
		}
		b.WriteString(format[i : j+1])
		n++
		i = j
	}
	return b.String(), out
}

// Print formats the result of a cell.
func (r *RT) TypeName(x any) string {
	if b, ok := r.norm(x).(Box); ok {
		return b.T.name
	}
	return fmt.Sprintf("%T", x)
}

// deep: the host's fmt would not print t as Go does: it has cell types in it, or interfaces that may hold them.
func (r *RT) deep(t types.Type) bool {
	if r.Impure(t) {
		return true
	}
	if _, ok := t.(*types.Named); ok && !types.IsInterface(t) {
		return false // a host type
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return true
	case *types.Slice:
		return r.deep(u.Elem())
	case *types.Array:
		return r.deep(u.Elem())
	case *types.Map:
		return r.deep(u.Key()) || r.deep(u.Elem())
	case *types.Struct:
		for i := 0; i < u.NumFields(); i++ {
			if r.deep(u.Field(i).Type()) {
				return true
			}
		}
	case *types.Pointer:
		return r.deep(u.Elem())
	}
	return false
}

// args boxes plain containers of interfaces, so that Format gets to see what is in them.
func (r *RT) args(a []any) []any {
	copied := false
	for i, x := range a {
		switch x.(type) {
		case nil, Box, ErrBox, int, string, bool, float64, error:
			continue
		}
		t := reflect.TypeOf(x)
		if t.PkgPath() != "" {
			continue
		}
		switch t.Kind() {
		case reflect.Slice, reflect.Map, reflect.Array, reflect.Struct, reflect.Pointer:
			if ty := r.TypeOf(t); r.deep(ty) {
				if !copied {
					a, copied = append([]any(nil), a...), true
				}
				a[i] = Box{r.Intern(ty), x}
			}
		}
	}
	return a
}

// Fmt is fmt's print family for arguments that may be, or hold, boxes.
func (r *RT) Fmt() map[string]reflect.Value {
	v := reflect.ValueOf
	return map[string]reflect.Value{
		"Printf": v(func(f string, a ...any) (int, error) {
			f, a = r.verbs(f, r.args(a))
			return fmt.Fprintf(r.Stdout, f, a...)
		}),
		"Sprintf": v(func(f string, a ...any) string { f, a = r.verbs(f, r.args(a)); return fmt.Sprintf(f, a...) }),
		"Errorf": v(func(f string, a ...any) error {
			f, a = r.verbs(f, r.args(a))
			a = append([]any(nil), a...)
			for i, x := range a { // %w wants an error
				if b, ok := x.(Box); ok && types.Implements(b.T.T, errorIface) {
					a[i] = ErrBox{b}
				}
			}
			return fmt.Errorf(f, a...)
		}),
		"Fprintf": v(func(w io.Writer, f string, a ...any) (int, error) {
			f, a = r.verbs(f, r.args(a))
			return fmt.Fprintf(r.Writer(w), f, a...)
		}),
		"Print":    v(func(a ...any) (int, error) { return fmt.Fprint(r.Stdout, r.args(a)...) }),
		"Println":  v(func(a ...any) (int, error) { return fmt.Fprintln(r.Stdout, r.args(a)...) }),
		"Sprint":   v(func(a ...any) string { return fmt.Sprint(r.args(a)...) }),
		"Sprintln": v(func(a ...any) string { return fmt.Sprintln(r.args(a)...) }),
		"Fprint":   v(func(w io.Writer, a ...any) (int, error) { return fmt.Fprint(r.Writer(w), r.args(a)...) }),
		"Fprintln": v(func(w io.Writer, a ...any) (int, error) { return fmt.Fprintln(r.Writer(w), r.args(a)...) }),
	}
}

// typeString names a type as reflect does in a compiled program.
func typeString(t types.Type) string {
	switch u := types.Unalias(t).(type) {
	case *types.Named:
		s := u.Obj().Name()
		if p := u.Obj().Pkg(); p != nil {
			s = p.Name() + "." + s
		}
		if n := u.TypeArgs().Len(); n > 0 {
			var as []string
			for i := 0; i < n; i++ {
				as = append(as, typeString(u.TypeArgs().At(i)))
			}
			s += "[" + strings.Join(as, ",") + "]"
		}
		return s
	case *types.Basic:
		return types.Default(u).String()
	case *types.Pointer:
		return "*" + typeString(u.Elem())
	case *types.Slice:
		return "[]" + typeString(u.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", u.Len(), typeString(u.Elem()))
	case *types.Map:
		return "map[" + typeString(u.Key()) + "]" + typeString(u.Elem())
	case *types.Interface:
		if u.NumMethods() == 0 {
			return "interface {}"
		}
	case *types.Struct:
		if u.NumFields() == 0 {
			return "struct {}"
		}
		var fs []string
		for i := 0; i < u.NumFields(); i++ {
			f := u.Field(i)
			s := f.Name() + " " + typeString(f.Type())
			if f.Embedded() {
				s = typeString(f.Type())
			}
			if g := u.Tag(i); g != "" {
				s += fmt.Sprintf(" %q", g)
			}
			fs = append(fs, s)
		}
		return "struct { " + strings.Join(fs, "; ") + " }"
	}
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}
