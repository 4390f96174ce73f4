package machine

import (
	"reflect"
	"unsafe"
)

// A frame is the registers of one call, laid out as a Go value of a type made
// for the function: after this header come the pointers, then the plain words,
// strings, slices, interfaces and whatever else the function has values of, each
// stored as compiled code stores it. So an instruction is a closure over offsets,
// the collector sees what a frame holds, and constants are registers that the
// frame's template has filled in.
type frame struct {
	code   *code
	caller *frame
	th     *thread
	x      *extra
	pc     int // the instruction that runs: an index of code.pos
}

// extra is what only frames with deferred calls or panics need.
type extra struct {
	defers  []deferred
	because *thrown // the panic that this frame, a deferred call, may recover
}

func (f *frame) extra() *extra {
	if f.x == nil {
		f.x = new(extra)
	}
	return f.x
}

func at[T any](f *frame, off uintptr) *T { return (*T)(unsafe.Add(unsafe.Pointer(f), off)) }

func (f *frame) ptr(off uintptr) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(f), off) }

// A class is a way to store and copy values.
type class uint8

const (
	classNone    class = iota // no bytes
	classByte                 // 1, 2, 4 or 8 bytes without pointers
	classHalf                 //
	classSingle               //
	classWord                 //
	classPointer              // one pointer
	classString
	classSlice
	classInterface
	classOther
)

type slice struct {
	data     unsafe.Pointer
	len, cap int
}

// set leaves the pointer alone where it is the same, as in a loop that appends: while
// memory is collected, writing pointers is what takes the time.
func (s *slice) set(v slice) {
	if s.data != v.data {
		s.data = v.data
	}
	s.len, s.cap = v.len, v.cap
}

type iface struct{ tab, data unsafe.Pointer }

// An itab is an interface's method table, of which only the type matters here.
type itab struct {
	inter *rtype
	typ   *rtype
	hash  uint32
}

// itabEntries is where in an itab the addresses of the methods start.
const itabEntries = unsafe.Sizeof(itab{})

func classOf(t *rtype) class {
	switch {
	case t.size == 0:
		return classNone
	case t.ptrBytes == 0:
		switch t.size {
		case 1:
			return classByte
		case 2:
			return classHalf
		case 4:
			return classSingle
		case 8:
			return classWord
		}
	case t.size == 8:
		return classPointer
	case reflect.Kind(t.kind) == reflect.String:
		return classString
	case reflect.Kind(t.kind) == reflect.Slice:
		return classSlice
	case reflect.Kind(t.kind) == reflect.Interface:
		return classInterface
	}
	return classOther
}

// A slot is where a frame holds a value.
type slot struct {
	off   uintptr
	class class
	typ   *rtype
}

// copyValue copies a value of the slot's type.
func (s *slot) copyValue(dst, src unsafe.Pointer) {
	switch s.class {
	case classWord:
		*(*uint64)(dst) = *(*uint64)(src)
	case classPointer:
		*(*unsafe.Pointer)(dst) = *(*unsafe.Pointer)(src)
	case classString:
		*(*string)(dst) = *(*string)(src)
	case classInterface:
		*(*iface)(dst) = *(*iface)(src)
	case classSlice:
		(*slice)(dst).set(*(*slice)(src))
	case classByte:
		*(*uint8)(dst) = *(*uint8)(src)
	case classSingle:
		*(*uint32)(dst) = *(*uint32)(src)
	case classHalf:
		*(*uint16)(dst) = *(*uint16)(src)
	case classOther:
		typedmemmove(s.typ, dst, src)
	}
}

func (s *slot) clear(f *frame) {
	if s.class != classNone {
		typedmemclr(s.typ, f.ptr(s.off))
	}
}

// value is a slot's value for reflect; it is the slot's memory, not a copy.
func (s *slot) value(f *frame) reflect.Value {
	return reflect.NewAt(typeOf(s.typ), f.ptr(s.off)).Elem()
}

// layout gives out the slots of a frame. Slots of a class lie together, so
// that frames of many functions have the same type.
type layout struct {
	counts [classOther]int
	others []*rtype
	made   []*slot
	index  []int
}

// add reserves a slot; its offset is known after done.
func (l *layout) add(t *rtype) *slot {
	s := &slot{class: classOf(t), typ: t}
	l.made = append(l.made, s)
	switch s.class {
	case classNone:
		l.index = append(l.index, 0)
	case classOther:
		l.index = append(l.index, len(l.others))
		l.others = append(l.others, t)
	default:
		c := s.class.group()
		l.index = append(l.index, l.counts[c])
		l.counts[c]++
	}
	return s
}

// group is the class whose field a frame type has for a class: all plain words take eight bytes.
func (c class) group() class {
	if c < classWord {
		return classWord
	}
	return c
}

var groupTypes = map[class]reflect.Type{
	classWord: reflect.TypeFor[uint64](), classPointer: reflect.TypeFor[unsafe.Pointer](), classString: reflect.TypeFor[string](),
	classSlice: reflect.TypeFor[slice](), classInterface: reflect.TypeFor[iface](),
}

// done makes the frame's type and tells the slots where they are.
func (l *layout) done() *rtype {
	fields := []reflect.StructField{{Name: "Header", Type: reflect.TypeFor[frame]()}}
	field := map[class]int{}
	for c := classWord; c < classOther; c++ {
		if n := l.counts[c]; n > 0 {
			field[c] = len(fields)
			fields = append(fields, reflect.StructField{Name: string(rune('A' + c)), Type: reflect.ArrayOf((n+3)&^3, groupTypes[c])})
		}
	}
	first := len(fields)
	for i, t := range l.others {
		fields = append(fields, reflect.StructField{Name: "X" + string(rune('A'+i/676)) + string(rune('a'+i/26%26)) + string(rune('a'+i%26)), Type: typeOf(t)})
	}
	t := reflect.StructOf(fields)
	for i, s := range l.made {
		switch s.class {
		case classNone:
			s.off = 0
		case classOther:
			s.off = t.Field(first + l.index[i]).Offset
		default:
			c := s.class.group()
			s.off = t.Field(field[c]).Offset + uintptr(l.index[i])*groupTypes[c].Size()
		}
	}
	return descriptor(t)
}
