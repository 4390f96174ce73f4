package exports

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Table maps "path/name" (the import path and the package's name) to the
// package's symbols; a name that starts with "_" is a generated wrapper that
// implements the interface of the rest of the name.
type Table = map[string]map[string]reflect.Value

// An Importer makes packages of export tables. It is safe for concurrent use,
// but for Add, which comes first.
type Importer struct {
	mu      sync.Mutex                          // guards the maps and the scopes of packages that are not complete
	known   sync.Map                            // reflect.Type -> types.Type, the finished ones: read while cells run
	symbols map[string]map[string]reflect.Value // by import path
	lazy    map[string][]func() map[string]reflect.Value
	names   map[string]string // package names by import path
	sources map[string]string
	pkgs    map[string]*types.Package
	named   map[reflect.Type]*types.Named
	reflect map[*types.Named]reflect.Type

	// Instance, if set, makes the type of an instance of a generic type, or
	// returns nil; typ is Type for its arguments.
	Instance func(t reflect.Type, typ func(reflect.Type) types.Type) types.Type
	// Source, if set, gives packages that exist as Go source: with base nil the
	// whole package of that path (nil if there is none), else additions to base.
	Source func(path string, base *types.Package) (*types.Package, error)
}

// NewImporter imports from the tables; where two have a package of the same
// path, the later one's symbols count.
func NewImporter(tables ...Table) *Importer {
	im := &Importer{
		symbols: map[string]map[string]reflect.Value{},
		lazy:    map[string][]func() map[string]reflect.Value{},
		names:   map[string]string{},
		sources: map[string]string{},
		pkgs:    map[string]*types.Package{},
		named:   map[reflect.Type]*types.Named{},
		reflect: map[*types.Named]reflect.Type{},
	}
	for _, t := range tables {
		for k, symbols := range t {
			p := path.Dir(k)
			if p == "." { // yaegi's own tables
				continue
			}
			im.names[p] = path.Base(k)
			im.lazy[p] = append(im.lazy[p], func() map[string]reflect.Value { return symbols })
		}
	}
	return im
}

// Paths returns the import paths of all packages, sorted.
func (im *Importer) Paths() []string {
	var out []string
	for p := range im.lazy {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

// Symbols returns the exported values of a package, nil if there is none of that path.
func (im *Importer) Symbols(path string) map[string]reflect.Value {
	im.mu.Lock()
	defer im.mu.Unlock()
	return im.symbolsOf(path)
}

func (im *Importer) symbolsOf(path string) map[string]reflect.Value {
	if s := im.symbols[path]; s != nil || len(im.lazy[path]) == 0 {
		return s
	}
	all := map[string]reflect.Value{}
	for _, f := range im.lazy[path] {
		maps.Copy(all, f())
	}
	im.symbols[path] = all
	return all
}

// Known reports whether there is a compiled package of that path.
func (im *Importer) Known(path string) bool { return len(im.lazy[path]) > 0 }

// Name returns the name of the package of a path.
func (im *Importer) Name(p string) string {
	if n := im.names[p]; n != "" {
		return n
	}
	return path.Base(p)
}

// SourceOf returns the source that a package was added with.
func (im *Importer) SourceOf(path string) string { return im.sources[path] }

// ReflectType is the compiled type behind a host package's named type.
func (im *Importer) ReflectType(n *types.Named) (reflect.Type, bool) {
	im.mu.Lock()
	defer im.mu.Unlock()
	t, ok := im.reflect[n]
	return t, ok
}

// Import implements types.Importer.
func (im *Importer) Import(p string) (*types.Package, error) {
	if p == "unsafe" {
		return types.Unsafe, nil
	}
	if im.Source != nil {
		if x, err := im.Source(p, nil); x != nil || err != nil {
			return x, err
		}
	}
	pk, isNew := im.compiled(p)
	if pk == nil {
		return nil, fmt.Errorf("package %q is not built in", p)
	}
	if isNew && im.Source != nil {
		if _, err := im.Source(p, pk); err != nil {
			return nil, err
		}
	}
	return pk, nil
}

// compiled makes the package of a table, if that has not been done.
func (im *Importer) compiled(p string) (pk *types.Package, isNew bool) {
	im.mu.Lock()
	defer im.mu.Unlock()
	symbols := im.symbolsOf(p)
	if symbols == nil {
		return nil, false
	}
	pk = im.pkg(p)
	if pk.Complete() {
		return pk, false
	}
	for n, v := range symbols { // defined types first, under their own names
		if !strings.HasPrefix(n, "_") && isType(v) {
			im.typ(v.Type().Elem())
		}
	}
	for n, v := range symbols {
		if !strings.HasPrefix(n, "_") && pk.Scope().Lookup(n) == nil {
			if o := im.object(pk, n, v); o != nil {
				pk.Scope().Insert(o)
			}
		}
	}
	pk.MarkComplete()
	return pk, true
}

func (im *Importer) object(pk *types.Package, n string, v reflect.Value) types.Object {
	switch {
	case isType(v):
		return types.NewTypeName(token.NoPos, pk, n, im.typ(v.Type().Elem()))
	case v.Kind() == reflect.Func && !v.CanAddr():
		sig, ok := im.typ(v.Type()).(*types.Signature)
		if !ok {
			return types.NewVar(token.NoPos, pk, n, im.typ(v.Type()))
		}
		return types.NewFunc(token.NoPos, pk, n, sig)
	case v.CanAddr():
		return types.NewVar(token.NoPos, pk, n, im.typ(v.Type()))
	}
	if c, t := constant(v); c != nil {
		if t == nil {
			t = im.typ(v.Type())
		}
		return types.NewConst(token.NoPos, pk, n, t, c)
	}
	return types.NewVar(token.NoPos, pk, n, im.typ(v.Type()))
}

func (im *Importer) pkg(p string) *types.Package {
	x := im.pkgs[p]
	if x == nil {
		x = types.NewPackage(p, im.Name(p))
		im.pkgs[p] = x
	}
	return x
}

func isType(v reflect.Value) bool {
	return v.Kind() == reflect.Pointer && !v.CanAddr() && v.IsNil()
}
