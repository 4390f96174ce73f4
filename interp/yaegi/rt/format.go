package rt

import (
	"encoding/json"
	"fmt"
	"go/types"
	"io"
	"reflect"
	"sort"
	"strings"
)

// Format prints a cell value as fmt prints the same value in a compiled program: the static types lead,
// reflect follows.
func (b Box) Format(s fmt.State, verb rune) {
	b.T.rt.print(s, verb, reflect.ValueOf(b.V), b.T.T, 0, true)
}

func (r *RT) print(s fmt.State, verb rune, v reflect.Value, t types.Type, depth int, exported bool) {
	one := func() { fmt.Fprintf(s, fmt.FormatString(s, verb), v.Interface()) }
	if !v.IsValid() {
		io.WriteString(s, "<nil>")
		return
	}
	if exported && r.methods(s, verb, v, t) {
		return
	}
	if !r.deep(t) {
		if depth > 0 && v.Kind() == reflect.Pointer && verb == 'v' && !v.IsNil() {
			switch v.Interface().(type) {
			case error, fmt.Stringer, fmt.Formatter:
			default:
				if sharpV(s) {
					fmt.Fprintf(s, "(%s)(%p)", r.typeName(t), v.UnsafePointer())
					return
				}
				fmt.Fprintf(s, fmt.FormatString(s, verb), v.UnsafePointer())
				return
			}
		}
		one()
		return
	}
	plus, sharp := s.Flag('+'), s.Flag('#') && verb == 'v'
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if sharp {
			io.WriteString(s, r.typeName(t))
		}
		io.WriteString(s, "{")
		for i := 0; i < u.NumFields(); i++ {
			f := u.Field(i)
			if i > 0 {
				io.WriteString(s, map[bool]string{true: ", ", false: " "}[sharp])
			}
			if plus || sharp {
				io.WriteString(s, f.Name()+":")
			}
			r.print(s, verb, v.Field(i), f.Type(), depth+1, exported && f.Exported())
		}
		io.WriteString(s, "}")
	case *types.Slice, *types.Array:
		et := u.(interface{ Elem() types.Type }).Elem()
		if k := v.Type().Elem().Kind(); k == reflect.Uint8 && strings.ContainsRune("sqxX", verb) {
			one()
			return
		}
		open, sep, end := "[", " ", "]"
		if sharp {
			open, sep, end = r.typeName(t)+"{", ", ", "}"
			if v.Kind() == reflect.Slice && v.IsNil() {
				io.WriteString(s, r.typeName(t)+"(nil)")
				return
			}
		}
		io.WriteString(s, open)
		for i := 0; i < v.Len(); i++ {
			if i > 0 {
				io.WriteString(s, sep)
			}
			r.print(s, verb, v.Index(i), et, depth+1, exported)
		}
		io.WriteString(s, end)
	case *types.Map:
		open, sep, end := "map[", " ", "]"
		if sharp {
			open, sep, end = r.typeName(t)+"{", ", ", "}"
			if v.IsNil() {
				io.WriteString(s, r.typeName(t)+"(nil)")
				return
			}
		}
		io.WriteString(s, open)
		keys := v.MapKeys()
		sort.SliceStable(keys, func(i, j int) bool { return less(keys[i], keys[j]) })
		for i, k := range keys {
			if i > 0 {
				io.WriteString(s, sep)
			}
			r.print(s, verb, k, u.Key(), depth+1, exported)
			io.WriteString(s, ":")
			r.print(s, verb, v.MapIndex(k), u.Elem(), depth+1, exported)
		}
		io.WriteString(s, end)
	case *types.Pointer:
		if depth == 0 && !v.IsNil() {
			switch u.Elem().Underlying().(type) {
			case *types.Struct, *types.Slice, *types.Array, *types.Map:
				io.WriteString(s, "&")
				r.print(s, verb, v.Elem(), u.Elem(), depth+1, exported)
				return
			}
		}
		if v.IsNil() && verb == 'v' {
			io.WriteString(s, map[bool]string{true: "(" + r.typeName(t) + ")(nil)", false: "<nil>"}[sharp])
			return
		}
		if sharp {
			fmt.Fprintf(s, "(%s)(%p)", r.typeName(t), v.UnsafePointer())
			return
		}
		fmt.Fprintf(s, fmt.FormatString(s, verb), v.UnsafePointer())
	case *types.Interface:
		if v.Kind() == reflect.Interface {
			if v.IsNil() {
				io.WriteString(s, map[bool]string{true: r.typeName(t) + "(nil)", false: "<nil>"}[sharp])
				return
			}
			v = v.Elem()
		}
		if b, ok := r.norm(v.Interface()).(Box); ok {
			r.print(s, verb, reflect.ValueOf(b.V), b.T.T, depth+1, exported)
			return
		}
		r.print(s, verb, v, r.TypeOf(v.Type()), depth+1, exported)
	default:
		one()
	}
}

func sharpV(s fmt.State) bool { return s.Flag('#') }

func (r *RT) methods(s fmt.State, verb rune, v reflect.Value, t types.Type) (done bool) {
	if !r.Impure(t) {
		return false
	}
	ty := r.Intern(t)
	has := func(n string) bool {
		o, _, _ := types.LookupFieldOrMethod(t, false, r.Pkg, n)
		_, ok := o.(*types.Func)
		return ok
	}
	if types.IsInterface(t) {
		return false
	}
	sharp := s.Flag('#') && verb == 'v'
	name := ""
	switch {
	case has("Format"):
		r.bound(Box{ty, v.Interface()}, "Format").Call([]reflect.Value{reflect.ValueOf(s), reflect.ValueOf(verb)})
		return true
	case sharp && has("GoString"):
		name = "GoString"
	case sharp || !strings.ContainsRune("vsxXq", verb):
		return false
	case has("Error"):
		name = "Error"
	case has("String"):
		name = "String"
	default:
		return false
	}
	defer func() {
		if p := recover(); p != nil {
			if v.Kind() == reflect.Pointer && v.IsNil() {
				io.WriteString(s, "<nil>")
			} else {
				fmt.Fprintf(s, "%%!%c(PANIC=%s method: %v)", verb, name, r.Fix(p))
			}
			done = true
		}
	}()
	str := r.bound(Box{ty, v.Interface()}, name).Call(nil)[0].String()
	if sharp {
		io.WriteString(s, str)
	} else {
		fmt.Fprintf(s, fmt.FormatString(s, verb), str)
	}
	return true
}

func less(a, b reflect.Value) bool {
	for a.Kind() == reflect.Interface && b.Kind() == reflect.Interface {
		x, y := a.Interface(), b.Interface()
		if p, ok := x.(Box); ok {
			x = p.V
		}
		if p, ok := y.(Box); ok {
			y = p.V
		}
		a, b = reflect.ValueOf(x), reflect.ValueOf(y)
	}
	if a.Kind() != b.Kind() {
		return a.Kind() < b.Kind()
	}
	switch {
	case a.CanInt():
		return a.Int() < b.Int()
	case a.CanUint():
		return a.Uint() < b.Uint()
	case a.CanFloat():
		return a.Float() < b.Float()
	case a.Kind() == reflect.String:
		return a.String() < b.String()
	case a.Kind() == reflect.Bool:
		return !a.Bool() && b.Bool()
	case a.Kind() == reflect.Struct, a.Kind() == reflect.Array:
		n := a.Type().Len
		if a.Kind() == reflect.Struct {
			n = a.NumField
		}
		for i := 0; i < n(); i++ {
			x, y := a, b
			if a.Kind() == reflect.Struct {
				x, y = a.Field(i), b.Field(i)
			} else {
				x, y = a.Index(i), b.Index(i)
			}
			if less(x, y) {
				return true
			}
			if less(y, x) {
				return false
			}
		}
	}
	return false
}

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

var errorIface = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// MarshalJSON encodes the plain value. (The fields of an embedded cell struct are not flattened.)
func (b Box) MarshalJSON() ([]byte, error) {
	if m := b.T.rt.lookup(b.T, "MarshalJSON"); m != nil {
		out := b.T.rt.bound(b, "MarshalJSON").Call(nil)
		err, _ := out[1].Interface().(error)
		return out[0].Bytes(), err
	}
	return json.Marshal(b.V)
}

// MIMEBundle is the method of that name of the value in the box, nil if it has none.
func (b Box) MIMEBundle() map[string]any {
	if m := b.T.rt.lookup(b.T, "MIMEBundle"); m != nil {
		forms, _ := b.T.rt.bound(b, "MIMEBundle").Call(nil)[0].Interface().(map[string]any)
		return forms
	}
	return nil
}
