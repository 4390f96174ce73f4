package check

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/gonterp/gonterp/interp/overlay"
)

// findBuiltIn collects, for each package name, the packages it may stand for
// where a cell uses it without an import.
func (c *Checker) findBuiltIn() {
	for _, p := range slices.Concat(c.Importer.Paths(), overlay.Whole()) {
		n := path.Base(p)
		if c.Importer.Known(p) {
			n = c.Importer.Name(p)
		}
		if !slices.Contains(c.builtIn[n], p) {
			c.builtIn[n] = append(c.builtIn[n], p)
		}
	}
}

// packageOf is the path of the package that a name stands for: as a cell has
// imported it, else the only standard package of that name, else the only one.
func (k *checking) packageOf(name string) string {
	if p, ok := k.cell.imports[name]; ok {
		return p
	}
	return k.onlyPackage(name)
}

func (c *Checker) onlyPackage(name string) string {
	all := c.builtIn[name]
	if std := slices.DeleteFunc(slices.Clone(all), func(p string) bool { return strings.Contains(p, ".") }); len(std) > 0 {
		all = std
	}
	if len(all) == 1 {
		return all[0]
	}
	return ""
}

// Package is the package that a name stands for in the next cell, nil if none.
func (c *Checker) Package(name string) *types.Package {
	p, ok := c.imports[name]
	if !ok {
		p = c.onlyPackage(name)
	}
	if p == "" {
		return nil
	}
	pk, err := c.Importer.Import(p)
	if err != nil {
		return nil
	}
	return pk
}

// PackageNames returns the names that stand for packages in the next cell.
func (c *Checker) PackageNames() []string {
	var out []string
	for n := range c.builtIn {
		if c.onlyPackage(n) != "" || c.imports[n] != "" {
			out = append(out, n)
		}
	}
	for n := range c.imports {
		if c.builtIn[n] == nil {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// hint is what an error says, with what may have been meant: which imports an
// undefined name may want, or the nearest name.
func (k *checking) hint(u *Unit, e types.Error) string {
	msg := plainWords(e.Msg)
	name, ok := strings.CutPrefix(msg, "undefined: ")
	if !ok || len(k.builtIn[name]) < 2 {
		if k.probing || msg != e.Msg {
			return msg
		}
		return k.suggest(u, e, msg)
	}
	var quoted []string
	for _, p := range k.builtIn[name] {
		quoted = append(quoted, fmt.Sprintf("import %q", p))
	}
	return msg + " (write " + strings.Join(quoted, " or ") + ")"
}

func (k *checking) noPackage(p string, err error) string {
	if k.Importer.Known(p) {
		return err.Error()
	}
	if names := k.builtIn[path.Base(p)]; len(names) > 0 {
		return fmt.Sprintf("package %q is not built in; did you mean %q?", p, names[0])
	}
	return fmt.Sprintf("package %q is not built in; cells can import the standard library, gonum and gonterp's own packages", p)
}

// source checks the Go source of a package, or what it adds to base.
func (c *Checker) source(p string, base *types.Package) (*types.Package, error) {
	if x := c.sources[p]; x != nil {
		return x, nil
	}
	src, whole := overlay.Source(p)
	if src == "" {
		src = c.Importer.SourceOf(p)
	}
	if src == "" || whole != (base == nil) {
		return nil, nil
	}
	f, err := parser.ParseFile(c.Fset, p, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	if base == nil {
		base = types.NewPackage(p, f.Name.Name)
	}
	c.sources[p] = base
	x := &Package{Path: p, Pkg: base, File: f, Fset: c.Fset, Info: newInfo(), Host: !whole}
	conf := types.Config{Importer: c.Importer, Context: c.Context}
	if err := types.NewChecker(&conf, c.Fset, base, x.Info).Files([]*ast.File{f}); err != nil {
		delete(c.sources, p)
		return nil, fmt.Errorf("source of package %s: %w", p, err)
	}
	c.packages = append(c.packages, x)
	return base, nil
}

// instance finds the source type that an instance of iter.Seq or iter.Seq2 in a host signature is of.
func (c *Checker) instance(t reflect.Type, typ func(reflect.Type) types.Type) types.Type {
	if t.PkgPath() != "iter" || t.Kind() != reflect.Func {
		return nil
	}
	yield := t.In(0)
	var args []types.Type
	for i := range yield.NumIn() {
		args = append(args, typ(yield.In(i)))
	}
	x, err := types.Instantiate(c.Context, c.iter.Scope().Lookup([]string{"", "Seq", "Seq2"}[len(args)]).Type(), args, false)
	if err != nil {
		return nil
	}
	return x
}
