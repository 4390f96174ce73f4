package machine

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"
	"unsafe"
)

type pair struct {
	A string
	B int
}

var errSample = errors.New("sample")

// functions have all kinds of parameters and results, for direct calls and for those by reflection.
var functions = []any{
	func() {}, func() int { return 7 }, func(a int8, b uint16, c bool) int32 { return int32(a) + int32(b) },
	func(s string, n int) string { return fmt.Sprint(s, n) }, func(xs []int, s string) (int, error) { return len(xs), errSample },
	func(x float64) float64 { return x * 2 }, func(x, y float64) float64 { return x - y }, func(a int, x float64, b string) (float64, error) { return x + float64(a+len(b)), nil },
	func(x, y, z float64) (float64, float64) { return x + y, z }, func(x float32, y float32) float32 { return x / y },
	func(p pair, n int) pair { return pair{p.A + "!", p.B + n} }, func(p *pair) (*pair, bool) { return p, p != nil },
	func(a any, e error) (any, error) { return a, e }, func(a ...any) (int, error) { return len(a), nil },
	func(m map[string]int, c chan int, f func() int) int { return len(m) + cap(c) + f() },
	func(a [2]int, b string) [2]int { a[0]++; return a }, func(c complex128) complex128 { return c * 2 },
	func(t time.Time, d time.Duration) time.Time { return t.Add(d) }, func(a, b, c, d, e, f, g, h, i, j, k int) int { return a + k },
	func(s []byte) ([]byte, error) { return append(s, 1), nil }, func(s string) (string, string, bool) { return s, s, true },
	func(r rune) bool { return r > 'a' }, func(b byte) (rune, int) { return rune(b), 2 }, func(s string) (string, error) { return s + s, errSample },
	func(u uint8, i int16) (uint8, int16) { return u + 1, i - 1 }, func(e struct{}) int { return 1 }, func(p struct {
		X, Y float64
		N    int
	}) float64 {
		return p.X + p.Y
	},
}

func sampleValue(t reflect.Type, i int) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(i*3 - 5))
	case reflect.Uint8, reflect.Uint16:
		v.SetUint(uint64(i + 250))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(i) + 0.75)
	case reflect.Complex128:
		v.SetComplex(complex(1, 2))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(fmt.Sprint("s", i))
	case reflect.Struct:
		for j := range t.NumField() {
			if f := v.Field(j); f.CanSet() {
				f.Set(sampleValue(f.Type(), i+j))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(t, 2, 3))
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
	case reflect.Chan:
		v.Set(reflect.MakeChan(t, 4))
	case reflect.Func:
		v.Set(reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value { return []reflect.Value{reflect.ValueOf(11)} }))
	case reflect.Interface:
		if t == reflect.TypeFor[error]() {
			v.Set(reflect.ValueOf(errSample))
		} else {
			v.Set(reflect.ValueOf(i))
		}
	}
	return v
}

func TestHostCall(t *testing.T) {
	for _, fn := range functions {
		v := reflect.ValueOf(fn)
		ft := v.Type()
		var l layout
		var args, results []*slot
		for i := range ft.NumIn() {
			args = append(args, l.add(descriptor(ft.In(i))))
		}
		for i := range ft.NumOut() {
			results = append(results, l.add(descriptor(ft.Out(i))))
		}
		f := (*frame)(newObject(l.done()))
		in := make([]reflect.Value, len(args))
		for i, s := range args {
			in[i] = sampleValue(ft.In(i), i)
			s.value(f).Set(in[i])
		}
		hostCall(ft, args, results)(f, (*eface)(unsafe.Pointer(&fn)).data)
		want := v.Call
		if ft.IsVariadic() {
			want = v.CallSlice
		}
		for i, w := range want(in) {
			if got := results[i].value(f).Interface(); !reflect.DeepEqual(got, w.Interface()) {
				t.Errorf("%v: result %d is %v, want %v", ft, i, got, w)
			}
		}
	}
}
