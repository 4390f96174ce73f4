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
