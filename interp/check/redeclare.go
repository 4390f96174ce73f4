package check

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// Running a cell again declares its types again. A type that is declared as
// before stays the same type, so that variables and functions of earlier cells
// still fit; a method of an earlier type is rewritten to a function whose first
// parameter is the receiver, as go/types wants methods beside their type.

// methodPrefix starts the names of functions made of methods.
const methodPrefix = "method__"

// A typeText is how a type was declared.
type typeText struct {
	text    string
	uses    map[string]types.Object // what the top-level names in it meant; nil for the type itself and its companions
	methods map[string]string       // receiver and signature by name
}

// keepTypes takes type declarations out of a unit that are as they were.
func (k *checking) keepTypes(u *Unit) {
	same := map[string]bool{}
	specs := map[string]*ast.TypeSpec{}
	eachType(u.File, func(s *ast.TypeSpec) { specs[s.Name.Name] = s })
	own := declared(u.File)
	methods := k.methodTexts(u.File)
	for n, s := range specs {
		old, ok := k.kept[n]
		if _, isType := k.cell.universe[n].(*types.TypeName); !ok || !isType || s.TypeParams != nil || old.text != k.text(s) {
			continue
		}
		same[n] = true
		for m, text := range methods[n] {
			if was, ok := old.methods[m]; ok && was != text {
				same[n] = false
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for n := range same {
			for name, o := range k.kept[n].uses {
				if same[n] && !same[name] && (own[name] || k.cell.universe[name] != o) {
					same[n], changed = false, true
				}
			}
		}
	}
	keep := u.File.Decls[:0]
	for _, d := range u.File.Decls {
		if gd, ok := d.(*ast.GenDecl); ok && gd.Tok == token.TYPE {
			gd.Specs = slices.DeleteFunc(gd.Specs, func(s ast.Spec) bool { return same[s.(*ast.TypeSpec).Name.Name] })
			if len(gd.Specs) == 0 {
				continue
			}
		}
		keep = append(keep, d)
	}
	u.File.Decls = keep
	for n := range same {
		if same[n] {
			t := k.kept[n]
			t.methods = maps.Clone(t.methods)
			maps.Copy(t.methods, methods[n])
			k.kept[n] = t
		}
	}
}

// rememberTypes records how the types of a unit are declared.
func (k *checking) rememberTypes(u *Unit) {
	own := declared(u.File)
	methods := k.methodTexts(u.File)
	eachType(u.File, func(s *ast.TypeSpec) {
		t := typeText{text: k.text(s), uses: map[string]types.Object{}, methods: methods[s.Name.Name]}
		if t.methods == nil {
			t.methods = map[string]string{}
		}
		ast.Inspect(s, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if o := u.Info.Uses[id]; o != nil && o.Parent() != nil && (k.cell.universe[id.Name] == o || own[id.Name]) {
					t.uses[id.Name] = o
				}
			}
			return true
		})
		k.kept[s.Name.Name] = t
	})
}

func eachType(f *ast.File, do func(*ast.TypeSpec)) {
	for _, d := range f.Decls {
		if gd, ok := d.(*ast.GenDecl); ok && gd.Tok == token.TYPE {
			for _, s := range gd.Specs {
				do(s.(*ast.TypeSpec))
			}
		}
	}
}

func (k *checking) text(n ast.Node) string {
	var b bytes.Buffer
	printer.Fprint(&b, token.NewFileSet(), n)
	return b.String()
}

// methodTexts returns receiver and signature of a file's methods, by type and name.
func (k *checking) methodTexts(f *ast.File) map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, d := range f.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv != nil && len(fd.Recv.List) == 1 {
			n := receiver(fd.Recv.List[0].Type)
			if out[n] == nil {
				out[n] = map[string]string{}
			}
			out[n][fd.Name.Name] = k.text(fd.Recv.List[0].Type) + k.text(fd.Type)
		}
	}
	return out
}

// liftMethods rewrites methods of types of earlier units.
func (k *checking) liftMethods(u *Unit) {
	own := declared(u.File)
	for i, d := range u.File.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Recv == nil || len(fd.Recv.List) != 1 {
			continue
		}
		n := receiver(fd.Recv.List[0].Type)
		o, _ := k.cell.universe[n].(*types.TypeName)
		if own[n] || o == nil {
			continue
		}
		named, ok := types.Unalias(o.Type()).(*types.Named)
		if !ok || named.TypeParams().Len() > 0 {
			continue
		}
		lifted := lift(fd, n)
		u.File.Decls[i] = lifted
		u.Methods = append(u.Methods, Method{Recv: named, Decl: lifted})
	}
}

func lift(fd *ast.FuncDecl, typ string) *ast.FuncDecl {
	blank := func(f ast.Field) *ast.Field {
		if len(f.Names) == 0 {
			f.Names = []*ast.Ident{ast.NewIdent("_")}
		}
		return &f
	}
	params := &ast.FieldList{Opening: fd.Type.Params.Opening, Closing: fd.Type.Params.Closing, List: []*ast.Field{blank(*fd.Recv.List[0])}}
	for _, p := range fd.Type.Params.List {
		params.List = append(params.List, blank(*p))
	}
	return &ast.FuncDecl{
		Name: &ast.Ident{Name: methodPrefix + typ + "__" + fd.Name.Name, NamePos: fd.Name.NamePos},
		Type: &ast.FuncType{Func: fd.Type.Func, Params: params, Results: fd.Type.Results},
		Body: fd.Body,
	}
}

// methods gives the lifted methods of a unit to their types.
func (k *checking) methods(u *Unit) {
	for i := range u.Methods {
		m := &u.Methods[i]
		name := strings.TrimPrefix(m.Decl.Name.Name, methodPrefix+m.Recv.Obj().Name()+"__")
		sig := methodSignature(u.Pkg, u.Info.Defs[m.Decl.Name].Type().(*types.Signature))
		at := k.Fset.Position(m.Decl.Name.Pos())
		if st, ok := m.Recv.Underlying().(*types.Struct); ok {
			for j := range st.NumFields() {
				if st.Field(j).Name() == name {
					k.errs.add(at, fmt.Sprintf("field and method with the same name %s", name))
				}
			}
		}
		for j := range m.Recv.NumMethods() {
			old := m.Recv.Method(j)
			if old.Name() != name {
				continue
			}
			if s := old.Type().(*types.Signature); !types.Identical(s, sig) || !types.Identical(s.Recv().Type(), sig.Recv().Type()) {
				k.errs.add(at, fmt.Sprintf("not supported here: method %s.%s with another signature; declare the type again in this cell", m.Recv.Obj().Name(), name))
			}
			m.Func, m.IsNew = old, k.phantom[old]
			delete(k.phantom, old)
		}
		if m.Func == nil {
			m.Func, m.IsNew = types.NewFunc(m.Decl.Name.Pos(), u.Pkg, name, sig), true
			m.Recv.AddMethod(m.Func)
		}
		if m.IsNew {
			k.cell.added = append(k.cell.added, m.Func)
		}
	}
}

func methodSignature(pk *types.Package, f *types.Signature) *types.Signature {
	var params []*types.Var
	for i := 1; i < f.Params().Len(); i++ {
		params = append(params, f.Params().At(i))
	}
	recv := types.NewVar(token.NoPos, pk, "", f.Params().At(0).Type())
	return types.NewSignatureType(recv, nil, nil, types.NewTuple(params...), f.Results(), f.Variadic())
}

// receiver is the name of the type that a receiver is of.
func receiver(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
