package machine

import (
	"reflect"
	"unsafe"
)

// The descriptors of the Go runtime's types, as internal/abi lays them out. Only
// rtype.go, forge.go, methodtable.go and link.go know of them; TestDescriptors compares the
// layout with descriptors that the compiler made.

type rtype struct {
	size, ptrBytes          uintptr
	hash                    uint32
	flag                    uint8
	align, fieldAlign, kind uint8
	equal                   func(unsafe.Pointer, unsafe.Pointer) bool
	gcdata                  *byte
	str, ptrToThis          int32
}

const (
	flagUncommon = 1 << iota
	flagExtraStar
	flagNamed
	flagRegularMemory
	flagMaskOnDemand
	flagDirect
)

type arrayType struct {
	rtype
	elem, slice *rtype
	len         uintptr
}

type chanType struct {
	rtype
	elem *rtype
	dir  int
}

type funcType struct {
	rtype
	in, out uint16
}

type interfaceType struct {
	rtype
	pkgPath *byte
	methods []interfaceMethod
}

type interfaceMethod struct{ name, typ int32 }

type mapType struct {
	rtype
	key, elem, group            *rtype
	hasher                      func(unsafe.Pointer, uintptr) uintptr
	groupSize, slotSize, elemAt uintptr
	flags                       uint32
}

// elemType is the layout of pointer and slice types.
type elemType struct {
	rtype
	elem *rtype
}

type structType struct {
	rtype
	pkgPath *byte
	fields  []structField
}

type structField struct {
	name   *byte
	typ    *rtype
	offset uintptr
}

type uncommonType struct {
	pkgPath        int32
	count, xcount  uint16
	methodsAt, pad uint32
}

type method struct{ name, typ, ifn, tfn int32 }

type eface struct{ typ, data unsafe.Pointer }

// descriptor is the runtime's descriptor of a type.
func descriptor(t reflect.Type) *rtype { return (*rtype)((*eface)(unsafe.Pointer(&t)).data) }

// typeOf is the way back. The sample gives the method table of *reflect.rtype.
func typeOf(t *rtype) reflect.Type {
	r := reflect.TypeFor[int]()
	(*eface)(unsafe.Pointer(&r)).data = unsafe.Pointer(t)
	return r
}

// encodeName writes a name as descriptors keep it: flags, length, text, and the tag's length and text.
func encodeName(name, tag string, exported, embedded bool) *byte {
	var flags byte
	if exported {
		flags |= 1
	}
	if tag != "" {
		flags |= 2
	}
	if embedded {
		flags |= 8
	}
	b := appendText([]byte{flags}, name)
	if tag != "" {
		b = appendText(b, tag)
	}
	return &b[0]
}

func appendText(b []byte, s string) []byte {
	n := len(s)
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(append(b, byte(n)), s...)
}

func nameOffset(name, tag string, exported bool) int32 {
	return addReflectOff(unsafe.Pointer(encodeName(name, tag, exported, false)))
}
