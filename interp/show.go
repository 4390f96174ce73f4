package interp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/types"
	"image"
	"image/png"
	"maps"
	"reflect"
	"strings"

	"github.com/gonterp/gonterp/interp/check"
	"github.com/gonterp/gonterp/interp/engine"
)

// longest is how much text a value shows of itself.
const longest = 10000

// show makes the bundle of a cell's last expression, nil where there is nothing to show.
func (s *Session) show(values []engine.Value) *Bundle {
	switch len(values) {
	case 0:
		return nil
	case 1:
		if values[0].V == nil {
			return nil
		}
		b := s.bundle(values[0])
		return &b
	}
	var parts []string
	for _, v := range values {
		parts = append(parts, s.text(v))
	}
	return &Bundle{Data: map[string]any{"text/plain": strings.Join(parts, ", ")}}
}

// bundle makes the forms in which a value shows itself.
func (s *Session) bundle(v engine.Value) Bundle {
	b := Bundle{Data: map[string]any{}}
	own := ownForms(v)
	if len(own.Data) > 0 {
		maps.Copy(b.Data, own.Data)
		b.Metadata = own.Metadata
	} else if img, ok := v.V.(image.Image); ok {
		var buf bytes.Buffer
		if err := png.Encode(&buf, img); err == nil {
			b.Data["image/png"] = buf.Bytes()
		}
	} else if m := matrixOf(v); m != nil {
		if table, ok := matrixTable(m); ok {
			b.Data["text/html"] = table
		}
	}
	if _, ok := b.Data["text/plain"].(string); !ok {
		b.Data["text/plain"] = s.plain(v, own)
	}
	return b
}

// text is the plain form of a value: its own words, else Go syntax.
func (s *Session) text(v engine.Value) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprintf("(showing this value panics: %v)", p)
		}
		if len(text) > longest {
			text = strings.ToValidUTF8(text[:longest], "") + fmt.Sprintf("… (%d bytes in all)", len(text))
		}
	}()
	if s.opt.Text != nil {
		return s.opt.Text(v)
	}
	switch x := v.V.(type) {
	case error:
		return x.Error()
	case string:
		return fmt.Sprintf("%q", x)
	case json.RawMessage:
		return string(x)
	}
	if v.HasMethod("String") || v.HasMethod("Format") {
		return fmt.Sprintf("%v", v.V)
	}
	if x, ok := v.V.(fmt.GoStringer); ok {
		return x.GoString()
	}
	if m := matrixOf(v); m != nil {
		return matrixText(m)
	}
	if img, ok := v.V.(image.Image); ok {
		r := img.Bounds()
		return fmt.Sprintf("%T %d×%d", img, r.Dx(), r.Dy())
	}
	if r := reflect.ValueOf(v.V); r.Kind() == reflect.Func || r.Kind() == reflect.Chan {
		return s.typeText(v) // of the rest there is only an address
	}
	if s.readsAsGo(v) {
		return fmt.Sprintf("%#v", v.V)
	}
	return fmt.Sprintf("%+v", v.V)
}

// typeText is the type of a value as a cell writes it.
func (s *Session) typeText(v engine.Value) string {
	s.state.Lock()
	defer s.state.Unlock()
	return check.TypeText(s.typeOf(v))
}

// typeOf is the type of a value that is not nil.
func (s *Session) typeOf(v engine.Value) types.Type {
	if v.Type == nil {
		return s.check.Importer.Type(reflect.TypeOf(v.V))
	}
	return v.Type
}

// readsAsGo reports whether %#v of a value is readable.
func (s *Session) readsAsGo(v engine.Value) bool {
	s.state.Lock()
	defer s.state.Unlock()
	return v.V != nil && goSyntax(s.typeOf(v), 0)
}

// goSyntax reports whether %#v of a type shows no addresses, and hides no
// method deeper down that prints better.
func goSyntax(t types.Type, depth int) bool {
	if depth > 0 {
		for _, m := range []string{"String", "Error", "Format"} {
			if o, _, _ := types.LookupFieldOrMethod(t, false, nil, m); o != nil {
				return false
			}
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsUnsigned == 0 && u.Kind() != types.UnsafePointer
	case *types.Slice:
		return goSyntax(u.Elem(), depth+1)
	case *types.Array:
		return goSyntax(u.Elem(), depth+1)
	case *types.Map:
		return goSyntax(u.Key(), depth+1) && goSyntax(u.Elem(), depth+1)
	case *types.Pointer:
		_, isStruct := u.Elem().Underlying().(*types.Struct)
		return depth == 0 && isStruct && goSyntax(u.Elem(), 1)
	case *types.Struct:
		for i := range u.NumFields() {
			if !goSyntax(u.Field(i).Type(), depth+1) {
				return false
			}
		}
		return true
	}
	return false
}
