package check

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"maps"
	"slices"

	"github.com/gonterp/gonterp/interp/cell"
)

// Probe checks a cell that may be broken as far as that goes, and changes
// nothing: it is for looking at the types in it.
func (c *Checker) Probe(src string) []*Unit {
	plain, err := cell.ReplaceUnfinished(FileName(0), src)
	if err != nil {
		plain = src
	}
	items, err := cell.Split(plain)
	if err != nil {
		return nil
	}
	k := &checking{
		Checker: c, plain: plain, kept: maps.Clone(c.kept), probing: true,
		cell: &Cell{Fset: c.Fset, universe: maps.Clone(c.universe), imports: maps.Clone(c.imports)},
	}
	for _, it := range items {
		if it.Kind == cell.Import {
			k.importDecl(it)
		}
	}
	items = slices.DeleteFunc(items, func(it cell.Item) bool { return it.Kind == cell.Import })
	for len(items) > 0 {
		n := 1
		for n < len(items) && items[n].Kind == items[0].Kind {
			n++
		}
		k.probe(items[:n])
		items = items[n:]
	}
	c.removeFiles(c.probed)
	c.probed = k.cell.files
	return k.cell.Units
}

func (k *checking) probe(items []cell.Item) {
	first, end := items[0], items[len(items)-1].End
	src, kind := "package main;"+k.plain[first.Start:end], Declarations
	if first.Kind == cell.Stmt {
		src, kind = "package main;func _() {"+k.plain[first.Start:end]+"\n}", Statements
	}
	f, _ := k.parse(FileName(0), src, parser.SkipObjectResolution|parser.AllErrors)
	if f == nil || kind == Statements && (len(f.Decls) == 0 || !isBody(f.Decls[0])) {
		return
	}
	u := &Unit{Kind: kind, File: f, Pkg: types.NewPackage("main", "main")}
	k.reused = reuse(f)
	cutEnds(f)
	k.asBefore(f)
	if kind == Declarations {
		k.keepTypes(u)
		k.liftMethods(u)
	}
	k.types(u)
	k.declare(u)
	k.cell.Units = append(k.cell.Units, u)
}

func isBody(d ast.Decl) bool {
	fd, ok := d.(*ast.FuncDecl)
	return ok && fd.Body != nil
}

// ObjectText is an object as its declaration would show it to a cell.
func ObjectText(o types.Object) string {
	if c, ok := o.(*types.Const); ok {
		return fmt.Sprintf("const %s %s = %s", c.Name(), types.TypeString(c.Type(), qualify), c.Val())
	}
	return types.ObjectString(o, qualify)
}

// TypeText is a type as a cell writes it.
func TypeText(t types.Type) string { return types.TypeString(t, qualify) }

// qualify leaves the package of the cells out.
func qualify(p *types.Package) string {
	if p.Path() == "main" {
		return ""
	}
	return p.Name()
}
