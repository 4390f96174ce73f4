package exports

import (
	constants "go/constant"
	"go/types"
	"reflect"
	"strings"
	"sync"
	"testing"
)

type inner struct{ A int }

func (inner) Value()    {}
func (*inner) Pointer() {}

type outer struct {
	inner
	B    []map[string]*outer `k:"v"`
	F    func(int, ...string) error
	C    <-chan complex64
	Next *outer
}

var variable = 3

func table() Table {
	return Table{"a/b/b": {
		"Outer":    reflect.ValueOf((*outer)(nil)),
		"Alias":    reflect.ValueOf((*inner)(nil)),
		"F":        reflect.ValueOf(strings.Repeat),
		"Variable": reflect.ValueOf(&variable).Elem(),
		"Typed":    reflect.ValueOf(reflect.Int),
		"Int":      Untyped("9223372036854775808"),
		"Neg":      Untyped("-3"),
		"Str":      Untyped(`"x"`),
		"Bool":     Untyped("true"),
		"Rune":     UntypedRune('x'),
		"Float":    UntypedFloat("1/3"),
		"Tiny":     UntypedFloat("0x1p-1074"),
		"Complex":  UntypedComplex("1", "2"),
		"_Wrapper": reflect.ValueOf((*inner)(nil)),
	}}
}

func TestImport(t *testing.T) {
	pk, err := NewImporter(table()).Import("a/b")
	if err != nil {
		t.Fatal(err)
	}
	if pk.Name() != "b" || !pk.Complete() {
		t.Errorf("package %s", pk.Name())
	}
	qualify := func(*types.Package) string { return "" }
	for name, want := range map[string]string{
		"F": "func F(string, int) string", "Variable": "var Variable int", "Typed": "const Typed Kind", "Int": "const Int untyped int",
		"Str": "const Str untyped string", "Bool": "const Bool untyped bool", "Rune": "const Rune untyped rune", "Float": "const Float untyped float",
		"Complex": "const Complex untyped complex", "Neg": "const Neg untyped int", "Tiny": "const Tiny untyped float",
	} {
		if got := types.ObjectString(pk.Scope().Lookup(name), qualify); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if pk.Scope().Lookup("_Wrapper") != nil {
		t.Error("a wrapper is exported")
	}
	value := func(n string) constants.Value { return pk.Scope().Lookup(n).(*types.Const).Val() }
	if v := value("Int").ExactString(); v != "9223372036854775808" {
		t.Errorf("Int is %s", v)
	}
	if f, _ := constants.Float64Val(value("Tiny")); f != 5e-324 {
		t.Errorf("Tiny is %v", f)
	}
	if v := value("Neg").ExactString(); v != "-3" {
		t.Errorf("Neg is %s", v)
	}
}

func TestTypes(t *testing.T) {
	im := NewImporter(table())
	pk, err := im.Import("a/b")
	if err != nil {
		t.Fatal(err)
	}
	o := pk.Scope().Lookup("Outer").Type()
	if o != im.Type(reflect.TypeFor[outer]()) {
		t.Error("Outer is not the type of its reflect.Type")
	}
	if rt, ok := im.ReflectType(o.(*types.Named)); !ok || rt != reflect.TypeFor[outer]() {
		t.Errorf("the way back gives %v", rt)
	}
	st := o.Underlying().(*types.Struct)
	for i, want := range []string{"inner", "[]map[string]*outer", "func(int, ...string) error", "<-chan complex64", "*outer"} {
		if got := types.TypeString(st.Field(i).Type(), func(*types.Package) string { return "" }); got != want {
			t.Errorf("field %d is %s, want %s", i, got, want)
		}
	}
	if !st.Field(0).Embedded() || st.Tag(1) != `k:"v"` {
		t.Error("embedding or tag is lost")
	}
	in := im.Type(reflect.TypeFor[inner]())
	if n := types.NewMethodSet(in).Len(); n != 1 {
		t.Errorf("inner has %d methods, want 1", n)
	}
	if n := types.NewMethodSet(types.NewPointer(in)).Len(); n != 2 {
		t.Errorf("*inner has %d methods, want 2", n)
	}
}

func TestImportOfWhatIsNotThere(t *testing.T) {
	if _, err := NewImporter(table()).Import("a/c"); err == nil || err.Error() != `package "a/c" is not built in` {
		t.Errorf("error %v", err)
	}
}

// Cells ask for types while others are being checked.
func TestTypeWhileImporting(t *testing.T) {
	im := NewImporter(table())
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for _, rt := range []reflect.Type{reflect.TypeFor[outer](), reflect.TypeFor[reflect.Method](), reflect.TypeFor[error]()} {
				im.Type(rt)
			}
			im.Import("a/b")
		}()
	}
	wg.Wait()
	if im.Type(reflect.TypeFor[outer]()) != im.Type(reflect.TypeFor[outer]()) {
		t.Error("two types for one")
	}
}

func TestLaterTablesCount(t *testing.T) {
	im := NewImporter(table())
	im.Add(Package{Path: "a/b", Name: "b", Symbols: func() map[string]reflect.Value {
		return map[string]reflect.Value{"Str": Untyped(`"y"`), "New": Untyped("1")}
	}})
	pk, err := im.Import("a/b")
	if err != nil {
		t.Fatal(err)
	}
	if v := pk.Scope().Lookup("Str").(*types.Const).Val(); constants.StringVal(v) != "y" || pk.Scope().Lookup("New") == nil || pk.Scope().Lookup("F") == nil {
		t.Errorf("Str is %v", v)
	}
}
