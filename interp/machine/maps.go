package machine

import (
	"go/types"
	"reflect"
	"sync"
	"sync/atomic"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// A mapLock serialises what cells do with the maps that fall to it. The runtime
// ends the process when it sees two goroutines in one map; here the second one
// gets a panic in the same words.
type mapLock struct {
	mu sync.Mutex
	in atomic.Uintptr // the address of the map that is being used, plus 1 for writing
}

type mapLocks [64]mapLock

// use runs do alone in the map. There is nothing to guard while only one thread lives.
func (m *Machine) use(p unsafe.Pointer, write bool, do func()) {
	if m.alive.Load() == 0 {
		do()
		return
	}
	l := &m.maps[uintptr(p)>>6%64]
	if !l.mu.TryLock() {
		switch in := l.in.Load(); {
		case write && in == uintptr(p)+1:
			panic(runtimeError("fatal error: concurrent map writes"))
		case write && in == uintptr(p), in == uintptr(p)+1:
			panic(runtimeError("fatal error: concurrent map read and map write"))
		}
		l.mu.Lock()
	}
	in := uintptr(p)
	if write {
		in++
	}
	l.in.Store(in)
	defer func() {
		l.in.Store(0)
		l.mu.Unlock()
	}()
	do()
}

func (k *compiler) mapUpdate(x *ssa.MapUpdate) op {
	m, a, key, v := k.m, k.off(x.Map), k.off(x.Key), k.off(x.Value)
	t := k.slot(x.Map).typ
	return func(f *frame) {
		p := *at[unsafe.Pointer](f, a)
		if m.alive.Load() == 0 {
			mapassign(t, p, f.ptr(key), f.ptr(v))
			return
		}
		m.use(p, true, func() { mapassign(t, p, f.ptr(key), f.ptr(v)) })
	}
}

func (k *compiler) lookup(x *ssa.Lookup) op {
	m, a, key := k.m, k.off(x.X), k.off(x.Index)
	t := k.slot(x.X).typ
	var d, ok *slot
	if x.CommaOk {
		d, ok = k.tuples[x][0], k.tuples[x][1]
	} else {
		d = k.slot(x)
	}
	look := func(f *frame, p unsafe.Pointer) {
		v := mapaccess(t, p, f.ptr(key))
		if v == nil {
			d.clear(f)
		} else {
			d.copyValue(f.ptr(d.off), v)
		}
		if ok != nil {
			*at[bool](f, ok.off) = v != nil
		}
	}
	return func(f *frame) {
		p := *at[unsafe.Pointer](f, a)
		if m.alive.Load() == 0 {
			look(f, p)
			return
		}
		m.use(p, false, func() { look(f, p) })
	}
}

// A mapIterator goes through a map for a range statement.
type mapIterator struct{ *reflect.MapIter }

// A stringIterator goes through a string's runes.
type stringIterator struct {
	s  string
	at int
}

func iteratorType(types.Type) *rtype { return descriptor(reflect.TypeFor[unsafe.Pointer]()) }

func (k *compiler) iterate(x *ssa.Range) op {
	d, s := k.off(x), k.slot(x.X)
	a := s.off
	if basicKind(x.X.Type()) == types.String {
		return func(f *frame) { *at[*stringIterator](f, d) = &stringIterator{s: *at[string](f, a)} }
	}
	t := typeOf(s.typ)
	return func(f *frame) {
		m := reflect.New(t).Elem()
		m.Set(reflect.NewAt(t, f.ptr(a)).Elem())
		*at[*mapIterator](f, d) = &mapIterator{m.MapRange()}
	}
}

func (k *compiler) next(x *ssa.Next) op {
	ss := k.tuples[x]
	ok, key, val := ss[0].off, ss[1], ss[2]
	a := k.off(x.Iter)
	if x.IsString {
		return func(f *frame) {
			it := *at[*stringIterator](f, a)
			more := it.at < len(it.s)
			*at[bool](f, ok) = more
			if more {
				r, n := utf8.DecodeRuneInString(it.s[it.at:])
				*at[int](f, key.off), *at[rune](f, val.off) = it.at, r
				it.at += n
			}
		}
	}
	m := k.m
	from := x.Iter.(*ssa.Range).X
	mt := k.off(from)
	step := func(f *frame) {
		it := *at[*mapIterator](f, a)
		more := it.Next()
		*at[bool](f, ok) = more
		if more {
			key.value(f).SetIterKey(it.MapIter)
			val.value(f).SetIterValue(it.MapIter)
		}
	}
	return func(f *frame) {
		if m.alive.Load() == 0 {
			step(f)
			return
		}
		m.use(*at[unsafe.Pointer](f, mt), false, func() { step(f) })
	}
}

func (k *compiler) makeMap(x *ssa.MakeMap) op {
	d := k.slot(x)
	o, t := d.off, d.typ
	n := func(*frame) int { return 0 }
	if x.Reserve != nil {
		n = k.intOf(x.Reserve)
	}
	return func(f *frame) { *at[unsafe.Pointer](f, o) = makemap(t, max(0, n(f))) }
}
