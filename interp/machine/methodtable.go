package machine

import (
	"fmt"
	"go/types"
	"reflect"
	"sync"
	"unsafe"
)

// fillMethods writes the method table of a descriptor. Methods that t shares
// with the type it points to have that type's stubs: where a value is not kept in
// the interface itself, an interface's data word is a pointer to it.
func (f *forger) fillMethods(t types.Type, d *rtype) {
	shared := map[string]int32{}
	if p, ok := t.(*types.Pointer); ok {
		if e := f.descriptor(p.Elem()); e.flag&flagDirect == 0 {
			ms := f.methods(p.Elem())
			for i, m := range e.methods() {
				shared[ms[i].name] = m.ifn
			}
		}
	}
	ms := f.methods(t)
	u := d.uncommon()
	u.count = uint16(len(ms))
	for i, m := range ms {
		if m.exported {
			u.xcount++
		}
		ifn, ok := shared[m.name]
		if !ok {
			ifn = f.stub(f.funcType([]reflect.Type{reflect.TypeFor[unsafe.Pointer]()}, m.typ), f.receiver(t, d, m))
		}
		tfn := ifn
		if d.flag&flagDirect == 0 && m.exported { // as a function of the receiver: reflect's Type.Method
			tfn = f.stub(f.funcType([]reflect.Type{typeOf(d)}, m.typ), m.call)
		}
		d.methods()[i] = method{nameOffset(m.name, "", m.exported), addReflectOff(unsafe.Pointer(f.descriptor(m.typ))), ifn, tfn}
	}
}

func (d *rtype) methods() []method {
	u := d.uncommon()
	return unsafe.Slice((*method)(unsafe.Add(unsafe.Pointer(u), uintptr(u.methodsAt))), u.count)
}

// receiver calls a method with an interface's data word as its receiver.
func (f *forger) receiver(t types.Type, d *rtype, m methodEntry) func([]reflect.Value) []reflect.Value {
	if d.flag&flagDirect != 0 {
		return func(a []reflect.Value) []reflect.Value {
			p := a[0].UnsafePointer()
			a[0] = reflect.NewAt(typeOf(d), unsafe.Pointer(&p)).Elem()
			return m.call(a)
		}
	}
	return func(a []reflect.Value) []reflect.Value {
		p := a[0].UnsafePointer()
		if p == nil {
			panic(nilReceiver(typeName(t), m.name))
		}
		a[0] = reflect.NewAt(typeOf(d), p).Elem()
		return m.call(a)
	}
}

// stub gives the code address of a method with the given type.
func (f *forger) stub(t reflect.Type, call func([]reflect.Value) []reflect.Value) int32 {
	stubLock.Lock()
	defer stubLock.Unlock()
	if stubsUsed == stubCount {
		panic(&limitError{fmt.Sprintf("more than %d methods declared in one session; start the kernel again", stubCount)})
	}
	fn := reflect.MakeFunc(t, call).Interface()
	methods[stubsUsed] = (*eface)(unsafe.Pointer(&fn)).data
	at := uintptr(stubsUsed * stubSize)
	stubsUsed++
	return addReflectOff(unsafe.Add(stubBase, at))
}

var (
	stubLock  sync.Mutex
	stubsUsed int
	stubBase  = pointerTo(stubPC())
)

// pointerTo makes a pointer of a code address.
func pointerTo(pc uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&pc)) }

// limitError is a limit of the machine that a cell ran into while it was made ready.
type limitError struct{ text string }

func (e *limitError) Error() string { return e.text }
