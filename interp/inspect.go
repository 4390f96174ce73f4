package interp

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
	"unicode/utf8"

	"github.com/gonterp/gonterp/interp/check"
	"github.com/gonterp/gonterp/interp/symbols"
)

// Inspect describes the name at the cursor: its declaration, its documentation
// and, with detail 1, the source of a function of a cell.
func (s *Session) Inspect(code string, cursor, detail int) (b Bundle, ok bool) {
	defer func() { _ = recover() }() // as in Complete
	at := byteOffset(code, cursor)
	end := at
	for end < len(code) {
		r, n := utf8.DecodeRuneInString(code[end:])
		if !isLetter(r) {
			break
		}
		end += n
	}
	start := wordStart(code, end)
	if start == end && at > 0 && strings.ContainsRune("(.", rune(code[at-1])) { // just behind a name
		return s.Inspect(code, cursor-1, detail)
	}
	text, inCode := headOf(code[:start], code[start:end])
	if start == end || !inCode {
		return Bundle{}, false
	}
	s.state.Lock()
	defer s.state.Unlock()
	o, owner := lastUse(s.check.Probe(text), code[start:end])
	if o == nil {
		return s.inspectName(code[start:end])
	}
	return s.inspectObject(o, owner, detail)
}

func (s *Session) inspectName(name string) (Bundle, bool) {
	if o := s.check.Universe()[name]; o != nil {
		return s.inspectObject(o, nil, 0)
	}
	if pk := s.check.Package(name); pk != nil {
		return packageBundle(pk), true
	}
	if o := types.Universe.Lookup(name); o != nil {
		return plainBundle(check.ObjectText(o), ""), true
	}
	return Bundle{}, false
}

func (s *Session) inspectObject(o types.Object, owner types.Type, detail int) (Bundle, bool) {
	if pn, ok := o.(*types.PkgName); ok {
		return packageBundle(pn.Imported()), true
	}
	decl, doc := s.describe(o, owner)
	if detail > 0 {
		if src := s.sourceOf(o); src != "" {
			doc = strings.TrimSpace(doc + "\n\n" + src)
		}
	}
	return plainBundle(decl, doc), true
}

func packageBundle(pk *types.Package) Bundle {
	d, _ := symbols.DocOf(pk.Path(), "")
	return plainBundle(fmt.Sprintf("package %s // import %q", pk.Name(), pk.Path()), d.Text)
}

func plainBundle(decl, doc string) Bundle {
	text := decl
	if doc != "" {
		text += "\n\n" + doc
	}
	return Bundle{Data: map[string]any{
		"text/plain":    text,
		"text/markdown": "```go\n" + decl + "\n```\n\n" + doc,
	}}
}

// lastUse is the object of the last identifier of that name, and the struct it is a field of.
func lastUse(units []*check.Unit, name string) (o types.Object, owner types.Type) {
	for _, u := range units {
		ast.Inspect(u.File, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if n.Sel.Name == name {
					if sel := u.Info.Selections[n]; sel != nil {
						owner = sel.Recv()
					}
				}
			case *ast.Ident:
				if n.Name == name {
					if x := u.Info.ObjectOf(n); x != nil {
						o = x
					}
				}
			}
			return true
		})
	}
	return o, owner
}

// describe returns an object's declaration and documentation.
func (s *Session) describe(o types.Object, owner types.Type) (decl, doc string) {
	decl = check.ObjectText(o)
	if o.Pkg() == nil {
		return decl, ""
	}
	if o.Pkg().Path() == "main" {
		return decl, s.commentOf(o)
	}
	name := o.Name()
	if f, ok := o.(*types.Func); ok && f.Signature().Recv() != nil {
		owner = f.Signature().Recv().Type()
	}
	if owner != nil {
		if p, ok := owner.Underlying().(*types.Pointer); ok && types.Unalias(owner) == owner {
			owner = p.Elem()
		}
		if n, ok := types.Unalias(owner).(*types.Named); ok {
			name = n.Obj().Name() + "." + name
		}
	}
	if d, ok := symbols.DocOf(o.Pkg().Path(), name); ok {
		return d.Decl, d.Text
	}
	return decl, ""
}

// commentOf is the comment above the declaration of an object of a cell.
func (s *Session) commentOf(o types.Object) string {
	p := s.check.Fset.Position(o.Pos())
	lines := strings.Split(s.sources[cellNumber(p)], "\n")
	var out []string
	for i := p.Line - 2; i >= 0 && i < len(lines); i-- {
		l := strings.TrimSpace(lines[i])
		if !strings.HasPrefix(l, "//") {
			break
		}
		out = append([]string{strings.TrimSpace(strings.TrimPrefix(l, "//"))}, out...)
	}
	return strings.Join(out, "\n")
}

// sourceOf is the text of a function of a cell.
func (s *Session) sourceOf(o types.Object) string {
	f, ok := o.(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "main" || f.Scope() == nil {
		return ""
	}
	from, to := s.check.Fset.Position(f.Scope().Pos()), s.check.Fset.Position(f.Scope().End())
	lines := strings.Split(s.sources[cellNumber(from)], "\n")
	if from.Line < 1 || to.Line > len(lines) || from.Line > to.Line {
		return ""
	}
	return strings.Join(lines[from.Line-1:to.Line], "\n")
}

func firstSentence(s string) string {
	s, _, _ = strings.Cut(s, "\n\n")
	s = strings.ReplaceAll(s, "\n", " ")
	if i := strings.Index(s, ". "); i >= 0 {
		s = s[:i+1]
	}
	return s
}
