package interp

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gonterp/gonterp/interp/cell"
	"github.com/gonterp/gonterp/interp/check"
)

// IsComplete says whether a cell can run as it stands. It is safe to call while a cell runs.
func (s *Session) IsComplete(code string) Completeness {
	status, indent := cell.Complete(code)
	return Completeness{Status: status, Indent: indent}
}

// placeholder stands at the cursor while types are looked at.
const placeholder = "complete__"

// Complete returns what may stand at the cursor, from static types: nothing is run.
func (s *Session) Complete(code string, cursor int) (out Completion) {
	defer func() { _ = recover() }() // broken code may be too broken for go/types: then there is nothing to offer
	at := byteOffset(code, cursor)
	start := wordStart(code, at)
	out = Completion{Start: utf8.RuneCountInString(code[:start]), End: utf8.RuneCountInString(code[:at])}
	prefix := code[start:at]
	text, inCode := headOf(code[:start], placeholder)
	if !inCode || prefix != "" && unicode.IsDigit(rune(prefix[0])) {
		if words := s.words(code[:at]); len(words) > 0 {
			word := wordBefore(code[:at])
			out.Start = out.End - utf8.RuneCountInString(word)
			out.Items = matching(words, word)
		}
		return out
	}
	s.state.Lock()
	defer s.state.Unlock()
	f := &finder{session: s}
	for _, u := range s.check.Probe(text) {
		f.unit(u)
	}
	if !f.found {
		f.names(nil, token.NoPos)
	}
	out.Items = matching(f.items, prefix)
	return out
}

func byteOffset(code string, cursor int) int {
	for i := range code {
		if cursor <= 0 {
			return i
		}
		cursor--
	}
	return len(code)
}

// wordStart is where the name that ends at at begins.
func wordStart(code string, at int) int {
	for at > 0 {
		r, n := utf8.DecodeLastRuneInString(code[:at])
		if !isLetter(r) {
			break
		}
		at -= n
	}
	return at
}

func isLetter(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// headOf closes what is open in the text before the cursor, with word at the
// cursor; inCode is false where the cursor is in a string or comment.
func headOf(head, word string) (text string, inCode bool) {
	open, header, inCode := cell.Open(head)
	if !inCode {
		return "", false
	}
	text = head + word
	for i := len(open) - 1; i >= 0; i-- {
		if open[i] == '}' {
			if header {
				text += " {}"
				header = false
			}
			text += "\n"
		}
		text += string(open[i])
	}
	if header {
		text += " {\n}"
	}
	return text, true
}

// matching filters by prefix; where nothing begins with it, letter case does not count.
func matching(items []CompletionItem, prefix string) []CompletionItem {
	var exact, folded []CompletionItem
	seen := map[string]bool{}
	for _, it := range items {
		if seen[it.Text] {
			continue
		}
		switch {
		case strings.HasPrefix(it.Text, prefix):
			exact = append(exact, it)
		case len(it.Text) >= len(prefix) && strings.EqualFold(it.Text[:len(prefix)], prefix):
			folded = append(folded, it)
		default:
			continue
		}
		seen[it.Text] = true
	}
	if len(exact) == 0 {
		return folded
	}
	return exact
}

// A finder collects what may stand at the placeholder.
type finder struct {
	session *Session
	items   []CompletionItem
	found   bool
}

func (f *finder) unit(u *check.Unit) {
	var path []ast.Node
	ast.Inspect(u.File, func(n ast.Node) bool {
		if n == nil {
			path = path[:len(path)-1]
			return true
		}
		path = append(path, n)
		if id, ok := n.(*ast.Ident); ok && id.Name == placeholder && !f.found {
			f.found = true
			f.at(u, id, path)
		}
		return true
	})
}

// at collects for the placeholder id, whose ancestors are path.
func (f *finder) at(u *check.Unit, id *ast.Ident, path []ast.Node) {
	for i := len(path) - 2; i >= 0 && i >= len(path)-3; i-- {
		switch n := path[i].(type) {
		case *ast.SelectorExpr:
			if n.Sel == id {
				f.selector(u, n.X)
				return
			}
		case *ast.CompositeLit:
			if t := u.Info.TypeOf(n); n.Type != id && t != nil {
				f.ownFields(t)
			}
		}
	}
	f.names(u, id.Pos())
}

// selector collects what may stand after x and a dot.
func (f *finder) selector(u *check.Unit, x ast.Expr) {
	if id, ok := x.(*ast.Ident); ok {
		if pn, ok := u.Info.Uses[id].(*types.PkgName); ok {
			sc := pn.Imported().Scope()
			for _, n := range sc.Names() {
				if o := sc.Lookup(n); o.Exported() && o.Pkg() == pn.Imported() {
					f.add(o)
				} else if _, isType := o.(*types.TypeName); isType && o.Exported() {
					f.add(o)
				}
			}
			return
		}
	}
	t := u.Info.TypeOf(x)
	if t == nil || t == types.Typ[types.Invalid] {
		return
	}
	if tu, ok := t.(*types.Tuple); ok && tu.Len() > 0 {
		t = tu.At(0).Type()
	}
	if !u.Info.Types[x].IsType() {
		f.fields(t, 0, map[types.Type]bool{})
	}
	recv := t
	if _, isPtr := t.Underlying().(*types.Pointer); !isPtr && !types.IsInterface(t) {
		recv = types.NewPointer(t)
	}
	set := types.NewMethodSet(recv)
	for i := range set.Len() {
		if o := set.At(i).Obj(); visible(o) {
			f.add(o)
		}
	}
}

func visible(o types.Object) bool {
	return o.Exported() || o.Pkg() == nil || o.Pkg().Path() == "main"
}

// fields collects the fields of a struct, those of embedded ones too.
func (f *finder) fields(t types.Type, depth int, seen map[types.Type]bool) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok || seen[t] || depth > 5 {
		return
	}
	seen[t] = true
	f.ownFields(t)
	for i := range st.NumFields() {
		if v := st.Field(i); v.Embedded() {
			f.fields(v.Type(), depth+1, seen)
		}
	}
}

// ownFields collects the fields that a struct declares.
func (f *finder) ownFields(t types.Type) {
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i := range st.NumFields() {
		if v := st.Field(i); visible(v) {
			f.addOf(v, t)
		}
	}
}

// names collects the names that are visible at pos: of the cell's scopes, the
// session, packages, Go itself.
func (f *finder) names(u *check.Unit, pos token.Pos) {
	s := f.session
	if u != nil {
		var inner *types.Scope
		for _, sc := range u.Info.Scopes {
			if sc.Contains(pos) && (inner == nil || inner.Contains(sc.Pos()) && inner.End() >= sc.End()) {
				inner = sc
			}
		}
		for sc := inner; sc != nil && sc != types.Universe; sc = sc.Parent() {
			for _, n := range sc.Names() {
				o := sc.Lookup(n)
				if _, isPkg := o.(*types.PkgName); !isPkg && n != placeholder && !strings.Contains(n, "__") && (o.Pos() < pos || sc == u.Pkg.Scope()) {
					f.add(o)
				}
			}
		}
	}
	universe := s.check.Universe()
	var names []string
	for n := range universe {
		if !strings.Contains(n, "__") {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	for _, n := range names {
		f.add(universe[n])
	}
	for _, n := range s.check.PackageNames() {
		f.items = append(f.items, CompletionItem{Text: n, Kind: "package"})
	}
	for _, n := range types.Universe.Names() {
		f.add(types.Universe.Lookup(n))
	}
	for t := token.BREAK; t <= token.VAR; t++ {
		f.items = append(f.items, CompletionItem{Text: t.String(), Kind: "keyword"})
	}
	f.items = append(f.items, CompletionItem{Text: "with", Kind: "keyword"})
}

func (f *finder) add(o types.Object) { f.addOf(o, nil) }

// addOf adds an object; owner is the struct that a field is of.
func (f *finder) addOf(o types.Object, owner types.Type) {
	it := CompletionItem{Text: o.Name(), Kind: kindOf(o)}
	it.Signature, it.Doc = f.session.describe(o, owner)
	it.Doc = firstSentence(it.Doc)
	f.items = append(f.items, it)
}

func kindOf(o types.Object) string {
	switch o := o.(type) {
	case *types.Func:
		if o.Signature().Recv() != nil {
			return "method"
		}
		return "func"
	case *types.Builtin:
		return "func"
	case *types.Var:
		if o.IsField() {
			return "field"
		}
		return "var"
	case *types.TypeName:
		return "type"
	case *types.Const, *types.Nil:
		return "const"
	case *types.PkgName:
		return "package"
	}
	return "value"
}
