package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"reflect"
	"testing"
	"unsafe"
)

type sample struct {
	A int `k:"v"`
	b string
}

func (sample) M()         {}
func (*sample) N(int) int { return 0 }

// TestDescriptors reads descriptors that the compiler made.
func TestDescriptors(t *testing.T) {
	for _, rt := range []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[string](), reflect.TypeFor[*sample](), reflect.TypeFor[[]byte](), reflect.TypeFor[sample](), reflect.TypeFor[map[string]int](), reflect.TypeFor[error]()} {
		d := descriptor(rt)
		if d.size != rt.Size() || int(d.align) != rt.Align() || reflect.Kind(d.kind) != rt.Kind() || typeOf(d) != rt {
			t.Errorf("%v: size %d, alignment %d, kind %d", rt, d.size, d.align, d.kind)
		}
		if (d.flag&flagNamed != 0) != (rt.Name() != "") {
			t.Errorf("%v: named flag %v", rt, d.flag&flagNamed != 0)
		}
	}
	st := (*structType)(unsafe.Pointer(descriptor(reflect.TypeFor[sample]())))
	if len(st.fields) != 2 || st.fields[1].offset != unsafe.Offsetof(sample{}.b) || typeOf(st.fields[0].typ) != reflect.TypeFor[int]() {
		t.Errorf("fields of a struct type: %+v", st.fields)
	}
	if u := descriptor(reflect.TypeFor[*sample]()).uncommon(); u.count != 2 || u.xcount != 2 {
		t.Errorf("methods of *sample: %d, exported %d", u.count, u.xcount)
	}
	m := (*mapType)(unsafe.Pointer(descriptor(reflect.TypeFor[map[string]int]())))
	if typeOf(m.key) != reflect.TypeFor[string]() || typeOf(m.elem) != reflect.TypeFor[int]() || m.groupSize != m.group.size {
		t.Errorf("a map type: %+v", m)
	}
	var e error = errors.New("x")
	tab := (*itab)((*iface)(unsafe.Pointer(&e)).tab)
	if typeOf(tab.typ) != reflect.TypeOf(e) || typeOf(tab.inter) != reflect.TypeFor[error]() {
		t.Error("an itab")
	}
	x, y := 1, func() {}
	if unsafe.Sizeof(x) != 8 || (*eface)(unsafe.Pointer(&[]any{y}[0])).typ != unsafe.Pointer(descriptor(reflect.TypeFor[func()]())) {
		t.Error("an empty interface")
	}
}

// TestCompiledCodeSeesCellTypes hands values of cell types to compiled code.
func TestCompiledCodeSeesCellTypes(t *testing.T) {
	s := newSession(t)
	s.good(t, `type In struct{ A int }
type P struct {
	Name string `+"`json:\"name\"`"+`
	In
	sub *P
	M map[string]P
}
type N int
func (n N) String() string { return fmt.Sprintf("N<%d>", int(n)) }
func (n N) MarshalJSON() ([]byte, error) { return []byte(fmt.Sprint(int(n) * 10)), nil }
type E struct{ Code N }
func (e *E) Error() string { return "E" + e.Code.String() }
func (p P) Greet(s string) string { return s + " " + p.Name }
p := P{Name: "a", In: In{2}, M: map[string]P{"k": {Name: "b"}}}
ns := map[N][]N{1: {2, 3}}
var err error = fmt.Errorf("w: %w", &E{4})`, "", "")
	get := func(name string) any {
		v := s.check.Universe()[name].(*types.Var)
		x, ok := s.m.Variable(v)
		if !ok {
			t.Fatalf("no variable %s", name)
		}
		return x.V
	}
	p := get("p")
	rt := reflect.TypeOf(p)
	if rt.Name() != "P" || rt.String() != "main.P" || rt.PkgPath() != "main" || rt.NumField() != 4 || rt.NumMethod() != 1 {
		t.Errorf("type %v: name %q of %q, %d fields, %d methods", rt, rt.Name(), rt.PkgPath(), rt.NumField(), rt.NumMethod())
	}
	if f := rt.Field(1); !f.Anonymous || f.Name != "In" {
		t.Errorf("the embedded field is %+v", f)
	}
	if f := rt.Field(2); f.IsExported() || f.Type != reflect.PointerTo(rt) {
		t.Errorf("the recursive field is %+v", f)
	}
	if got := reflect.ValueOf(p).MethodByName("Greet").Call([]reflect.Value{reflect.ValueOf("hi")})[0].String(); got != "hi a" {
		t.Errorf("Greet says %q", got)
	}
	b, err := json.Marshal(p)
	if want := `{"name":"a","A":2,"M":{"k":{"name":"b","A":0,"M":null}}}`; err != nil || string(b) != want {
		t.Errorf("json %s, %v; want %s", b, err, want)
	}
	b, err = json.Marshal(get("ns"))
	if want := `{"1":[20,30]}`; err != nil || string(b) != want {
		t.Errorf("json %s, %v; want %s", b, err, want)
	}
	if got := fmt.Sprintf("%v %#v %T", get("ns"), get("ns"), get("ns")); got != "map[N<1>:[N<2> N<3>]] map[main.N][]main.N{1:[]main.N{2, 3}} map[main.N][]main.N" {
		t.Errorf("fmt: %s", got)
	}
	e := get("err").(error)
	if e.Error() != "w: EN<4>" || reflect.TypeOf(errors.Unwrap(e)).String() != "*main.E" {
		t.Errorf("the error is %v, a %T", e, errors.Unwrap(e))
	}
}
