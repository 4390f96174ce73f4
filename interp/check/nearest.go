package check

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// suggest adds to a complaint about a name that is not there the nearest one that
// is, of what may stand at that place.
func (k *checking) suggest(u *Unit, e types.Error, msg string) string {
	name, names := k.candidates(u, e)
	if near := Nearest(name, names); near != "" {
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

// Nearest is the first of names that the fewest slips of the hand turn name into, ""
// where all are further than a third of its letters, or more, or it is too short to tell.
func Nearest(name string, names []string) string {
	best, least := "", utf8.RuneCountInString(name)/3+1
	for _, n := range names {
		if d := slips([]rune(name), []rune(n)); d > 0 && d < least {
			best, least = n, d
		}
	}
	return best
}

// slips counts the letters left out, typed too many, mistaken or swapped with the
// next between two words (the restricted Damerau-Levenshtein distance); letters of
// the other case are the same.
func slips(a, b []rune) int {
	same := func(x, y rune) bool { return x == y || strings.EqualFold(string(x), string(y)) }
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			mistaken := rows[i-1][j-1]
			if !same(a[i-1], b[j-1]) {
				mistaken++
			}
			rows[i][j] = min(mistaken, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] != a[i-2] && same(a[i-1], b[j-2]) && same(a[i-2], b[j-1]) {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	if d := rows[len(a)][len(b)]; d > 0 || string(a) == string(b) {
		return d
	}
	return 1 // only the case differs
}
