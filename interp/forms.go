package interp

import (
	"reflect"

	"github.com/gonterp/gonterp/interp/engine"
)

// forms are what a value shows itself with: by MIME type, and what there is to say
// of each.
type forms = struct{ Data, Metadata, Transient map[string]any }

var (
	formsType = reflect.TypeFor[forms]()
	dataType  = reflect.TypeFor[map[string]any]()
	textType  = reflect.TypeFor[string]()
	bytesType = reflect.TypeFor[[]byte]()
)

// single are the methods by which a value gives one form of itself.
var single = []struct {
	name, mime string
	result     reflect.Type
}{
	{"HTML", "text/html", textType},
	{"JavaScript", "application/javascript", textType},
	{"JPEG", "image/jpeg", bytesType},
	{"JSON", "application/json", dataType},
	{"Latex", "text/latex", textType},
	{"Markdown", "text/markdown", textType},
	{"PDF", "application/pdf", bytesType},
	{"PNG", "image/png", bytesType},
	{"SVG", "image/svg+xml", textType},
}

// ownForms are the forms that a value gives itself: all at once by a method
// MIMEBundle, Render or SimpleRender, or by a method for each.
func ownForms(v engine.Value) forms {
	if r := reflect.ValueOf(v.V); r.IsValid() && r.Type().ConvertibleTo(formsType) {
		return r.Convert(formsType).Interface().(forms)
	}
	if m, ok := formOf(v, "MIMEBundle", dataType).(map[string]any); ok && len(m) > 0 {
		return forms{Data: m}
	}
	if f, ok := formOf(v, "Render", formsType).(forms); ok && len(f.Data) > 0 {
		return f
	}
	if m, ok := formOf(v, "SimpleRender", dataType).(map[string]any); ok && len(m) > 0 {
		return forms{Data: m}
	}
	f := forms{Data: map[string]any{}}
	for _, s := range single {
		if form := formOf(v, s.name, s.result); form != nil {
			f.Data[s.mime] = form
		}
	}
	return f
}

// plain is the text of a value that has shown itself without one: its own words, or a
// form that is read as text well, else Go syntax.
func (s *Session) plain(v engine.Value, own forms) string {
	if !v.HasMethod("String") && !v.HasMethod("GoString") && !v.HasMethod("Error") {
		for _, mime := range []string{"text/markdown", "text/latex"} {
			if text, ok := own.Data[mime].(string); ok {
				return text
			}
		}
	}
	return s.text(v)
}

// formOf calls a method of a value that is without arguments and has one result of a
// type; nil where there is none such, as a method of that name may mean something else.
func formOf(v engine.Value, name string, result reflect.Type) any {
	var m reflect.Value
	if v.Method != nil {
		m = v.Method(name)
	} else if v.V != nil {
		m = reflect.ValueOf(v.V).MethodByName(name)
	}
	if !m.IsValid() || m.Type().NumIn() != 0 || m.Type().NumOut() != 1 {
		return nil
	}
	if t := m.Type().Out(0); t.Kind() != result.Kind() || !t.ConvertibleTo(result) {
		return nil
	}
	return m.Call(nil)[0].Convert(result).Interface()
}
