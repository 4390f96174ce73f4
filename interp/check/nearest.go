package check

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/gonterp/gonterp/runtime/spelling"
)

// suggest adds to a complaint about a name that is not there the nearest one that
// is, of what may stand at that place.
func (k *checking) suggest(u *Unit, e types.Error, msg string) string {
	name, names := k.candidates(u, e)
	if near := spelling.Nearest(name, slices.Values(names)); near != "" {
		return fmt.Sprintf("%s; the nearest is %s", msg, near)
	}
	return msg
}

// candidates are the name that an error complains of, and the names that could have
// been meant, likelier ones first.
func (k *checking) candidates(u *Unit, e types.Error) (name string, names []string) {
	missing := strings.Contains(e.Msg, " has no field or method ") && !strings.Contains(e.Msg, "but does have")
	undefined := strings.HasPrefix(e.Msg, "undefined: ")
	unknown := strings.HasPrefix(e.Msg, "unknown field ")
	if !missing && !undefined && !unknown {
		return "", nil
	}
	path := pathTo(u.File, e)
	if len(path) < 2 {
		return "", nil
	}
	id := path[len(path)-1].(*ast.Ident)
	for i := len(path) - 2; i >= 0; i-- {
		switch n := path[i].(type) {
		case *ast.SelectorExpr:
			if n.Sel == id {
				return id.Name, members(u, n.X)
			}
		case *ast.CompositeLit:
			if t := u.Info.TypeOf(n); unknown && t != nil {
				return id.Name, fieldNames(t, 0)
			}
		}
	}
	if !undefined {
		return "", nil
	}
	return id.Name, k.visible(u, id)
}

// pathTo is the way from a file to the identifier that an error stands at.
func pathTo(f *ast.File, e types.Error) (found []ast.Node) {
	var path []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			path = path[:len(path)-1]
			return true
		}
		path = append(path, n)
		if _, ok := n.(*ast.Ident); ok && found == nil && n.Pos() == e.Pos {
			found = slices.Clone(path)
		}
		return true
	})
	return found
}

// members are the names that may stand behind x and a dot.
func members(u *Unit, x ast.Expr) []string {
	if id, ok := x.(*ast.Ident); ok {
		if pn, ok := u.Info.Uses[id].(*types.PkgName); ok {
			return slices.DeleteFunc(pn.Imported().Scope().Names(), func(n string) bool { return !ast.IsExported(n) })
		}
	}
	t := u.Info.TypeOf(x)
	if t == nil || t == types.Typ[types.Invalid] {
		return nil
	}
	names := fieldNames(t, 0)
	if _, isPointer := t.Underlying().(*types.Pointer); !isPointer && !types.IsInterface(t) {
		t = types.NewPointer(t)
	}
	for m := range types.NewMethodSet(t).Methods() {
		if usable(m.Obj()) {
			names = append(names, m.Obj().Name())
		}
	}
	return names
}

// deepest is how far embedded structs are looked into.
const deepest = 5

// fieldNames are the fields of a struct or of what points to one, those of embedded ones too.
func fieldNames(t types.Type, depth int) (names []string) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok || depth > deepest {
		return nil
	}
	for f := range s.Fields() {
		if usable(f) {
			names = append(names, f.Name())
		}
		if f.Embedded() {
			names = append(names, fieldNames(f.Type(), depth+1)...)
		}
	}
	return names
}

// usable reports whether a cell may name an object.
func usable(o types.Object) bool { return o.Exported() || o.Pkg() == nil || o.Pkg().Path() == "main" }

// visible are the names that may stand where id does: of the cell's scopes, of the
// session, of packages, of Go.
func (k *checking) visible(u *Unit, id *ast.Ident) (names []string) {
	for _, s := range u.Info.Scopes {
		if s.Contains(id.Pos()) {
			names = append(names, s.Names()...)
		}
	}
	slices.Sort(names)
	names = append(names, slices.Sorted(maps.Keys(k.cell.universe))...)
	names = append(names, slices.Sorted(maps.Keys(k.cell.imports))...)
	names = append(names, k.PackageNames()...)
	names = append(names, types.Universe.Names()...)
	return slices.DeleteFunc(names, func(n string) bool { return strings.Contains(n, "__") })
}
