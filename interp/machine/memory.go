package machine

import (
	"fmt"
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

func (k *compiler) load(x *ssa.UnOp) op {
	s, a := k.slot(x), k.off(x.X)
	d := s.off
	if g, ok := x.X.(*ssa.Global); ok {
		return k.loadGlobal(s, k.global(g))
	}
	if k.fused[x.X] {
		return k.loadPart(x)
	}
	switch s.class {
	case classNone:
		return func(f *frame) {
			if *at[unsafe.Pointer](f, a) == nil {
				nilDereference()
			}
		}
	case classByte:
		return loadOp[uint8](d, a)
	case classHalf:
		return loadOp[uint16](d, a)
	case classSingle:
		return loadOp[uint32](d, a)
	case classWord:
		return loadOp[uint64](d, a)
	case classPointer:
		return loadOp[unsafe.Pointer](d, a)
	case classString:
		return loadOp[string](d, a)
	case classSlice:
		return loadOp[slice](d, a)
	case classInterface:
		return loadOp[iface](d, a)
	}
	t := s.typ
	return func(f *frame) {
		p := *at[unsafe.Pointer](f, a)
		if p == nil {
			nilDereference()
		}
		typedmemmove(t, f.ptr(d), p)
	}
}

func loadOp[T any](d, a uintptr) op {
	return func(f *frame) { *at[T](f, d) = **at[*T](f, a) }
}

// loadable tells whether loadPart can do a load along with the address before it.
func (k *compiler) loadable(x *ssa.UnOp) bool {
	c := classOf(k.m.forger.descriptor(x.Type()))
	if c == classNone || c == classOther {
		return false
	}
	switch a := x.X.(type) {
	case *ssa.FieldAddr:
		return true
	case *ssa.IndexAddr:
		_, ok := a.X.Type().Underlying().(*types.Slice)
		return ok && isInt(a.Index)
	}
	return false
}

// loadPart loads a field or an element.
func (k *compiler) loadPart(x *ssa.UnOp) op {
	s := k.slot(x)
	switch s.class {
	case classByte:
		return loadPartOf[uint8](k, s.off, x.X)
	case classHalf:
		return loadPartOf[uint16](k, s.off, x.X)
	case classSingle:
		return loadPartOf[uint32](k, s.off, x.X)
	case classWord:
		return loadPartOf[uint64](k, s.off, x.X)
	case classPointer:
		return loadPartOf[unsafe.Pointer](k, s.off, x.X)
	case classString:
		return loadPartOf[string](k, s.off, x.X)
	case classSlice:
		return loadPartOf[slice](k, s.off, x.X)
	}
	return loadPartOf[iface](k, s.off, x.X)
}

func loadPartOf[T any](k *compiler, d uintptr, from ssa.Value) op {
	if x, ok := from.(*ssa.FieldAddr); ok {
		a, off := k.off(x.X), k.fieldAt(x)
		return func(f *frame) {
			p := *at[unsafe.Pointer](f, a)
			if p == nil {
				nilDereference()
			}
			*at[T](f, d) = *(*T)(unsafe.Add(p, off))
		}
	}
	x := from.(*ssa.IndexAddr)
	a, i := k.off(x.X), k.off(x.Index)
	return func(f *frame) {
		s, j := at[slice](f, a), *at[int](f, i)
		if uint(j) >= uint(s.len) {
			indexPanic(j, s.len)
		}
		*at[T](f, d) = *(*T)(unsafe.Add(s.data, uintptr(j)*unsafe.Sizeof(*new(T))))
	}
}

func (k *compiler) loadGlobal(s *slot, p unsafe.Pointer) op {
	d := s.off
	switch s.class {
	case classWord:
		g := (*uint64)(p)
		return func(f *frame) { *at[uint64](f, d) = *g }
	case classPointer:
		g := (*unsafe.Pointer)(p)
		return func(f *frame) { *at[unsafe.Pointer](f, d) = *g }
	}
	return func(f *frame) { s.copyValue(f.ptr(d), p) }
}

func (k *compiler) store(x *ssa.Store) op {
	s, a := k.slot(x.Val), k.off(x.Addr)
	v := s.off
	if g, ok := x.Addr.(*ssa.Global); ok && s.class == classWord {
		p := (*uint64)(k.global(g))
		return func(f *frame) { *p = *at[uint64](f, v) }
	}
	switch s.class {
	case classNone:
		return func(f *frame) {
			if *at[unsafe.Pointer](f, a) == nil {
				nilDereference()
			}
		}
	case classByte:
		return storeOp[uint8](a, v)
	case classHalf:
		return storeOp[uint16](a, v)
	case classSingle:
		return storeOp[uint32](a, v)
	case classWord:
		return storeOp[uint64](a, v)
	case classPointer:
		return storeOp[unsafe.Pointer](a, v)
	case classString:
		return storeOp[string](a, v)
	case classSlice:
		return storeOp[slice](a, v)
	case classInterface:
		return storeOp[iface](a, v)
	}
	t := s.typ
	return func(f *frame) {
		p := *at[unsafe.Pointer](f, a)
		if p == nil {
			nilDereference()
		}
		typedmemmove(t, p, f.ptr(v))
	}
}

func storeOp[T any](a, v uintptr) op {
	return func(f *frame) { **at[*T](f, a) = *at[T](f, v) }
}

func (k *compiler) alloc(x *ssa.Alloc) op {
	d := k.off(x)
	if ss := k.tuples[x]; ss != nil {
		s := ss[0]
		m := s.off
		if s.class == classNone {
			return func(f *frame) { *at[unsafe.Pointer](f, d) = f.ptr(0) }
		}
		t := s.typ
		return func(f *frame) {
			p := f.ptr(m)
			typedmemclr(t, p)
			*at[unsafe.Pointer](f, d) = p
		}
	}
	t := k.m.forger.descriptor(x.Type().Underlying().(*types.Pointer).Elem())
	return func(f *frame) { *at[unsafe.Pointer](f, d) = newObject(t) }
}

func (k *compiler) fieldAddr(x *ssa.FieldAddr) op {
	d, a, off := k.off(x), k.off(x.X), k.fieldAt(x)
	return func(f *frame) {
		p := *at[unsafe.Pointer](f, a)
		if p == nil {
			nilDereference()
		}
		*at[unsafe.Pointer](f, d) = unsafe.Add(p, off)
	}
}

func (k *compiler) fieldAt(x *ssa.FieldAddr) uintptr {
	return fieldOffset(k.m.forger.descriptor(x.X.Type().Underlying().(*types.Pointer).Elem()), x.Field)
}

func fieldOffset(st *rtype, i int) uintptr {
	return (*structType)(unsafe.Pointer(st)).fields[i].offset
}

func (k *compiler) field(x *ssa.Field) op {
	d, s := k.slot(x), k.slot(x.X)
	a, b := d.off, s.off+fieldOffset(s.typ, x.Field)
	switch d.class {
	case classWord:
		return func(f *frame) { *at[uint64](f, a) = *at[uint64](f, b) }
	case classPointer:
		return func(f *frame) { *at[unsafe.Pointer](f, a) = *at[unsafe.Pointer](f, b) }
	}
	return func(f *frame) { d.copyValue(f.ptr(a), f.ptr(b)) }
}

// intOf reads an index, whatever its integer type.
func (k *compiler) intOf(v ssa.Value) func(*frame) int {
	o := k.off(v)
	switch basicKind(v.Type()) {
	case types.Int8:
		return func(f *frame) int { return int(*at[int8](f, o)) }
	case types.Int16:
		return func(f *frame) int { return int(*at[int16](f, o)) }
	case types.Int32:
		return func(f *frame) int { return int(*at[int32](f, o)) }
	case types.Uint8:
		return func(f *frame) int { return int(*at[uint8](f, o)) }
	case types.Uint16:
		return func(f *frame) int { return int(*at[uint16](f, o)) }
	case types.Uint32:
		return func(f *frame) int { return int(*at[uint32](f, o)) }
	}
	return func(f *frame) int { return *at[int](f, o) }
}

func isInt(v ssa.Value) bool {
	k := basicKind(v.Type())
	return k == types.Int || k == types.Int64
}

// indexError is what raises Go's error for an index that is out of range: for a
// 64-bit unsigned type it has read the index as a negative number.
func indexError(v ssa.Value) func(i, n int) {
	switch basicKind(v.Type()) {
	case types.Uint, types.Uint64, types.Uintptr:
		return func(i, n int) { _ = make([]struct{}, n)[uint(i)] }
	}
	return indexPanic
}

func (k *compiler) indexAddr(x *ssa.IndexAddr) op {
	d, a, i, fail := k.off(x), k.off(x.X), k.intOf(x.Index), indexError(x.Index)
	if p, ok := x.X.Type().Underlying().(*types.Pointer); ok {
		arr := p.Elem().Underlying().(*types.Array)
		n, size := int(arr.Len()), k.m.forger.descriptor(arr.Elem()).size
		return func(f *frame) {
			j, p := i(f), *at[unsafe.Pointer](f, a)
			if p == nil {
				nilDereference()
			}
			if uint(j) >= uint(n) {
				fail(j, n)
			}
			*at[unsafe.Pointer](f, d) = unsafe.Add(p, uintptr(j)*size)
		}
	}
	size := k.m.forger.descriptor(x.X.Type().Underlying().(*types.Slice).Elem()).size
	if isInt(x.Index) {
		o := k.off(x.Index)
		return func(f *frame) {
			s, j := at[slice](f, a), *at[int](f, o)
			if uint(j) >= uint(s.len) {
				indexPanic(j, s.len)
			}
			*at[unsafe.Pointer](f, d) = unsafe.Add(s.data, uintptr(j)*size)
		}
	}
	return func(f *frame) {
		s, j := at[slice](f, a), i(f)
		if uint(j) >= uint(s.len) {
			fail(j, s.len)
		}
		*at[unsafe.Pointer](f, d) = unsafe.Add(s.data, uintptr(j)*size)
	}
}

// index is an element of an array value or of a string.
func (k *compiler) index(x *ssa.Index) op {
	s, a, i, fail := k.slot(x), k.off(x.X), k.intOf(x.Index), indexError(x.Index)
	d := s.off
	arr, ok := x.X.Type().Underlying().(*types.Array)
	if !ok {
		return func(f *frame) {
			s, j := *at[string](f, a), i(f)
			if uint(j) >= uint(len(s)) {
				fail(j, len(s))
			}
			*at[uint8](f, d) = s[j]
		}
	}
	n, size := int(arr.Len()), s.typ.size
	return func(f *frame) {
		j := i(f)
		if uint(j) >= uint(n) {
			fail(j, n)
		}
		s.copyValue(f.ptr(d), f.ptr(a+uintptr(j)*size))
	}
}

func (k *compiler) slice(x *ssa.Slice) op {
	d, a := k.off(x), k.off(x.X)
	bound := func(v ssa.Value) func(*frame) int {
		if v == nil {
			return nil
		}
		return k.intOf(v)
	}
	lo, hi, top := bound(x.Low), bound(x.High), bound(x.Max)
	switch t := x.X.Type().Underlying().(type) {
	case *types.Basic:
		return func(f *frame) {
			s := *at[string](f, a)
			switch {
			case lo == nil && hi == nil:
			case lo == nil:
				s = s[:hi(f)]
			case hi == nil:
				s = s[lo(f):]
			default:
				s = s[lo(f):hi(f)]
			}
			*at[string](f, d) = s
		}
	case *types.Pointer:
		arr := t.Elem().Underlying().(*types.Array)
		n, size := int(arr.Len()), k.m.forger.descriptor(arr.Elem()).size
		al, ok := x.X.(*ssa.Alloc)
		made := ok && al.Comment == "makeslice" // make with a constant capacity
		return func(f *frame) {
			p := *at[unsafe.Pointer](f, a)
			if p == nil {
				nilDereference()
			}
			if hi != nil && top == nil {
				checkArray(hi(f), n, made)
			}
			*at[slice](f, d) = reslice(f, slice{p, n, n}, size, lo, hi, top)
		}
	}
	size := k.m.forger.descriptor(x.X.Type().Underlying().(*types.Slice).Elem()).size
	return func(f *frame) { *at[slice](f, d) = reslice(f, *at[slice](f, a), size, lo, hi, top) }
}

// reslice lets Go itself check the bounds, on a slice of nothing of the same length and capacity.
func reslice(f *frame, s slice, size uintptr, lo, hi, top func(*frame) int) slice {
	l, h, m := 0, s.len, s.cap
	if lo != nil {
		l = lo(f)
	}
	if hi != nil {
		h = hi(f)
	}
	if top != nil {
		m = top(f)
	}
	if !(0 <= l && l <= h && h <= m && m <= s.cap) {
		checkBounds(make([]struct{}, s.len, s.cap), l, h, m, lo != nil, hi != nil, top != nil)
	}
	r := slice{s.data, h - l, m - l}
	if r.cap > 0 {
		r.data = unsafe.Add(s.data, uintptr(l)*size)
	}
	return r
}

// checkArray raises Go's error for the upper bound of a slice of an array, or for the length of a made slice.
func checkArray(h, n int, made bool) {
	switch {
	case made && h < 0:
		panic(runtimeError("runtime error: makeslice: len out of range"))
	case made && h > n:
		panic(runtimeError("runtime error: makeslice: cap out of range"))
	case h > n:
		panic(runtimeError(fmt.Sprintf("runtime error: slice bounds out of range [:%d] with length %d", h, n)))
	}
}

func checkBounds(s []struct{}, l, h, m int, lo, hi, top bool) {
	switch {
	case top:
		_ = s[l:h:m]
	case hi:
		_ = s[l:h]
	default:
		_ = s[l:]
	}
}

func (k *compiler) makeSlice(x *ssa.MakeSlice) op {
	d, n, c := k.off(x), k.intOf(x.Len), k.intOf(x.Cap)
	e := k.m.forger.descriptor(x.Type().Underlying().(*types.Slice).Elem())
	return func(f *frame) {
		l, m := n(f), c(f)
		if uint(l) > maxSlice(e) {
			panic(runtimeError("runtime error: makeslice: len out of range"))
		}
		if m < l || uint(m) > maxSlice(e) {
			panic(runtimeError("runtime error: makeslice: cap out of range"))
		}
		*at[slice](f, d) = slice{newArray(e, m), l, m}
	}
}

// maxSlice is how many elements of a type an address space of 48 bits has room for.
func maxSlice(e *rtype) uint {
	if e.size == 0 {
		return 1<<63 - 1
	}
	return uint(1<<47) / uint(e.size)
}

// zeroOf is memory with a type's zero value, never written to.
func zeroOf(t *rtype) unsafe.Pointer { return reflect.New(typeOf(t)).UnsafePointer() }
