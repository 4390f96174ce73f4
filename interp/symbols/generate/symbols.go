package main

import (
	"fmt"
	"go/constant"
	"go/types"
	"math/big"
	"strings"
)

// object adds a symbol to the table.
func (t *table) object(o types.Object) {
	name := t.use(t.pkg) + "." + o.Name()
	switch o := o.(type) {
	case *types.Const:
		t.value(o.Name(), t.constant(o, name))
	case *types.Var:
		t.value(o.Name(), "reflect.ValueOf(&"+name+").Elem()")
	case *types.Func:
		if o.Signature().TypeParams().Len() == 0 {
			t.value(o.Name(), "reflect.ValueOf("+name+")")
		}
	case *types.TypeName:
		t.typeName(o, name)
	}
}

func (t *table) value(name, code string) { fmt.Fprintf(&t.symbols, "\t\t\t%q: %s,\n", name, code) }

func (t *table) constant(o *types.Const, name string) string {
	b, ok := types.Unalias(o.Type()).(*types.Basic)
	if !ok || b.Info()&types.IsUntyped == 0 {
		return "reflect.ValueOf(" + name + ")"
	}
	v := o.Val()
	switch b.Kind() {
	case types.UntypedRune:
		return fmt.Sprintf("exports.UntypedRune(%s)", v.ExactString())
	case types.UntypedFloat:
		return fmt.Sprintf("exports.UntypedFloat(%q)", exact(v))
	case types.UntypedComplex:
		return fmt.Sprintf("exports.UntypedComplex(%q, %q)", exact(constant.Real(v)), exact(constant.Imag(v)))
	}
	return fmt.Sprintf("exports.Untyped(%q)", v.ExactString())
}

// exact writes a number as exports.UntypedFloat reads it.
func exact(v constant.Value) string {
	switch x := constant.Val(constant.ToFloat(v)).(type) {
	case *big.Rat:
		return x.String()
	case *big.Float:
		return x.Text('p', 0)
	}
	return v.ExactString()
}

func (t *table) typeName(o *types.TypeName, name string) {
	switch u := o.Type().(type) {
	case *types.Named:
		if u.TypeParams().Len() > 0 {
			return
		}
	case *types.Alias:
		if u.TypeParams().Len() > 0 {
			return
		}
	}
	it, isInterface := o.Type().Underlying().(*types.Interface)
	if isInterface && !it.IsMethodSet() {
		return // a constraint
	}
	t.value(o.Name(), "reflect.ValueOf((*"+name+")(nil))")
	if !isInterface || it.NumMethods() == 0 {
		return
	}
	for i := range it.NumMethods() {
		if !it.Method(i).Exported() {
			return // only its own package can implement it
		}
	}
	t.wrapper(o, it)
}

// wrapper writes a type that implements an interface by calling functions, so
// that a value of a cell can be handed to compiled code as that interface.
func (t *table) wrapper(o *types.TypeName, it *types.Interface) {
	wrap := "_" + identifier(t.pkg.Path()) + "_" + o.Name()
	t.value("_"+o.Name(), "reflect.ValueOf((*"+wrap+")(nil))")
	var fields, methods strings.Builder
	for i := range it.NumMethods() {
		m := it.Method(i)
		sig := m.Signature()
		var params, args []string
		for j := range sig.Params().Len() {
			typ := types.TypeString(sig.Params().At(j).Type(), t.use)
			arg := fmt.Sprintf("a%d", j)
			if sig.Variadic() && j == sig.Params().Len()-1 {
				typ = "..." + strings.TrimPrefix(typ, "[]")
				args = append(args, arg+"...")
			} else {
				args = append(args, arg)
			}
			params = append(params, arg+" "+typ)
		}
		var results []string
		for j := range sig.Results().Len() {
			results = append(results, types.TypeString(sig.Results().At(j).Type(), t.use))
		}
		head := "(" + strings.Join(params, ", ") + ") (" + strings.Join(results, ", ") + ")"
		ret := ""
		if len(results) > 0 {
			ret = "return "
		}
		fmt.Fprintf(&fields, "\tW%s func%s\n", m.Name(), head)
		fmt.Fprintf(&methods, "\nfunc (w %s) %s%s { %sw.W%s(%s) }\n", wrap, m.Name(), head, ret, m.Name(), strings.Join(args, ", "))
	}
	fmt.Fprintf(&t.types, "\n// %s is a wrapper of interface %s.\ntype %s struct {\n\tIValue any\n%s}\n%s", wrap, o.Name(), wrap, fields.String(), methods.String())
}
