package machine

import (
	"go/types"
	"reflect"
	"runtime"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// box makes the data word of an interface that holds the value at p.
func box(t *rtype, p unsafe.Pointer) unsafe.Pointer {
	if t.flag&flagDirect != 0 {
		return *(*unsafe.Pointer)(p)
	}
	q := newObject(t)
	typedmemmove(t, q, p)
	return q
}

// toAny reads a value as any.
func (k *compiler) toAny(v ssa.Value) func(*frame) any {
	s := k.slot(v)
	o, t := s.off, s.typ
	i, ok := v.Type().Underlying().(*types.Interface)
	switch {
	case ok && i.Empty():
		return func(f *frame) any { return *at[any](f, o) }
	case ok:
		return func(f *frame) any { return anyOf(*at[iface](f, o)) }
	}
	return func(f *frame) (v any) {
		*(*eface)(unsafe.Pointer(&v)) = eface{unsafe.Pointer(t), box(t, f.ptr(o))}
		return v
	}
}

// anyOf forgets the methods of an interface value.
func anyOf(i iface) (v any) {
	if i.tab == nil {
		return nil
	}
	*(*eface)(unsafe.Pointer(&v)) = eface{unsafe.Pointer((*itab)(i.tab).typ), i.data}
	return v
}

// itabOf is the method table of a type in an interface type, nil if it lacks a
// method. It is the runtime's own.
func itabOf(inter, t *rtype) unsafe.Pointer {
	it := typeOf(inter)
	ct := typeOf(t)
	if !ct.Implements(it) {
		return nil
	}
	v := reflect.New(it).Elem()
	v.Set(reflect.NewAt(ct, zeroOf(t)).Elem())
	return (*iface)(v.Addr().UnsafePointer()).tab
}

func (k *compiler) makeInterface(x *ssa.MakeInterface) op {
	d, s := k.off(x), k.slot(x.X)
	a, t := s.off, s.typ
	head := unsafe.Pointer(t)
	i := x.Type().Underlying().(*types.Interface)
	if !i.Empty() {
		head = itabOf(k.m.forger.descriptor(x.Type()), t)
	}
	switch s.class {
	case classPointer:
		if t.flag&flagDirect != 0 {
			return func(f *frame) { *at[iface](f, d) = iface{head, *at[unsafe.Pointer](f, a)} }
		}
	case classWord:
		if i.Empty() && typeOf(t) == reflect.TypeFor[int]() {
			return func(f *frame) { *at[any](f, d) = *at[int](f, a) }
		}
		return func(f *frame) {
			p := new(uint64)
			*p = *at[uint64](f, a)
			*at[iface](f, d) = iface{head, unsafe.Pointer(p)}
		}
	case classString:
		return func(f *frame) {
			p := new(string)
			*p = *at[string](f, a)
			*at[iface](f, d) = iface{head, unsafe.Pointer(p)}
		}
	}
	return func(f *frame) { *at[iface](f, d) = iface{head, box(t, f.ptr(a))} }
}

func (k *compiler) changeInterface(x *ssa.ChangeInterface) op {
	d, from := k.off(x), k.toAny(x.X)
	inter := k.m.forger.descriptor(x.Type())
	empty := x.Type().Underlying().(*types.Interface).Empty()
	if empty {
		return func(f *frame) { *at[any](f, d) = from(f) }
	}
	return func(f *frame) {
		v := from(f)
		e := (*eface)(unsafe.Pointer(&v))
		if e.typ == nil {
			*at[iface](f, d) = iface{}
			return
		}
		*at[iface](f, d) = iface{k.m.table(inter, (*rtype)(e.typ)), e.data}
	}
}

type tableKey struct{ inter, typ *rtype }

// table is itabOf with a memory for what it found.
func (m *Machine) table(inter, t *rtype) unsafe.Pointer {
	key := tableKey{inter, t}
	if p, ok := m.tables.Load(key); ok {
		return p.(unsafe.Pointer)
	}
	p := itabOf(inter, t)
	if p != nil { // a cell may still add the method
		m.tables.Store(key, p)
	}
	return p
}

func (k *compiler) typeAssert(x *ssa.TypeAssert) op {
	from := k.toAny(x.X)
	want := k.m.forger.descriptor(x.AssertedType)
	source := k.m.forger.descriptor(x.X.Type())
	var d *slot
	ok := ^uintptr(0)
	if x.CommaOk {
		d, ok = k.tuples[x][0], k.tuples[x][1].off
	} else {
		d = k.slot(x)
	}
	o := d.off
	if it, isIface := x.AssertedType.Underlying().(*types.Interface); isIface {
		empty := it.Empty()
		return func(f *frame) {
			v := from(f)
			e := (*eface)(unsafe.Pointer(&v))
			var tab unsafe.Pointer
			if e.typ != nil {
				if tab = e.typ; !empty {
					tab = k.m.table(want, (*rtype)(e.typ))
				}
			}
			if x.CommaOk {
				*at[bool](f, ok) = tab != nil
			} else if tab == nil {
				assertFailed(source, (*rtype)(e.typ), want, true)
			}
			*at[iface](f, o) = iface{tab, e.data}
			if tab == nil {
				*at[iface](f, o) = iface{}
			}
		}
	}
	return func(f *frame) {
		v := from(f)
		e := (*eface)(unsafe.Pointer(&v))
		if e.typ != unsafe.Pointer(want) && (e.typ == nil || !k.m.renewed.Load() || k.m.forger.current((*rtype)(e.typ)) != want) {
			if !x.CommaOk {
				assertFailed(source, (*rtype)(e.typ), want, false)
			}
			*at[bool](f, ok) = false
			d.clear(f)
			return
		}
		if x.CommaOk {
			*at[bool](f, ok) = true
		}
		if want.flag&flagDirect != 0 {
			*at[unsafe.Pointer](f, o) = e.data
			return
		}
		d.copyValue(f.ptr(o), e.data)
	}
}

// An assertionError is laid out as a runtime.TypeAssertionError, whose words it borrows.
type assertionError struct {
	source, dynamic, want *rtype
	missing               string
}

func assertFailed(source, dynamic, want *rtype, toInterface bool) {
	e := &assertionError{source, dynamic, want, ""}
	if toInterface {
		e.source = nil
		if dynamic != nil {
			e.missing = missingMethod(typeOf(dynamic), typeOf(want))
		}
	}
	panic((*runtime.TypeAssertionError)(unsafe.Pointer(e)))
}

func missingMethod(t, inter reflect.Type) string {
	for i := range inter.NumMethod() {
		m := inter.Method(i)
		own, ok := t.MethodByName(m.Name)
		if !ok || own.Type.NumIn() != m.Type.NumIn()+1 || own.Type.NumOut() != m.Type.NumOut() {
			return m.Name
		}
		for j := range m.Type.NumIn() {
			if own.Type.In(j+1) != m.Type.In(j) {
				return m.Name
			}
		}
		for j := range m.Type.NumOut() {
			if own.Type.Out(j) != m.Type.Out(j) {
				return m.Name
			}
		}
	}
	return inter.Method(0).Name
}
