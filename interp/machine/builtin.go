package machine

import (
	"fmt"
	"go/types"
	"reflect"
	"strconv"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

func (k *compiler) builtin(b *ssa.Builtin, cc *ssa.CallCommon, args, results []*slot) op {
	a := func(i int) uintptr { return args[i].off }
	var d uintptr
	if len(results) > 0 {
		d = results[0].off
	}
	m := k.m
	switch b.Name() {
	case "append":
		return k.append(cc, args, results)
	case "len", "cap":
		return k.length(b.Name(), cc.Args[0], d)
	case "copy":
		return k.copy(cc, args, results)
	case "min", "max":
		return k.extreme(b.Name() == "min", cc, args, d)
	case "clear":
		return k.clear(cc, args)
	case "close":
		return func(f *frame) { chanclose(*at[unsafe.Pointer](f, a(0))) }
	case "delete":
		t := args[0].typ
		return func(f *frame) {
			p := *at[unsafe.Pointer](f, a(0))
			m.use(p, true, func() { mapdelete(t, p, f.ptr(a(1))) })
		}
	case "complex":
		if args[0].class == classSingle {
			return func(f *frame) { put(f, len(results) == 0, d, complex(*at[float32](f, a(0)), *at[float32](f, a(1)))) }
		}
		return func(f *frame) { put(f, len(results) == 0, d, complex(*at[float64](f, a(0)), *at[float64](f, a(1)))) }
	case "real", "imag":
		o := a(0)
		if b.Name() == "imag" {
			o += args[0].typ.size / 2
		}
		if args[0].typ.size == 8 {
			return func(f *frame) { put(f, len(results) == 0, d, *at[float32](f, o)) }
		}
		return func(f *frame) { put(f, len(results) == 0, d, *at[float64](f, o)) }
	case "print", "println":
		return k.print(b.Name() == "println", cc)
	case "panic":
		return func(f *frame) { panic(*at[any](f, a(0))) }
	case "recover":
		return func(f *frame) { put(f, len(results) == 0, d, f.recoverPanic()) }
	case "Add":
		n := k.intOf(cc.Args[1])
		return func(f *frame) { *at[unsafe.Pointer](f, d) = unsafe.Add(*at[unsafe.Pointer](f, a(0)), n(f)) }
	case "Slice", "String":
		n := k.intOf(cc.Args[1])
		isSlice := b.Name() == "Slice"
		return func(f *frame) {
			p, l := *at[*byte](f, a(0)), n(f)
			if l < 0 || p == nil && l > 0 {
				panic(runtimeError("runtime error: unsafe." + b.Name() + ": len out of range"))
			}
			if isSlice {
				*at[slice](f, d) = slice{unsafe.Pointer(p), l, l}
			} else {
				*at[string](f, d) = unsafe.String(p, l)
			}
		}
	case "StringData", "SliceData": // the first word of both
		return func(f *frame) { *at[unsafe.Pointer](f, d) = *at[unsafe.Pointer](f, a(0)) }
	case "Sizeof":
		size := args[0].typ.size
		return func(f *frame) { *at[uintptr](f, d) = size }
	case "Alignof":
		align := uintptr(args[0].typ.align)
		return func(f *frame) { *at[uintptr](f, d) = align }
	case "ssa:wrapnilchk":
		return func(f *frame) {
			p := *at[unsafe.Pointer](f, a(0))
			if p == nil {
				t, n := *at[string](f, a(1)), *at[string](f, a(2))
				panic(nilReceiver(t, n))
			}
			*at[unsafe.Pointer](f, d) = p
		}
	case "ssa:deferstack":
		return func(f *frame) { *at[*extra](f, d) = f.extra() }
	}
	panic(&unsupported{cc.Pos(), "the builtin " + b.Name(), ""})
}

// nilReceiver is Go's error for a method with a value receiver called on a nil pointer.
func nilReceiver(typ, method string) error {
	return runtimeError(fmt.Sprintf("value method %s.%s called using nil *%s pointer", typ, method, afterDot(typ)))
}

func afterDot(s string) string {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '.' {
			return s[i+1:]
		}
	}
	return s
}

// fuseAppend marks the array, of one element, of append(s, x).
func (k *compiler) fuseAppend(c *ssa.Call) {
	b, ok := c.Call.Value.(*ssa.Builtin)
	if !ok || b.Name() != "append" || len(c.Call.Args) != 2 {
		return
	}
	s, arr, ia, _ := oneElement(c.Call.Args[1])
	if s != nil && len(*s.Referrers()) == 1 {
		k.fused[s], k.fused[arr], k.fused[ia] = true, true, true
	}
}

// oneElement takes apart the slice that go/ssa makes of a single variadic argument.
func oneElement(v ssa.Value) (s *ssa.Slice, a *ssa.Alloc, ia *ssa.IndexAddr, elem ssa.Value) {
	s, ok := v.(*ssa.Slice)
	if !ok {
		return nil, nil, nil, nil
	}
	a, ok = s.X.(*ssa.Alloc)
	if !ok || a.Comment != "varargs" || len(*a.Referrers()) != 2 {
		return nil, nil, nil, nil
	}
	for _, r := range *a.Referrers() {
		if x, ok := r.(*ssa.IndexAddr); ok && len(*x.Referrers()) == 1 {
			if st, ok := (*x.Referrers())[0].(*ssa.Store); ok && st.Addr == x {
				return s, a, x, st.Val
			}
		}
	}
	return nil, nil, nil, nil
}

func (k *compiler) append(cc *ssa.CallCommon, args, results []*slot) op {
	a, d := args[0].off, args[0].off
	if len(results) > 0 {
		d = results[0].off
	}
	e := k.m.forger.descriptor(cc.Args[0].Type().Underlying().(*types.Slice).Elem())
	if k.fused[cc.Args[1]] {
		_, _, _, v := oneElement(cc.Args[1])
		s := k.slot(v)
		o := s.off
		switch s.class {
		case classByte:
			return appendOp[uint8](d, a, o)
		case classSingle:
			return appendOp[uint32](d, a, o)
		case classWord:
			return appendOp[uint64](d, a, o)
		case classPointer:
			return appendOp[unsafe.Pointer](d, a, o)
		case classString:
			return appendOp[string](d, a, o)
		case classSlice:
			return appendOp[[]byte](d, a, o)
		case classInterface:
			return appendOp[iface](d, a, o)
		}
		return func(f *frame) {
			r := *at[slice](f, a)
			if r.len == r.cap {
				r = grow(e, r, 1)
			}
			s.copyValue(unsafe.Add(r.data, uintptr(r.len)*e.size), f.ptr(o))
			r.len++
			*at[slice](f, d) = r
		}
	}
	b := args[1].off
	isString := args[1].class == classString
	return func(f *frame) {
		r, s := *at[slice](f, a), *at[slice](f, b)
		if isString {
			s = slice{s.data, s.len, s.len}
		}
		if n := r.len + s.len; n > r.cap {
			r = grow(e, r, s.len)
		}
		n := r.len
		r.len += s.len
		if s.len > 0 {
			typedslicecopy(e, slice{unsafe.Add(r.data, uintptr(n)*e.size), s.len, s.len}, s)
		}
		*at[slice](f, d) = r
	}
}

// grow makes room for n more elements as append does.
func grow(e *rtype, s slice, n int) slice {
	g := growslice(e, slice{s.data, s.cap, s.cap}, n-(s.cap-s.len))
	return slice{g.data, s.len, g.cap}
}

func appendOp[T any](d, a, v uintptr) op {
	return func(f *frame) {
		s := append(*at[[]T](f, a), *at[T](f, v))
		at[slice](f, d).set(slice{unsafe.Pointer(unsafe.SliceData(s)), len(s), cap(s)})
	}
}

func (k *compiler) length(name string, v ssa.Value, d uintptr) op {
	a := k.off(v)
	switch t := v.Type().Underlying().(type) {
	case *types.Map:
		return func(f *frame) { *at[int](f, d) = maplen(*at[unsafe.Pointer](f, a)) }
	case *types.Chan:
		if name == "cap" {
			return func(f *frame) { *at[int](f, d) = chancap(*at[unsafe.Pointer](f, a)) }
		}
		return func(f *frame) { *at[int](f, d) = chanlen(*at[unsafe.Pointer](f, a)) }
	case *types.Array:
		n := int(t.Len())
		return func(f *frame) { *at[int](f, d) = n }
	case *types.Pointer:
		n := int(t.Elem().Underlying().(*types.Array).Len())
		return func(f *frame) { *at[int](f, d) = n }
	}
	if name == "cap" {
		return func(f *frame) { *at[int](f, d) = at[slice](f, a).cap }
	}
	return func(f *frame) { *at[int](f, d) = len(*at[string](f, a)) }
}

func (k *compiler) copy(cc *ssa.CallCommon, args, results []*slot) op {
	a, b := args[0].off, args[1].off
	e := k.m.forger.descriptor(cc.Args[0].Type().Underlying().(*types.Slice).Elem())
	isString := args[1].class == classString
	return func(f *frame) {
		s := *at[slice](f, b)
		if isString {
			s.cap = s.len
		}
		n := typedslicecopy(e, *at[slice](f, a), s)
		if len(results) > 0 {
			*at[int](f, results[0].off) = n
		}
	}
}

func (k *compiler) clear(cc *ssa.CallCommon, args []*slot) op {
	m, a, t := k.m, args[0].off, args[0].typ
	if _, ok := cc.Args[0].Type().Underlying().(*types.Map); ok {
		return func(f *frame) {
			if p := *at[unsafe.Pointer](f, a); p != nil {
				m.use(p, true, func() { mapclear(t, p) })
			}
		}
	}
	rt := typeOf(t)
	return func(f *frame) { reflect.NewAt(rt, f.ptr(a)).Elem().Clear() }
}

func (k *compiler) extreme(least bool, cc *ssa.CallCommon, args []*slot, d uintptr) op {
	offs := make([]uintptr, len(args))
	for i, a := range args {
		offs[i] = a.off
	}
	switch basicKind(cc.Args[0].Type()) {
	case types.Int, types.Int64:
		return extremeOf[int64](least, d, offs)
	case types.Int8:
		return extremeOf[int8](least, d, offs)
	case types.Int16:
		return extremeOf[int16](least, d, offs)
	case types.Int32:
		return extremeOf[int32](least, d, offs)
	case types.Uint8:
		return extremeOf[uint8](least, d, offs)
	case types.Uint16:
		return extremeOf[uint16](least, d, offs)
	case types.Uint32:
		return extremeOf[uint32](least, d, offs)
	case types.Float32:
		return extremeOf[float32](least, d, offs)
	case types.Float64:
		return extremeOf[float64](least, d, offs)
	case types.String:
		return extremeOf[string](least, d, offs)
	}
	return extremeOf[uint64](least, d, offs)
}

func extremeOf[T ordered](least bool, d uintptr, offs []uintptr) op {
	return func(f *frame) {
		v := *at[T](f, offs[0])
		for _, o := range offs[1:] {
			if least {
				v = min(v, *at[T](f, o))
			} else {
				v = max(v, *at[T](f, o))
			}
		}
		*at[T](f, d) = v
	}
}

func (k *compiler) print(line bool, cc *ssa.CallCommon) op {
	var get []func(*frame) string
	for _, a := range cc.Args {
		get = append(get, k.printed(a))
	}
	w := k.m.host.Stderr
	return func(f *frame) {
		s := ""
		for i, g := range get {
			if i > 0 && line {
				s += " "
			}
			s += g(f)
		}
		if line {
			s += "\n"
		}
		fmt.Fprint(w, s)
	}
}

// printed is a value as the builtin print writes it.
func (k *compiler) printed(v ssa.Value) func(*frame) string {
	s := k.slot(v)
	o := s.off
	switch s.class {
	case classString:
		return func(f *frame) string { return *at[string](f, o) }
	case classSlice:
		return func(f *frame) string {
			x := at[slice](f, o)
			return fmt.Sprintf("[%d/%d]%#x", x.len, x.cap, uintptr(x.data))
		}
	case classInterface:
		return func(f *frame) string {
			x := at[iface](f, o)
			return fmt.Sprintf("(%#x,%#x)", uintptr(x.tab), uintptr(x.data))
		}
	case classPointer:
		return func(f *frame) string { return fmt.Sprintf("%#x", uintptr(*at[unsafe.Pointer](f, o))) }
	}
	return func(f *frame) string {
		switch r := s.value(f); {
		case r.CanFloat():
			return strconv.FormatFloat(r.Float(), 'g', -1, r.Type().Bits())
		case r.CanComplex():
			return strconv.FormatComplex(r.Complex(), 'g', -1, r.Type().Bits())
		default:
			return fmt.Sprint(plain(r))
		}
	}
}

// plain is a number or bool without its type's methods.
func plain(r reflect.Value) any {
	switch {
	case r.CanInt():
		return r.Int()
	case r.CanUint():
		return r.Uint()
	}
	return r.Bool()
}
