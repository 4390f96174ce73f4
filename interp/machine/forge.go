package machine

import (
	"fmt"
	"go/types"
	"hash/fnv"
	"reflect"
	"sync"
	"unsafe"

	"golang.org/x/tools/go/types/typeutil"
)

// The types of cells are types of the Go runtime. For a type that a cell
// declares, and for each composite type that reflect cannot make (a recursive
// one, an embedded field, an interface), a descriptor is forged: it has the name,
// the fields with their tags, and a method table whose entries lead into the
// cell's code. So a value of a cell type in an interface is what it would be in
// a compiled program: fmt, encoding/json, errors.As and type switches of compiled
// code need not know that a cell made it, and == and map keys are the runtime's.
//
// A descriptor is made in three steps, because types refer to themselves:
//
//	layout   size, pointer map and equality come from a type that reflect makes
//	         of placeholders; pointers, slices and maps are laid out alike
//	         whatever they lead to, so this step never recurses into a named type
//	         that is not part of the value itself
//	parts    element and field types are filled in; by now the type can be named
//	methods  the method table is filled in
//
// When a later cell adds a method, the type gets a new descriptor.
type forger struct {
	host     func(*types.Named) (reflect.Type, bool)
	methods  func(types.Type) []methodEntry
	types    typeutil.Map // types.Type -> *rtype
	layouts  typeutil.Map // types.Type -> reflect.Type
	cells    map[*rtype]types.Type
	outdated map[*rtype]types.Type
	newest   map[*rtype]*rtype // what has taken the place of outdated descriptors
	mu       sync.Mutex        // guards cells and newest, which running code reads
	keep     []any             // descriptors lie outside of what the collector sees
	depth    int               // of forge in forge
	waiting  []func()          // method tables to fill when no type is half made
}

// A methodEntry is a method of a cell type as its descriptor lists it. Call runs
// it with the receiver first.
type methodEntry struct {
	name     string
	exported bool
	typ      *types.Signature
	call     func(args []reflect.Value) []reflect.Value
}

func newForger() *forger {
	return &forger{cells: map[*rtype]types.Type{}, outdated: map[*rtype]types.Type{}, newest: map[*rtype]*rtype{}}
}

var basicTypes = map[types.BasicKind]reflect.Type{
	types.Bool: reflect.TypeFor[bool](), types.String: reflect.TypeFor[string](), types.UnsafePointer: reflect.TypeFor[unsafe.Pointer](),
	types.Int: reflect.TypeFor[int](), types.Int8: reflect.TypeFor[int8](), types.Int16: reflect.TypeFor[int16](), types.Int32: reflect.TypeFor[int32](), types.Int64: reflect.TypeFor[int64](),
	types.Uint: reflect.TypeFor[uint](), types.Uint8: reflect.TypeFor[uint8](), types.Uint16: reflect.TypeFor[uint16](), types.Uint32: reflect.TypeFor[uint32](), types.Uint64: reflect.TypeFor[uint64](),
	types.Uintptr: reflect.TypeFor[uintptr](), types.Float32: reflect.TypeFor[float32](), types.Float64: reflect.TypeFor[float64](),
	types.Complex64: reflect.TypeFor[complex64](), types.Complex128: reflect.TypeFor[complex128](),
	types.UntypedBool: reflect.TypeFor[bool](), types.UntypedInt: reflect.TypeFor[int](), types.UntypedRune: reflect.TypeFor[rune](),
	types.UntypedFloat: reflect.TypeFor[float64](), types.UntypedComplex: reflect.TypeFor[complex128](), types.UntypedString: reflect.TypeFor[string](),
	types.UntypedNil: reflect.TypeFor[unsafe.Pointer](),
}

var chanDirs = map[types.ChanDir]reflect.ChanDir{types.SendRecv: reflect.BothDir, types.SendOnly: reflect.SendDir, types.RecvOnly: reflect.RecvDir}

// reflectType is the runtime's type for a go/types type.
func (f *forger) reflectType(t types.Type) reflect.Type { return typeOf(f.descriptor(t)) }

func (f *forger) descriptor(t types.Type) *rtype {
	t = types.Unalias(t)
	if b, ok := t.(*types.Basic); ok {
		return descriptor(basicTypes[b.Kind()])
	}
	if d, ok := f.types.At(t).(*rtype); ok {
		return d
	}
	switch u := t.(type) {
	case *types.Named:
		if h, ok := f.host(u); ok {
			return f.set(t, descriptor(h))
		}
		if u.Obj().Pkg() == nil && u.Obj().Name() == "error" {
			return f.set(t, descriptor(reflect.TypeFor[error]()))
		}
		return f.forge(t)
	case *types.Pointer:
		e := f.descriptor(u.Elem())
		if d, ok := f.types.At(t).(*rtype); ok {
			return d
		}
		return f.set(t, descriptor(reflect.PointerTo(typeOf(e))))
	case *types.Slice:
		e := f.reflectType(u.Elem())
		return f.set(t, descriptor(reflect.SliceOf(e)))
	case *types.Array:
		e := f.reflectType(u.Elem())
		return f.set(t, descriptor(reflect.ArrayOf(int(u.Len()), e)))
	case *types.Map:
		k, e := f.reflectType(u.Key()), f.reflectType(u.Elem())
		return f.set(t, descriptor(reflect.MapOf(k, e)))
	case *types.Chan:
		e := f.reflectType(u.Elem())
		return f.set(t, descriptor(reflect.ChanOf(chanDirs[u.Dir()], e)))
	case *types.Signature:
		return f.set(t, descriptor(f.funcType(nil, u)))
	case *types.Struct:
		return f.structure(t, u)
	case *types.Interface:
		if u.Empty() {
			return f.set(t, descriptor(reflect.TypeFor[any]()))
		}
		return f.forge(t)
	}
	panic(fmt.Sprintf("machine: no run-time type for %v", t))
}

func (f *forger) set(t types.Type, d *rtype) *rtype {
	f.types.Set(t, d)
	return d
}

// funcType is a signature's type with more parameters before its own.
func (f *forger) funcType(first []reflect.Type, s *types.Signature) reflect.Type {
	in, out := first, []reflect.Type{}
	for i := range s.Params().Len() {
		in = append(in, f.reflectType(s.Params().At(i).Type()))
	}
	for i := range s.Results().Len() {
		out = append(out, f.reflectType(s.Results().At(i).Type()))
	}
	return reflect.FuncOf(in, out, s.Variadic())
}

// structure makes an unnamed struct type: reflect's own where there is no embedded field.
func (f *forger) structure(t types.Type, u *types.Struct) *rtype {
	for i := range u.NumFields() {
		if v := u.Field(i); v.Embedded() || v.Name() == "_" {
			return f.forge(t)
		}
	}
	return f.set(t, descriptor(reflect.StructOf(f.fields(u))))
}

func (f *forger) fields(u *types.Struct) []reflect.StructField {
	out := make([]reflect.StructField, u.NumFields())
	for i := range out {
		v := u.Field(i)
		out[i] = reflect.StructField{Name: v.Name(), Type: f.reflectType(v.Type()), Tag: reflect.StructTag(u.Tag(i))}
		if !v.Exported() {
			out[i].PkgPath = "main"
			if p := v.Pkg(); p != nil {
				out[i].PkgPath = p.Path()
			}
		}
	}
	return out
}

// layout is a type with the size, alignment, pointers and equality of t, made without its parts.
func (f *forger) layout(t types.Type) reflect.Type {
	if l, ok := f.layouts.At(t).(reflect.Type); ok {
		return l
	}
	l := f.makeLayout(t)
	f.layouts.Set(t, l)
	return l
}

func (f *forger) makeLayout(t types.Type) reflect.Type {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		if h, ok := f.host(n); ok {
			return h
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return basicTypes[u.Kind()]
	case *types.Slice:
		return reflect.TypeFor[[]byte]()
	case *types.Map:
		return reflect.TypeFor[map[int]int]()
	case *types.Signature:
		return reflect.TypeFor[func()]()
	case *types.Chan:
		return reflect.TypeFor[chan int]()
	case *types.Interface:
		if u.Empty() {
			return reflect.TypeFor[any]()
		}
		return reflect.TypeFor[error]()
	case *types.Array:
		return reflect.ArrayOf(int(u.Len()), f.layout(u.Elem()))
	case *types.Struct:
		fs := make([]reflect.StructField, u.NumFields())
		for i := range fs {
			fs[i] = reflect.StructField{Name: fmt.Sprint("F", i), Type: f.layout(u.Field(i).Type())}
		}
		return reflect.StructOf(fs)
	}
	return reflect.TypeFor[unsafe.Pointer]()
}

var headers = map[reflect.Kind]reflect.Type{
	reflect.Array: reflect.TypeFor[arrayType](), reflect.Chan: reflect.TypeFor[chanType](), reflect.Func: reflect.TypeFor[funcType](),
	reflect.Interface: reflect.TypeFor[interfaceType](), reflect.Map: reflect.TypeFor[mapType](), reflect.Pointer: reflect.TypeFor[elemType](),
	reflect.Slice: reflect.TypeFor[elemType](), reflect.Struct: reflect.TypeFor[structType](),
}

// block allocates a descriptor with room behind it for its uncommon part, a
// func type's parameters, and methods.
func (f *forger) block(kind reflect.Kind, params, methods int) (*rtype, *uncommonType) {
	h := headers[kind]
	if h == nil {
		h = reflect.TypeFor[rtype]()
	}
	t := reflect.StructOf([]reflect.StructField{
		{Name: "H", Type: h},
		{Name: "U", Type: reflect.TypeFor[uncommonType]()},
		{Name: "P", Type: reflect.ArrayOf(params, reflect.TypeFor[*rtype]())},
		{Name: "M", Type: reflect.ArrayOf(methods, reflect.TypeFor[method]())},
	})
	p := reflect.New(t)
	f.keep = append(f.keep, p.Interface())
	u := (*uncommonType)(unsafe.Add(p.UnsafePointer(), t.Field(1).Offset))
	u.pkgPath = nameOffset("main", "", false)
	u.methodsAt = uint32(t.Field(3).Offset - t.Field(1).Offset)
	return (*rtype)(p.UnsafePointer()), u
}

// forge makes the descriptor of t and, where t can have methods, of *t.
func (f *forger) forge(t types.Type) *rtype {
	l := descriptor(f.layout(t))
	kind := typeOf(l).Kind()
	params := 0
	sig, isFunc := t.Underlying().(*types.Signature)
	if isFunc {
		params = sig.Params().Len() + sig.Results().Len()
	}
	room := len(f.methods(t))
	if types.IsInterface(t) {
		room = 0
	}
	d, _ := f.block(kind, params, room)
	base := *l
	if _, ok := t.Underlying().(*types.Pointer); ok {
		kind = reflect.Pointer // the layout is an unsafe.Pointer's
		d, _ = f.block(kind, 0, 0)
		base = *descriptor(reflect.TypeFor[*int]())
	}
	base.flag = base.flag&(flagMaskOnDemand|flagDirect|flagRegularMemory) | flagUncommon
	*d = base
	name := typeName(t)
	if _, ok := t.(*types.Named); ok {
		d.flag |= flagNamed
	}
	d.str, d.hash, d.ptrToThis = nameOffset(name, "", true), f.hash(name), 0
	f.set(t, d)
	f.mu.Lock()
	f.cells[d] = t
	f.mu.Unlock()

	p, _ := f.block(reflect.Pointer, 0, len(f.methods(types.NewPointer(t))))
	*p = *descriptor(reflect.TypeFor[*int]())
	p.flag = p.flag&(flagDirect|flagRegularMemory) | flagUncommon
	p.str, p.hash, p.ptrToThis = nameOffset("*"+name, "", true), f.hash("*"+name), 0
	(*elemType)(unsafe.Pointer(p)).elem = d
	pt := types.NewPointer(t)
	f.set(pt, p)
	f.mu.Lock()
	f.cells[p] = pt
	f.mu.Unlock()
	d.ptrToThis = addReflectOff(unsafe.Pointer(p))

	f.depth++
	f.parts(t, d)
	if !types.IsInterface(t) {
		f.waiting = append(f.waiting, func() {
			f.fillMethods(t, d)
			f.fillMethods(pt, p)
		})
	}
	f.depth--
	for f.depth == 0 && len(f.waiting) > 0 {
		w := f.waiting[0]
		f.waiting = f.waiting[1:]
		w()
	}
	return d
}

func (f *forger) hash(name string) uint32 {
	h := fnv.New32a()
	fmt.Fprint(h, name, len(f.keep))
	return h.Sum32()
}

func (f *forger) parts(t types.Type, d *rtype) {
	p := unsafe.Pointer(d)
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		(*elemType)(p).elem = f.descriptor(u.Elem())
	case *types.Slice:
		(*elemType)(p).elem = f.descriptor(u.Elem())
	case *types.Array:
		a := (*arrayType)(p)
		e := f.reflectType(u.Elem())
		a.elem, a.slice, a.len = descriptor(e), descriptor(reflect.SliceOf(e)), uintptr(u.Len())
	case *types.Chan:
		c := (*chanType)(p)
		c.elem, c.dir = f.descriptor(u.Elem()), int(chanDirs[u.Dir()])
	case *types.Map:
		m := (*mapType)(unsafe.Pointer(descriptor(reflect.MapOf(f.reflectType(u.Key()), f.reflectType(u.Elem())))))
		own := (*mapType)(p)
		head := own.rtype
		*own = *m
		own.rtype = head
	case *types.Signature:
		ft := f.funcType(nil, u)
		like := (*funcType)(unsafe.Pointer(descriptor(ft)))
		own := (*funcType)(p)
		own.in, own.out = like.in, like.out
		at := unsafe.Add(p, unsafe.Sizeof(funcType{})+unsafe.Sizeof(uncommonType{}))
		ps := unsafe.Slice((**rtype)(at), ft.NumIn()+ft.NumOut())
		for i := range ft.NumIn() {
			ps[i] = descriptor(ft.In(i))
		}
		for i := range ft.NumOut() {
			ps[ft.NumIn()+i] = descriptor(ft.Out(i))
		}
	case *types.Interface:
		i := (*interfaceType)(p)
		i.pkgPath = encodeName("main", "", false, false)
		for _, m := range sortedMethods(u) {
			i.methods = append(i.methods, interfaceMethod{nameOffset(m.Name(), "", m.Exported()), addReflectOff(unsafe.Pointer(f.descriptor(m.Type().(*types.Signature))))})
		}
	case *types.Struct:
		s := (*structType)(p)
		s.pkgPath = encodeName("main", "", false, false)
		l := f.layout(t)
		for i := range u.NumFields() {
			v := u.Field(i)
			if v.Name() == "_" && d.equal != nil {
				d.equal = s.equalFields
			}
			s.fields = append(s.fields, structField{encodeName(v.Name(), u.Tag(i), v.Exported(), v.Embedded()), f.descriptor(v.Type()), l.Field(i).Offset})
		}
	}
}

// equalFields is == of structs with blank fields, which do not count.
func (s *structType) equalFields(p, q unsafe.Pointer) bool {
	for _, f := range s.fields {
		if blank := unsafe.Slice(f.name, 3); blank[1] == 1 && blank[2] == '_' {
			continue
		}
		if !f.typ.equal(unsafe.Add(p, f.offset), unsafe.Add(q, f.offset)) {
			return false
		}
	}
	return true
}

// sortedMethods lists an interface's methods as its descriptor must have them: by name.
func sortedMethods(u *types.Interface) []*types.Func {
	out := make([]*types.Func, u.NumMethods())
	for i := range out {
		out[i] = u.Method(i)
	}
	for i := range out {
		for j := i; j > 0 && out[j].Name() < out[j-1].Name(); j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}

func (d *rtype) uncommon() *uncommonType {
	size := unsafe.Sizeof(rtype{})
	if h := headers[reflect.Kind(d.kind)]; h != nil {
		size = h.Size()
	}
	return (*uncommonType)(unsafe.Add(unsafe.Pointer(d), size))
}
