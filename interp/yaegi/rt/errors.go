package rt

import (
	"fmt"
	"go/types"
	"reflect"
	"runtime"
	"strings"
)

// ErrBox is a Box handed to Go code as an error.
type ErrBox struct{ Box }

// Is: x.(T) would succeed.
func (r *RT) Is(x any, id int) bool {
	t := r.types[id]
	switch b := r.norm(x).(type) {
	case nil:
		return false
	case Box:
		if t.Iface == nil {
			return b.T == t
		}
		return r.implements(t, b.T, b.T.T)
	default:
		rt := reflect.TypeOf(b)
		if t.Iface == nil {
			if t.fast != nil {
				return t.fast == rt
			}
			if types.Identical(t.T, r.TypeOf(rt)) {
				t.fast = rt
				return true
			}
			return false
		}
		return r.implements(t, rt, r.TypeOf(rt))
	}
}

// Err hands a cell value to Go code as an error; To as any other host interface.
func (r *RT) Err(x any) error {
	switch b := r.norm(x).(type) {
	case nil:
		return nil
	case Box:
		return ErrBox{b}
	case error:
		return b
	}
	return nil
}

// As is errors.As, with the target's type given.
func (r *RT) As(err error, id int, ptr any) bool {
	p := reflect.ValueOf(ptr).Elem()
	for err != nil {
		if r.Is(err, id) {
			x := r.norm(err)
			if b, ok := x.(Box); ok && r.types[id].Iface == nil {
				x = b.V
			} else if p.Kind() == reflect.Interface && p.NumMethod() > 0 {
				x = r.To(x, id)
			}
			p.Set(reflect.ValueOf(x))
			return true
		}
		switch u := err.(type) {
		case interface{ Unwrap() error }:
			err = u.Unwrap()
		case interface{ Unwrap() []error }:
			for _, e := range u.Unwrap() {
				if r.As(e, id, ptr) {
					return true
				}
			}
			return false
		default:
			return false
		}
	}
	return false
}

func (e ErrBox) call(name string) (reflect.Value, bool) {
	if e.T.rt.lookup(e.T, name) == nil {
		return reflect.Value{}, false
	}
	return e.T.rt.bound(e.Box, name), true
}

func (e ErrBox) Error() string {
	m, ok := e.call("Error")
	if !ok {
		return fmt.Sprint(e.Box)
	}
	return m.Call(nil)[0].String()
}

func (e ErrBox) Unwrap() error {
	if m, ok := e.call("Unwrap"); ok && m.Type().NumIn() == 0 && m.Type().NumOut() == 1 {
		u, _ := m.Call(nil)[0].Interface().(error)
		return u
	}
	return nil
}

// Is calls the value's own Is, for errors.Is.
func (e ErrBox) Is(t error) bool {
	if m, ok := e.call("Is"); ok {
		return m.Call([]reflect.Value{reflect.ValueOf(&t).Elem()})[0].Bool()
	}
	return false
}

// Format prints the value in the box.
func (e ErrBox) Format(s fmt.State, verb rune) { e.Box.Format(s, verb) }

// run-time errors

type rtErr string

func (e rtErr) Error() string { return "runtime error: " + string(e) }

func (e rtErr) RuntimeError() {}

var _ runtime.Error = rtErr("")

var texts = [][2]string{
	{"reflect: slice index out of range", "index out of range"},
	{"reflect: array index out of range", "index out of range"},
	{"reflect: string index out of range", "index out of range"},
	{"reflect.Value.Slice: ", "slice bounds out of range"},
	{"reflect.Value.Slice3: ", "slice bounds out of range"},
	{"reflect: call of reflect.Value", "invalid memory address or nil pointer dereference"},
	{"reflect.Value.Field", "invalid memory address or nil pointer dereference"},
	{"reflect: call of nil function", "invalid memory address or nil pointer dereference"},
	{"reflect: function with nil", "invalid memory address or nil pointer dereference"},
}

// Fix turns what the engine panics with into Go's own run-time error.
func (r *RT) Fix(p any) any {
	switch e := p.(type) {
	case nil:
		return nil
	case rtErr:
		if strings.HasPrefix(string(e), "interface conversion") {
			return convErr(e)
		}
		return p
	case reflect.Value: // what the engine panics with
		if !e.IsValid() {
			return nil
		}
		return r.Fix(e.Interface())
	case *reflect.ValueError:
		return rtErr("invalid memory address or nil pointer dereference")
	case string:
		for _, t := range texts {
			if strings.HasPrefix(e, t[0]) {
				return rtErr(t[1])
			}
		}
	}
	return r.norm(p)
}

type convErr string

func (e convErr) Error() string { return string(e) }

func (e convErr) RuntimeError() {}
