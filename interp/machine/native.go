package machine

import (
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// Compiled code calls a cell's func value through a Go closure of its signature.
// For common signatures it is written out here, for others reflect makes it,
// which is some ten times slower to call.

// nativeMaker returns what makes that closure; the result is a func value's pointer.
func (c *code) nativeMaker() func(*closure) unsafe.Pointer {
	t := c.m.forger.funcType(nil, c.fn.Signature)
	switch reflect.Zero(t).Interface().(type) {
	case func():
		return maker(func(cl *closure) func() {
			return func() { cl.invoke(func(*frame) {}, func(*frame) {}) }
		})
	case func() string:
		return maker(result[string])
	case func() int:
		return maker(result[int])
	case func() bool:
		return maker(result[bool])
	case func() error:
		return maker(result[error])
	case func(int):
		return maker(argument[int])
	case func(string):
		return maker(argument[string])
	case func(int) bool:
		return maker(function[int, bool])
	case func(string) bool:
		return maker(function[string, bool])
	case func(rune) bool:
		return maker(function[rune, bool])
	case func(float64) bool:
		return maker(function[float64, bool])
	case func(int) int:
		return maker(function[int, int])
	case func(float64) float64:
		return maker(function[float64, float64])
	case func(string) string:
		return maker(function[string, string])
	case func(int) error:
		return maker(function[int, error])
	case func(rune) rune:
		return maker(function[rune, rune])
	case func(int, int) bool:
		return maker(function2[int, int, bool])
	case func(int, int) int:
		return maker(function2[int, int, int])
	case func(float64, float64) float64:
		return maker(function2[float64, float64, float64])
	case func(string, string) bool:
		return maker(function2[string, string, bool])
	case func(string, string) int:
		return maker(function2[string, string, int])
	case func(int, int):
		return maker(func(cl *closure) func(int, int) {
			return func(a, b int) {
				cl.invoke(func(f *frame) { *arg[int](f, 0), *arg[int](f, 1) = a, b }, func(*frame) {})
			}
		})
	}
	return func(cl *closure) unsafe.Pointer {
		fn := reflect.MakeFunc(t, func(a []reflect.Value) []reflect.Value {
			return cl.callee.now.Load().m.callReflect(cl.callee, cl, a)
		}).Interface()
		return (*eface)(unsafe.Pointer(&fn)).data
	}
}

func maker[F any](make func(*closure) F) func(*closure) unsafe.Pointer {
	return func(cl *closure) unsafe.Pointer {
		f := make(cl)
		return *(*unsafe.Pointer)(unsafe.Pointer(&f))
	}
}

func arg[T any](f *frame, i int) *T { return at[T](f, f.code.params[i].off) }

func res[T any](f *frame) *T { return at[T](f, f.code.results[0].off) }

func result[R any](cl *closure) func() R {
	return func() (r R) {
		cl.invoke(func(*frame) {}, func(f *frame) { r = *res[R](f) })
		return r
	}
}

func argument[A any](cl *closure) func(A) {
	return func(a A) { cl.invoke(func(f *frame) { *arg[A](f, 0) = a }, func(*frame) {}) }
}

func function[A, R any](cl *closure) func(A) R {
	return func(a A) (r R) {
		cl.invoke(func(f *frame) { *arg[A](f, 0) = a }, func(f *frame) { r = *res[R](f) })
		return r
	}
}

func function2[A, B, R any](cl *closure) func(A, B) R {
	return func(a A, b B) (r R) {
		cl.invoke(func(f *frame) { *arg[A](f, 0), *arg[B](f, 1) = a, b }, func(f *frame) { r = *res[R](f) })
		return r
	}
}

// invoke runs the closure for compiled code.
func (cl *closure) invoke(in, out func(*frame)) {
	cl.callee.now.Load().m.enter(func(t *thread) {
		c := cl.callee.now.Load()
		n := t.push(c, t.cur)
		in(n)
		cl.bind(n)
		c.exec(n)
		out(n)
		t.pop(n)
	})
}

// hostFunc is a compiled function as a value: a func value's pointer.
func (m *Machine) hostFunc(fn *ssa.Function) unsafe.Pointer {
	v := m.hostValue(fn)
	f := v.Interface()
	return (*eface)(unsafe.Pointer(&f)).data
}
