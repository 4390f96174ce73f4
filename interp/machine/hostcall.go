package machine

import (
	"reflect"
	"unsafe"
)

// Calls of compiled functions. By Go's calling convention an argument's words go
// to registers one by one, so functions whose parameters and results come down
// to the same words are called alike. For the common shapes the call is made
// directly, through a func type of that shape: 10 ns where reflect.Value.Call
// takes 200. Results have the types they have, since the collector must see the
// pointers among them; arguments stay in the caller's frame meanwhile.

// A shape is what the parameters of a function come down to: the offsets in the
// frame of words that go to integer registers, and of float64s.
type shape struct {
	words, floats []uintptr
}

func (s *shape) add(t reflect.Type, off uintptr) bool {
	switch t.Kind() {
	case reflect.Float64:
		s.floats = append(s.floats, off)
	case reflect.Float32, reflect.Complex64, reflect.Complex128, reflect.Array:
		return t.Size() == 0
	case reflect.String, reflect.Interface:
		s.words = append(s.words, off, off+8)
	case reflect.Slice:
		s.words = append(s.words, off, off+8, off+16)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Name == "_" || f.Type.Size()%8 != 0 || !s.add(f.Type, off+f.Offset) {
				return false
			}
		}
	default:
		s.words = append(s.words, off)
	}
	return true
}

// hostCall makes the call of a compiled function of type t, given at the call as a func value's pointer.
func hostCall(t reflect.Type, args, results []*slot) func(*frame, unsafe.Pointer) {
	if t.NumIn() == len(args) && (len(results) == t.NumOut() || len(results) == 0) {
		var s shape
		ok := true
		for i, a := range args {
			ok = ok && s.add(t.In(i), a.off)
		}
		if ok && len(s.words) <= 9 && len(s.floats) <= 3 {
			if c := s.call(t, results); c != nil {
				return c
			}
		}
	}
	return reflectCall(t, args, results)
}

func reflectCall(t reflect.Type, args, results []*slot) func(*frame, unsafe.Pointer) {
	return func(f *frame, fn unsafe.Pointer) {
		in := make([]reflect.Value, len(args))
		for i, a := range args {
			in[i] = a.value(f)
			if in[i].Type() != t.In(i) {
				in[i] = in[i].Convert(t.In(i))
			}
		}
		v := reflect.NewAt(t, unsafe.Pointer(&fn)).Elem()
		var out []reflect.Value
		if t.IsVariadic() {
			out = v.CallSlice(in)
		} else {
			out = v.Call(in)
		}
		for i, s := range results {
			s.value(f).Set(out[i])
		}
	}
}

type (
	wordIface struct {
		w uint64
		i iface
	}
	pointerIface struct {
		p unsafe.Pointer
		i iface
	}
	stringIface struct {
		s string
		i iface
	}
	sliceIface struct {
		s slice
		i iface
	}
	floatIface struct {
		x float64
		i iface
	}
	twoWords   struct{ a, b uint64 }
	stringWord struct {
		s string
		w uint64
	}
	pointerWord struct {
		p unsafe.Pointer
		w uint64
	}
	ifaceWord struct {
		i iface
		w uint64
	}
	twoFloats  struct{ a, b float64 }
	twoStrings struct{ a, b string }
)

// kinds spells the results of a function, a letter each.
func kinds(t reflect.Type) string {
	s := ""
	for i := range t.NumOut() {
		r := t.Out(i)
		switch c := classOf(descriptor(r)); {
		case r.Kind() == reflect.Float64:
			s += "f"
		case r.Kind() == reflect.Float32 || r.Kind() == reflect.Struct || r.Kind() == reflect.Array || c == classOther:
			return "?"
		case c == classPointer:
			s += "p"
		case c <= classWord:
			s += "w"
		default:
			s += string(" sai"[c-classPointer])
		}
	}
	return s
}

// call makes the direct call of a shape, nil where the results have none of the known forms.
func (s *shape) call(t reflect.Type, rs []*slot) func(*frame, unsafe.Pointer) {
	ignore := len(rs) == 0
	d := func(i int) uintptr {
		if ignore {
			return 0
		}
		return rs[i].off
	}
	word := func(i int) func(*frame, uint64) {
		if ignore {
			return func(*frame, uint64) {}
		}
		return wordStore(rs[i])
	}
	switch kinds(t) {
	case "":
		return callShape(s, func(*frame, struct{}) {})
	case "w":
		w := word(0)
		return callShape(s, func(f *frame, r uint64) { w(f, r) })
	case "p":
		o := d(0)
		return callShape(s, func(f *frame, r unsafe.Pointer) { put(f, ignore, o, r) })
	case "f":
		o := d(0)
		return callShape(s, func(f *frame, r float64) { put(f, ignore, o, r) })
	case "s":
		o := d(0)
		return callShape(s, func(f *frame, r string) { put(f, ignore, o, r) })
	case "a":
		o := d(0)
		return callShape(s, func(f *frame, r slice) { put(f, ignore, o, r) })
	case "i":
		o := d(0)
		return callShape(s, func(f *frame, r iface) { put(f, ignore, o, r) })
	}
	if ignore {
		return nil
	}
	switch kinds(t) {
	case "wi":
		w, o := word(0), d(1)
		return callShape(s, func(f *frame, r wordIface) { w(f, r.w); *at[iface](f, o) = r.i })
	case "pi":
		o, p := d(0), d(1)
		return callShape(s, func(f *frame, r pointerIface) { *at[unsafe.Pointer](f, o) = r.p; *at[iface](f, p) = r.i })
	case "si":
		o, p := d(0), d(1)
		return callShape(s, func(f *frame, r stringIface) { *at[string](f, o) = r.s; *at[iface](f, p) = r.i })
	case "ai":
		o, p := d(0), d(1)
		return callShape(s, func(f *frame, r sliceIface) { *at[slice](f, o) = r.s; *at[iface](f, p) = r.i })
	case "fi":
		o, p := d(0), d(1)
		return callShape(s, func(f *frame, r floatIface) { *at[float64](f, o) = r.x; *at[iface](f, p) = r.i })
	case "ww":
		w, v := word(0), word(1)
		return callShape(s, func(f *frame, r twoWords) { w(f, r.a); v(f, r.b) })
	case "sw":
		o, v := d(0), word(1)
		return callShape(s, func(f *frame, r stringWord) { *at[string](f, o) = r.s; v(f, r.w) })
	case "pw":
		o, v := d(0), word(1)
		return callShape(s, func(f *frame, r pointerWord) { *at[unsafe.Pointer](f, o) = r.p; v(f, r.w) })
	case "iw":
		o, v := d(0), word(1)
		return callShape(s, func(f *frame, r ifaceWord) { *at[iface](f, o) = r.i; v(f, r.w) })
	case "ff":
		o, p := d(0), d(1)
		return callShape(s, func(f *frame, r twoFloats) { *at[float64](f, o) = r.a; *at[float64](f, p) = r.b })
	case "ss":
		o, p := d(0), d(1)
		return callShape(s, func(f *frame, r twoStrings) { *at[string](f, o) = r.a; *at[string](f, p) = r.b })
	}
	return nil
}

func put[R any](f *frame, ignore bool, o uintptr, r R) {
	if !ignore {
		*at[R](f, o) = r
	}
}

// wordStore keeps of a register the bytes that the result's type has.
func wordStore(s *slot) func(*frame, uint64) {
	o := s.off
	switch s.class {
	case classNone:
		return func(*frame, uint64) {}
	case classByte:
		return func(f *frame, r uint64) { *at[uint8](f, o) = uint8(r) }
	case classHalf:
		return func(f *frame, r uint64) { *at[uint16](f, o) = uint16(r) }
	case classSingle:
		return func(f *frame, r uint64) { *at[uint32](f, o) = uint32(r) }
	}
	return func(f *frame, r uint64) { *at[uint64](f, o) = r }
}

type w = uintptr

func fnOf[F any](p unsafe.Pointer) F { return *(*F)(unsafe.Pointer(&p)) }

// callShape calls a function with the words and floats of a shape and the result R.
func callShape[R any](s *shape, done func(*frame, R)) func(*frame, unsafe.Pointer) {
	o := s.words
	switch len(s.floats) {
	case 1:
		x := s.floats[0]
		switch len(o) {
		case 0:
			return func(f *frame, p unsafe.Pointer) { done(f, fnOf[func(float64) R](p)(*at[float64](f, x))) }
		case 1:
			return func(f *frame, p unsafe.Pointer) {
				done(f, fnOf[func(w, float64) R](p)(*at[w](f, o[0]), *at[float64](f, x)))
			}
		case 2:
			return func(f *frame, p unsafe.Pointer) {
				done(f, fnOf[func(w, w, float64) R](p)(*at[w](f, o[0]), *at[w](f, o[1]), *at[float64](f, x)))
			}
		case 3:
			return func(f *frame, p unsafe.Pointer) {
				done(f, fnOf[func(w, w, w, float64) R](p)(*at[w](f, o[0]), *at[w](f, o[1]), *at[w](f, o[2]), *at[float64](f, x)))
			}
		}
		return nil
	case 2:
		x, y := s.floats[0], s.floats[1]
		switch len(o) {
		case 0:
			return func(f *frame, p unsafe.Pointer) {
				done(f, fnOf[func(float64, float64) R](p)(*at[float64](f, x), *at[float64](f, y)))
			}
		case 1:
			return func(f *frame, p unsafe.Pointer) {
				done(f, fnOf[func(w, float64, float64) R](p)(*at[w](f, o[0]), *at[float64](f, x), *at[float64](f, y)))
			}
		}
		return nil
	case 3:
		x, y, z := s.floats[0], s.floats[1], s.floats[2]
		if len(o) == 0 {
			return func(f *frame, p unsafe.Pointer) {
				done(f, fnOf[func(float64, float64, float64) R](p)(*at[float64](f, x), *at[float64](f, y), *at[float64](f, z)))
			}
		}
		return nil
	}
	switch len(o) {
	case 0:
		return func(f *frame, p unsafe.Pointer) { done(f, fnOf[func() R](p)()) }
	case 1:
		a := o[0]
		return func(f *frame, p unsafe.Pointer) { done(f, fnOf[func(w) R](p)(*at[w](f, a))) }
	case 2:
		a, b := o[0], o[1]
		return func(f *frame, p unsafe.Pointer) { done(f, fnOf[func(w, w) R](p)(*at[w](f, a), *at[w](f, b))) }
	case 3:
		return func(f *frame, p unsafe.Pointer) {
			done(f, fnOf[func(w, w, w) R](p)(*at[w](f, o[0]), *at[w](f, o[1]), *at[w](f, o[2])))
		}
	case 4:
		return func(f *frame, p unsafe.Pointer) {
			done(f, fnOf[func(w, w, w, w) R](p)(*at[w](f, o[0]), *at[w](f, o[1]), *at[w](f, o[2]), *at[w](f, o[3])))
		}
	case 5:
		return func(f *frame, p unsafe.Pointer) {
			done(f, fnOf[func(w, w, w, w, w) R](p)(*at[w](f, o[0]), *at[w](f, o[1]), *at[w](f, o[2]), *at[w](f, o[3]), *at[w](f, o[4])))
		}
	case 6:
		return func(f *frame, p unsafe.Pointer) {
			done(f, fnOf[func(w, w, w, w, w, w) R](p)(*at[w](f, o[0]), *at[w](f, o[1]), *at[w](f, o[2]), *at[w](f, o[3]), *at[w](f, o[4]), *at[w](f, o[5])))
		}
	case 7:
		return func(f *frame, p unsafe.Pointer) {
			done(f, fnOf[func(w, w, w, w, w, w, w) R](p)(*at[w](f, o[0]), *at[w](f, o[1]), *at[w](f, o[2]), *at[w](f, o[3]), *at[w](f, o[4]), *at[w](f, o[5]), *at[w](f, o[6])))
		}
	case 8:
		return func(f *frame, p unsafe.Pointer) {
			done(f, fnOf[func(w, w, w, w, w, w, w, w) R](p)(*at[w](f, o[0]), *at[w](f, o[1]), *at[w](f, o[2]), *at[w](f, o[3]), *at[w](f, o[4]), *at[w](f, o[5]), *at[w](f, o[6]), *at[w](f, o[7])))
		}
	case 9:
		return func(f *frame, p unsafe.Pointer) {
			done(f, fnOf[func(w, w, w, w, w, w, w, w, w) R](p)(*at[w](f, o[0]), *at[w](f, o[1]), *at[w](f, o[2]), *at[w](f, o[3]), *at[w](f, o[4]), *at[w](f, o[5]), *at[w](f, o[6]), *at[w](f, o[7]), *at[w](f, o[8])))
		}
	}
	return nil
}
