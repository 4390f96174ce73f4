package exports

import (
	"go/token"
	"go/types"
	"reflect"
	"strings"
)

var basics = map[reflect.Kind]types.BasicKind{
	reflect.Bool: types.Bool, reflect.String: types.String, reflect.UnsafePointer: types.UnsafePointer,
	reflect.Int: types.Int, reflect.Int8: types.Int8, reflect.Int16: types.Int16, reflect.Int32: types.Int32, reflect.Int64: types.Int64,
	reflect.Uint: types.Uint, reflect.Uint8: types.Uint8, reflect.Uint16: types.Uint16, reflect.Uint32: types.Uint32, reflect.Uint64: types.Uint64,
	reflect.Uintptr: types.Uintptr, reflect.Float32: types.Float32, reflect.Float64: types.Float64,
	reflect.Complex64: types.Complex64, reflect.Complex128: types.Complex128,
}

var directions = map[reflect.ChanDir]types.ChanDir{
	reflect.BothDir: types.SendRecv, reflect.RecvDir: types.RecvOnly, reflect.SendDir: types.SendOnly,
}

// opaque makes an identifier of the name of an instance of a generic type.
var opaque = strings.NewReplacer("[", "_", "]", "", ",", "_", "/", "_", ".", "_", "*", "p", " ", "", "{", "", "}", "", "(", "", ")", "")

// Type returns the go/types view of a compiled type; the same one each time.
func (im *Importer) Type(t reflect.Type) types.Type {
	if x, ok := im.known.Load(t); ok {
		return x.(types.Type)
	}
	im.mu.Lock()
	defer im.mu.Unlock()
	x := im.typ(t)
	im.known.Store(t, x)
	return x
}

func (im *Importer) typ(t reflect.Type) types.Type {
	if n := im.named[t]; n != nil {
		return n
	}
	switch {
	case t.PkgPath() != "" && t.Name() != "":
		return im.defined(t)
	case t == reflect.TypeFor[error]():
		return types.Universe.Lookup("error").Type()
	case t == reflect.TypeFor[any]():
		return types.Universe.Lookup("any").Type()
	}
	return im.underlying(t)
}

func (im *Importer) defined(t reflect.Type) types.Type {
	name := t.Name()
	if strings.IndexByte(name, '[') >= 0 {
		if im.Instance != nil {
			if x := im.Instance(t, im.typ); x != nil {
				return x
			}
		}
		name = opaque.Replace(name)
	}
	pk := im.pkg(t.PkgPath())
	tn := types.NewTypeName(token.NoPos, pk, name, nil)
	n := types.NewNamed(tn, nil, nil)
	im.named[t], im.reflect[n] = n, t // before the parts, which may name t
	if !pk.Complete() {               // else others may be reading its scope, and know all that it exports
		pk.Scope().Insert(tn)
	}
	n.SetUnderlying(im.underlying(t))
	if t.Kind() == reflect.Interface {
		return n
	}
	ptr := reflect.PointerTo(t)
	for i := range ptr.NumMethod() {
		m := ptr.Method(i)
		var recv types.Type = types.NewPointer(n)
		if _, onValue := t.MethodByName(m.Name); onValue {
			recv = n
		}
		n.AddMethod(types.NewFunc(token.NoPos, pk, m.Name, im.signature(m.Type, 1, types.NewVar(token.NoPos, pk, "", recv))))
	}
	return n
}

func (im *Importer) signature(t reflect.Type, skip int, recv *types.Var) *types.Signature {
	var in, out []*types.Var
	for i := skip; i < t.NumIn(); i++ {
		in = append(in, types.NewVar(token.NoPos, nil, "", im.typ(t.In(i))))
	}
	for i := range t.NumOut() {
		out = append(out, types.NewVar(token.NoPos, nil, "", im.typ(t.Out(i))))
	}
	return types.NewSignatureType(recv, nil, nil, types.NewTuple(in...), types.NewTuple(out...), t.IsVariadic())
}

func (im *Importer) underlying(t reflect.Type) types.Type {
	if b, ok := basics[t.Kind()]; ok {
		return types.Typ[b]
	}
	switch t.Kind() {
	case reflect.Pointer:
		return types.NewPointer(im.typ(t.Elem()))
	case reflect.Slice:
		return types.NewSlice(im.typ(t.Elem()))
	case reflect.Array:
		return types.NewArray(im.typ(t.Elem()), int64(t.Len()))
	case reflect.Map:
		return types.NewMap(im.typ(t.Key()), im.typ(t.Elem()))
	case reflect.Chan:
		return types.NewChan(directions[t.ChanDir()], im.typ(t.Elem()))
	case reflect.Func:
		return im.signature(t, 0, nil)
	case reflect.Interface:
		return im.iface(t)
	case reflect.Struct:
		return im.structure(t)
	}
	return types.Typ[types.Invalid]
}

func (im *Importer) iface(t reflect.Type) types.Type {
	var ms []*types.Func
	for i := range t.NumMethod() {
		m := t.Method(i)
		var pk *types.Package
		if m.PkgPath != "" {
			pk = im.pkg(m.PkgPath)
		}
		ms = append(ms, types.NewFunc(token.NoPos, pk, m.Name, im.signature(m.Type, 0, nil)))
	}
	return types.NewInterfaceType(ms, nil).Complete()
}

func (im *Importer) structure(t reflect.Type) types.Type {
	var fields []*types.Var
	var tags []string
	for i := range t.NumField() {
		f := t.Field(i)
		var pk *types.Package
		switch {
		case f.PkgPath != "":
			pk = im.pkg(f.PkgPath)
		case t.PkgPath() != "":
			pk = im.pkg(t.PkgPath())
		}
		fields = append(fields, types.NewField(token.NoPos, pk, f.Name, im.typ(f.Type), f.Anonymous))
		tags = append(tags, string(f.Tag))
	}
	return types.NewStruct(fields, tags)
}
