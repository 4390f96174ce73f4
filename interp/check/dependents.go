package check

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// A function of an earlier cell means the constants, types and functions that
// it names, not what they were when it was declared: as re-running its cell
// would. So when one of them becomes another thing, the functions that use it
// are checked again, as a unit after the one that changed it. A function that no
// longer fits keeps its old meaning. Functions that are redeclared with the same
// signature need nothing of this: engines hand calls on.

// A funcText is how a function was declared.
type funcText struct {
	text string // with line directives
	uses map[string]types.Object
}

// rememberFuncs records the functions of a unit.
func (k *checking) rememberFuncs(u *Unit, src string) {
	for _, d := range u.File.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Recv != nil || u.Kind == Statements || strings.HasPrefix(fd.Name.Name, methodPrefix) {
			continue
		}
		file := k.Fset.File(fd.Pos())
		at := k.Fset.Position(fd.Pos())
		f := funcText{uses: map[string]types.Object{}}
		f.text = fmt.Sprintf("/*line %s:%d:%d*/", at.Filename, at.Line, at.Column) + src[file.Offset(fd.Pos()):file.Offset(fd.End())]
		ast.Inspect(fd, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if o := u.Info.Uses[id]; o != nil && k.cell.universe[id.Name] == o {
					f.uses[id.Name] = o
				}
			}
			return true
		})
		k.funcs[fd.Name.Name] = f
	}
}

// recheck checks functions again that use what a unit has made another thing.
func (k *checking) recheck(u *Unit) {
	changed := map[string]bool{}
	for _, d := range u.Decls {
		delete(k.funcsOf(d.New), d.New.Name())
		if isAnother(d.New, d.Old) {
			changed[d.New.Name()] = true
		}
	}
	for len(changed) > 0 {
		var texts []string
		for _, name := range slices.Sorted(maps.Keys(k.funcs)) {
			if f := k.funcs[name]; k.stale(f, changed) {
				texts = append(texts, f.text)
			}
		}
		changed = map[string]bool{}
		for _, text := range texts {
			for _, d := range k.again(text) {
				if isAnother(d.New, d.Old) {
					changed[d.New.Name()] = true
				}
			}
		}
	}
}

// funcsOf is where to forget a name that is no longer a function.
func (k *checking) funcsOf(o types.Object) map[string]funcText {
	if _, isFunc := o.(*types.Func); isFunc {
		return nil
	}
	return k.funcs
}

// isAnother reports whether a redeclared name means something to which users of
// the old one cannot be handed on.
func isAnother(now, old types.Object) bool {
	switch old.(type) {
	case *types.Const, *types.TypeName:
		return true
	case *types.Func:
		_, isFunc := now.(*types.Func)
		return !isFunc || !types.Identical(now.Type(), old.Type())
	}
	return false
}

// stale reports whether a function uses the old meaning of a changed name.
func (k *checking) stale(f funcText, changed map[string]bool) bool {
	for name, o := range f.uses {
		if changed[name] && k.cell.universe[name] != o {
			return true
		}
	}
	return false
}

// again checks a function against what names mean now. Where it does not fit, nothing changes.
func (k *checking) again(text string) []Decl {
	src := "package main;" + text
	f, err := k.parse(FileName(k.cell.Number), src, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	k.asBefore(f)
	giveBodies(f)
	u := &Unit{Kind: Declarations, File: f, Pkg: types.NewPackage("main", "main")}
	before := len(k.errs)
	if !k.types(u) {
		k.errs = k.errs[:before]
		return nil
	}
	k.declare(u)
	k.cell.Units = append(k.cell.Units, u)
	k.rememberFuncs(u, src)
	return u.Decls
}
