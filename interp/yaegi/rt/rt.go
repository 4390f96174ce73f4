package rt

import (
	"errors"
	"fmt"
	"go/types"
	"io"
	"reflect"
	"strings"
	"sync"
)

// Type is one interned go/types type.
type Type struct {
	ID    int
	T     types.Type
	Iface *types.Interface
	name  string
	rt    *RT
	impl  sync.Map // *Type or reflect.Type -> bool, for interfaces
	meth  sync.Map // method name -> method
	fast  reflect.Type
}

// Box is an interface value whose dynamic type is a cell type (or one made from cell types).
type Box struct {
	T *Type
	V any
}

type method struct {
	index []int
	key   string
	name  string
	host  bool
}

// RT is what the code that cells are lowered to calls: the types of cells, their values
// in the eyes of compiled code, and what Go does in a panic or a conversion.
type RT struct {
	mu     sync.Mutex
	types  []*Type
	byKey  map[string][]*Type
	reg    map[string]reflect.Value
	wraps  map[string]reflect.Type // "io.Writer" -> generated wrapper struct
	isWrap map[reflect.Type]bool

	TypeOf func(reflect.Type) types.Type // dynamic type of a host value
	NameOf func(*types.Named) string     // emitted name of a cell type
	Impure func(types.Type) bool         // has cell types in it
	OnGo   func(v any, pos string)       // panic of a user's goroutine
	Out    func(vs []any)                // result of a cell
	Hold   func(cell func())             // takes the func value of a cell and returns when it is over
	Forget func()                        // a panic has been recovered
	Pkg    *types.Package

	Writer         func(io.Writer) io.Writer // the session's stream behind a cell's os.Stdout
	Stdout, Stderr io.Writer
}

// New is a runtime without types.
func New() *RT {
	return &RT{byKey: map[string][]*Type{}, reg: map[string]reflect.Value{}, wraps: map[string]reflect.Type{}, isWrap: map[reflect.Type]bool{}}
}

// UseWrappers takes the generated interface wrappers (symbols named _X) of a host package.
func (r *RT) UseWrappers(path string, symbols map[string]reflect.Value) {
	for n, v := range symbols {
		if strings.HasPrefix(n, "_") {
			t := v.Type().Elem()
			r.wraps[path+"."+n[1:]] = t
			r.isWrap[t] = true
		}
	}
}

// Intern gives the one Type of all types identical to t.
func (r *RT) Intern(t types.Type) *Type {
	t = types.Unalias(t)
	k := types.TypeString(t, nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, x := range r.byKey[k] {
		if types.Identical(x.T, t) {
			return x
		}
	}
	x := &Type{ID: len(r.types), T: t, name: typeString(t), rt: r}
	x.Iface, _ = t.Underlying().(*types.Interface)
	r.types = append(r.types, x)
	r.byKey[k] = append(r.byKey[k], x)
	return x
}

// norm strips wrappers: a Box, or a host value.
func (r *RT) norm(x any) any {
	switch b := x.(type) {
	case nil, Box, int, string, bool, float64:
		return x
	case ErrBox:
		return b.Box
	}
	v := reflect.ValueOf(x)
	if r.isWrap[v.Type()] {
		return r.norm(v.FieldByName("IValue").Interface())
	}
	if v.Kind() == reflect.Pointer && r.isWrap[v.Type().Elem()] && !v.IsNil() {
		return r.norm(v.Elem().FieldByName("IValue").Interface())
	}
	return x
}

// DynamicType is the type of the value in x, nil if there is none.
func (r *RT) DynamicType(x any) types.Type {
	switch b := r.norm(x).(type) {
	case nil:
		return nil
	case Box:
		return b.T.T
	default:
		return r.TypeOf(reflect.TypeOf(b))
	}
}

func (r *RT) implements(t *Type, key any, dyn types.Type) bool {
	if v, ok := t.impl.Load(key); ok {
		return v.(bool)
	}
	ok := types.Implements(dyn, t.Iface)
	if _, isBox := key.(*Type); !isBox { // methods may be added to a cell type later
		t.impl.Store(key, ok)
	}
	return ok
}

// Unbox is the value in a box; anything else is itself.
func (r *RT) Unbox(x any) any {
	if b, ok := r.norm(x).(Box); ok {
		return b.V
	}
	return x
}

// Box puts a value of the cell type id into a box.
func (r *RT) Box(id int, v any) any { return Box{r.types[id], v} }

// Assert panics as Go does when x.(T) fails.
func (r *RT) Assert(x any, from, id int) {
	if r.Is(x, id) {
		return
	}
	t, f := r.types[id], r.types[from]
	fn := f.name
	if _, ok := f.T.(*types.Interface); ok && f.Iface.NumMethods() == 0 {
		fn = "interface {}"
	}
	d := r.DynamicType(x)
	switch {
	case d == nil && t.Iface != nil:
		panic(rtErr("interface conversion: interface is nil, not " + t.name))
	case d == nil:
		panic(rtErr("interface conversion: " + fn + " is nil, not " + t.name))
	case t.Iface != nil:
		m, _ := types.MissingMethod(d, t.Iface, true)
		panic(rtErr("interface conversion: " + r.typeName(d) + " is not " + t.name + ": missing method " + m.Name()))
	}
	panic(rtErr("interface conversion: " + fn + " is " + r.typeName(d) + ", not " + t.name))
}

func (r *RT) typeName(t types.Type) string { return typeString(t) }

// To makes a boxed value one of the host interface id, so that compiled code can call it.
func (r *RT) To(x any, id int) any {
	b, ok := r.norm(x).(Box)
	if !ok {
		return x
	}
	n, _ := r.types[id].T.(*types.Named)
	if n == nil {
		return x
	}
	if n.Obj().Pkg() == nil {
		return ErrBox{b}
	}
	wt := r.wraps[n.Obj().Pkg().Path()+"."+n.Obj().Name()]
	if wt == nil {
		panic("no wrapper for " + n.String())
	}
	w := reflect.New(wt).Elem()
	w.FieldByName("IValue").Set(reflect.ValueOf(b))
	for i := 0; i < wt.NumField(); i++ {
		if f := wt.Field(i); f.Name[0] == 'W' && f.Type.Kind() == reflect.Func {
			m := r.bound(b, f.Name[1:])
			if m.Type() != f.Type {
				m = m.Convert(f.Type)
			}
			w.Field(i).Set(m)
		}
	}
	return w.Interface()
}

// Reg records the code of a cell type's method: func(recv, args...).
func (r *RT) Reg(typ, name string, fn any) { r.reg[typ+"."+name] = reflect.ValueOf(fn) }

func (r *RT) lookup(t *Type, name string) *method {
	if m, ok := t.meth.Load(name); ok {
		return m.(*method)
	}
	obj, index, _ := types.LookupFieldOrMethod(t.T, true, r.Pkg, name)
	f, ok := obj.(*types.Func)
	if !ok {
		return nil
	}
	m := &method{index: index[:len(index)-1], name: name}
	rt := f.Type().(*types.Signature).Recv().Type()
	if p, ok := rt.(*types.Pointer); ok {
		rt = p.Elem()
	}
	n, ok := types.Unalias(rt).(*types.Named)
	if !ok || types.IsInterface(n) || r.NameOf(n) == "" {
		m.host = true
	} else {
		m.key = r.NameOf(n) + "." + name
	}
	t.meth.Store(name, m)
	return m
}

// bound gives the method bound to its receiver.
func (r *RT) bound(b Box, name string) reflect.Value {
	m := r.lookup(b.T, name)
	if m == nil {
		panic("no method " + name + " on " + b.T.name)
	}
	v := reflect.ValueOf(b.V)
	for _, i := range m.index {
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		v = v.Field(i)
	}
	if m.host {
		if v.Kind() == reflect.Interface {
			if x, ok := r.norm(v.Interface()).(Box); ok {
				return r.bound(x, name)
			}
			v = v.Elem()
		}
		return v.MethodByName(name)
	}
	fn := r.reg[m.key]
	if !fn.IsValid() {
		panic("method " + m.key + " is not registered")
	}
	t := fn.Type()
	switch want := t.In(0).Kind() == reflect.Pointer; {
	case want && v.Kind() != reflect.Pointer:
		if v.CanAddr() {
			v = v.Addr()
		} else {
			p := reflect.New(v.Type())
			p.Elem().Set(v)
			v = p
		}
	case !want && v.Kind() == reflect.Pointer:
		if v.IsNil() {
			panic(rtErr("invalid memory address or nil pointer dereference"))
		}
		v = v.Elem()
	}
	if v.Type() != t.In(0) {
		if v.Kind() == reflect.Pointer { // the engine's own stand-in for a recursive type
			v = reflect.NewAt(t.In(0).Elem(), v.UnsafePointer())
		} else {
			v = v.Convert(t.In(0))
		}
	}
	var in, out []reflect.Type
	for i := 1; i < t.NumIn(); i++ {
		in = append(in, t.In(i))
	}
	for i := 0; i < t.NumOut(); i++ {
		out = append(out, t.Out(i))
	}
	return reflect.MakeFunc(reflect.FuncOf(in, out, t.IsVariadic()), func(a []reflect.Value) []reflect.Value {
		a = append([]reflect.Value{v}, a...)
		if t.IsVariadic() {
			return fn.CallSlice(a)
		}
		return fn.Call(a)
	})
}

// Meth is x.name as a function value, for an x of a cell's interface type.
func (r *RT) Meth(x any, name string) any {
	switch b := r.norm(x).(type) {
	case nil:
		panic(rtErr("invalid memory address or nil pointer dereference"))
	case Box:
		return r.bound(b, name).Interface()
	default:
		return reflect.ValueOf(b).MethodByName(name).Interface()
	}
}

// Eq is == of interface values.
func (r *RT) Eq(a, b any) bool {
	a, b = r.norm(a), r.norm(b)
	x, ok1 := a.(Box)
	y, ok2 := b.(Box)
	if ok1 != ok2 {
		return false
	}
	if ok1 {
		if x.T != y.T {
			return false
		}
		if !types.Comparable(x.T.T) {
			panic(rtErr("comparing uncomparable type " + x.T.name))
		}
		return x.V == y.V
	}
	return a == b
}

// Index checks an index where the exact text of the error matters.
func (r *RT) Index(i, n int) int {
	if uint(i) >= uint(n) {
		panic(rtErr(fmt.Sprintf("index out of range [%d] with length %d", i, n)))
	}
	return i
}

// Go reports what a goroutine of a cell panicked with, and where it was started.
func (r *RT) Go(p any, pos string) {
	if r.OnGo != nil {
		r.OnGo(r.Fix(p), pos)
	}
}

// Result hands over what the last expression of a cell gave.
func (r *RT) Result(a ...any) { r.Out(a) }

// Panic is a fault that lowered code finds where Go would have found it.
func (r *RT) Panic(s string) { panic(errors.New(s)) }

// HoldCell is what the engine evaluates to get at a cell's func value.
func (r *RT) HoldCell(cell func()) { r.Hold(cell) }

// Method returns a method of a value, bound; the zero Value if it has none.
func (r *RT) Method(x any, name string) reflect.Value {
	switch b := r.norm(x).(type) {
	case nil:
		return reflect.Value{}
	case Box:
		if r.lookup(b.T, name) == nil {
			return reflect.Value{}
		}
		return r.bound(b, name)
	default:
		return reflect.ValueOf(b).MethodByName(name)
	}
}

// Host is x as compiled code should see it: an error where its type is one.
func (r *RT) Host(x any) any {
	if b, ok := r.norm(x).(Box); ok && types.Implements(b.T.T, errorIface) {
		return ErrBox{b}
	}
	return x
}
