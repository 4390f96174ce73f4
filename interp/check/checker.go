package check

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/gonterp/gonterp/interp/cell"
	"github.com/gonterp/gonterp/interp/exports"
)

// A Checker knows what the cells of a session have declared. It is not safe for
// concurrent use.
type Checker struct {
	Importer *exports.Importer
	Fset     *token.FileSet
	Context  *types.Context // shared, so that equal instances of generic types are one

	universe map[string]types.Object
	imports  map[string]string   // path by the name a cell gave it
	builtIn  map[string][]string // candidates for an import by use, by package name
	packages []*Package
	sources  map[string]*types.Package
	kept     map[string]typeText // how the types of the universe were declared
	funcs    map[string]funcText // and its functions
	phantom  map[types.Object]bool
	probed   []*token.File  // of the last Probe
	iter     *types.Package // host signatures have instances of its types
}

// New returns a checker for cells that may import what the importer knows.
func New(im *exports.Importer) *Checker {
	c := &Checker{
		Importer: im, Fset: token.NewFileSet(), Context: types.NewContext(),
		universe: map[string]types.Object{}, imports: map[string]string{}, builtIn: map[string][]string{},
		sources: map[string]*types.Package{}, kept: map[string]typeText{}, funcs: map[string]funcText{}, phantom: map[types.Object]bool{},
	}
	im.Source = c.source
	im.Instance = c.instance
	c.iter, _ = im.Import("iter")
	c.findBuiltIn()
	return c
}

// Universe returns the top-level objects that the session's cells have declared.
func (c *Checker) Universe() map[string]types.Object { return c.universe }

// FileName is the name of a cell in positions.
func FileName(number int) string { return fmt.Sprintf("c%d", number) }

// Cell checks a cell. The session's state changes only by Commit. An error is an Errors.
func (c *Checker) Cell(number int, src string) (*Cell, error) {
	plain, err := cell.ReplaceWith(FileName(number), src)
	if err != nil {
		return nil, textErrors(err, 1)
	}
	items, err := cell.Split(plain)
	if err != nil {
		return nil, textErrors(err, 1)
	}
	out := &Cell{Number: number, Source: src, Fset: c.Fset, universe: maps.Clone(c.universe), imports: maps.Clone(c.imports)}
	k := &checking{Checker: c, cell: out, plain: plain, kept: maps.Clone(c.kept), funcs: maps.Clone(c.funcs)}
	for _, it := range items {
		if it.Kind == cell.Import {
			k.importDecl(it)
		}
		if word, _, _ := strings.Cut(plain[it.Start:it.End], " "); word == "package" {
			return nil, Errors{{it.Line, it.Column, "a cell has no package clause; leave this line out"}}
		}
	}
	items = slices.DeleteFunc(items, func(it cell.Item) bool { return it.Kind == cell.Import })
	runs := runsOf(items)
	for i, run := range runs {
		k.run(run, runs[i+1:])
	}
	if len(k.errs) > 0 {
		c.Drop(out)
		k.errs.sort()
		return nil, k.errs
	}
	out.Packages = slices.Clone(c.packages)
	out.keptTypes, out.funcs = k.kept, k.funcs
	return out, nil
}

// Commit makes what a cell declares visible to later cells.
func (c *Checker) Commit(x *Cell) {
	c.universe, c.imports, c.kept, c.funcs = x.universe, x.imports, x.keptTypes, x.funcs
	used := map[*token.File]bool{}
	for _, u := range x.Units {
		used[c.Fset.File(u.File.FileStart)] = true
		u.narrow()
	}
	for _, f := range x.files {
		if !used[f] {
			c.Fset.RemoveFile(f)
		}
	}
}

// narrow leaves in a unit's scope what the unit declares. What it used of earlier
// cells would else keep those, as long as anything of the unit is about.
func (u *Unit) narrow() {
	sc := u.Pkg.Scope()
	var own []types.Object
	for _, n := range sc.Names() {
		if o := sc.Lookup(n); o.Pkg() == u.Pkg {
			own = append(own, o)
		}
	}
	*sc = *types.NewScope(types.Universe, token.NoPos, token.NoPos, "")
	for _, o := range own {
		sc.Insert(o)
	}
}

// Drop forgets a cell that will not be committed.
func (c *Checker) Drop(x *Cell) {
	for _, m := range x.added {
		c.phantom[m] = true // go/types cannot take a method away again
	}
	c.removeFiles(x.files)
}

// parse parses text as a file of a cell.
func (k *checking) parse(name, src string, mode parser.Mode) (*ast.File, error) {
	f, err := parser.ParseFile(k.Fset, name, src, mode)
	if f != nil {
		if t := k.Fset.File(f.FileStart); t != nil {
			k.cell.files = append(k.cell.files, t)
		}
	}
	return f, err
}

func (c *Checker) removeFiles(files []*token.File) {
	for _, f := range files {
		c.Fset.RemoveFile(f)
	}
}

// checking is the state of checking one cell.
type checking struct {
	*Checker
	cell  *Cell
	plain string // the text without with blocks
	errs  Errors
	kept  map[string]typeText
	funcs map[string]funcText

	reused  []*ast.AssignStmt // of the unit that is being checked
	probing bool
}

func (k *checking) importDecl(it cell.Item) {
	src := fmt.Sprintf("package p;/*line %s:%d:%d*/%s", FileName(k.cell.Number), it.Line, it.Column, k.plain[it.Start:it.End])
	f, err := k.parse(FileName(k.cell.Number), src, parser.ImportsOnly)
	if err != nil {
		k.errs = append(k.errs, textErrors(err, it.Line)...)
		return
	}
	for _, im := range f.Imports {
		p := strings.Trim(im.Path.Value, "`\"")
		pk, err := k.Importer.Import(p)
		if err != nil {
			k.errs.add(k.Fset.Position(im.Pos()), k.noPackage(p, err))
			continue
		}
		n := pk.Name()
		if im.Name != nil {
			n = im.Name.Name
		}
		switch n {
		case "_":
		case ".":
			k.errs.add(k.Fset.Position(im.Pos()), "a dot import is not supported here; import the package under a name")
		default:
			k.cell.imports[n] = p
			delete(k.cell.universe, n)
		}
	}
}

// runsOf cuts items into runs of one kind.
func runsOf(items []cell.Item) (runs [][]cell.Item) {
	for len(items) > 0 {
		n := 1
		for n < len(items) && items[n].Kind == items[0].Kind {
			n++
		}
		runs = append(runs, items[:n])
		items = items[n:]
	}
	return runs
}

// run checks a run of items. Declarations may name what is declared further
// down in the cell: where that is all that is wrong, the later declarations are
// checked together with them.
func (k *checking) run(items []cell.Item, later [][]cell.Item) {
	if len(items) == 0 { // already checked with an earlier run
		return
	}
	before := len(k.errs)
	universe, imports := maps.Clone(k.cell.universe), maps.Clone(k.cell.imports)
	k.unit(k.textOf(items), items[0], len(later) == 0)
	if items[0].Kind != cell.Decl || !k.errs[before:].OnlyUndefined() {
		return
	}
	text, merged := k.textOf(items), false
	for _, l := range later {
		if l[0].Kind == cell.Decl {
			text += "\n" + k.textOf(l)
			merged = true
		}
	}
	if !merged {
		return
	}
	first := k.errs
	k.errs = k.errs[:before:before]
	k.cell.universe, k.cell.imports = universe, imports
	k.unit(text, items[0], false)
	if len(k.errs) > before {
		k.errs = first
		return
	}
	for i, l := range later {
		if l[0].Kind == cell.Decl {
			later[i] = nil
		}
	}
}

// textOf is the text of a run, with a directive that says where it stands.
func (k *checking) textOf(items []cell.Item) string {
	first := items[0]
	return fmt.Sprintf("/*line %s:%d:%d*/", FileName(k.cell.Number), first.Line, first.Column) + k.plain[first.Start:items[len(items)-1].End]
}

// unit checks text, whose first item is given.
func (k *checking) unit(text string, first cell.Item, last bool) {
	name := FileName(k.cell.Number)
	src, kind := "package main;"+text, Declarations
	if first.Kind == cell.Stmt {
		src, kind = "package main;func _() {"+text+"\n}", Statements
	}
	f, err := k.parse(name, src, parser.SkipObjectResolution)
	if err != nil {
		k.parseErrors(err, first.Line)
		return
	}
	u := &Unit{Kind: kind, File: f, Pkg: types.NewPackage("main", "main")}
	k.reused = reuse(f)
	cutEnds(f)
	if kind == Statements {
		body := f.Decls[0].(*ast.FuncDecl).Body
		body.List = oneByOne(body.List)
		if n := len(body.List); last && n > 0 {
			_, u.Value = body.List[n-1].(*ast.ExprStmt)
		}
	}
	k.asBefore(f)
	if kind == Declarations {
		giveBodies(f)
		k.keepTypes(u)
		k.liftMethods(u)
	}
	if !k.types(u) {
		k.declare(u) // so that later units do not err because of this one's errors
		return
	}
	u.Value = u.Value && !onlyWrites(u)
	k.declare(u)
	k.methods(u)
	k.cell.Units = append(k.cell.Units, u)
	k.rememberFuncs(u, src)
	k.recheck(u)
}

// onlyWrites reports whether the last expression of a unit is the call of a
// function that is called for what it writes, not for how much that was.
func onlyWrites(u *Unit) bool {
	body := u.Body()
	call, ok := ast.Unparen(body[len(body)-1].(*ast.ExprStmt).X).(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := u.Info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Pkg() == nil {
		return false
	}
	if f.Signature().Recv() != nil {
		return strings.HasPrefix(f.Name(), "Write") && f.Signature().Results().Len() == 2
	}
	return f.Pkg().Path() == "fmt" && (strings.HasPrefix(f.Name(), "Print") || strings.HasPrefix(f.Name(), "Fprint")) ||
		f.Pkg().Path() == "io" && f.Name() == "WriteString"
}

// oneByOne makes each variable of a var block a statement of its own, so that
// it is there when the next one is initialised.
func oneByOne(list []ast.Stmt) []ast.Stmt {
	var out []ast.Stmt
	for _, s := range list {
		ds, ok := s.(*ast.DeclStmt)
		if !ok || ds.Decl.(*ast.GenDecl).Tok != token.VAR {
			out = append(out, s)
			continue
		}
		for _, spec := range ds.Decl.(*ast.GenDecl).Specs {
			out = append(out, &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR, TokPos: spec.Pos(), Specs: []ast.Spec{spec}}})
		}
	}
	return out
}

// parseErrors adds what the parser found, but for errors behind the end of the
// cell that follow from those in it.
func (k *checking) parseErrors(err error, line int) {
	lines := strings.Count(k.cell.Source, "\n") + 1
	for i, d := range textErrors(err, line) {
		if d.Line > lines {
			if i > 0 {
				continue
			}
			d = k.atEnd(d)
		}
		k.errs = append(k.errs, d)
	}
}

// atEnd says of a brace that is not the cell's own what it stands for: the cell's end.
func (k *checking) atEnd(d Diagnostic) Diagnostic {
	src := strings.TrimRightFunc(k.cell.Source, unicode.IsSpace)
	d.Line, d.Column = strings.Count(src, "\n")+1, len(src)-strings.LastIndexByte(src, '\n')
	for _, found := range []string{"found '}'", "found 'EOF'"} {
		d.Text = strings.Replace(d.Text, found, "found the end of the cell", 1)
	}
	return d
}

// types runs the type checker.
func (k *checking) types(u *Unit) bool {
	names := declared(u.File)
	k.fillScope(u, names)
	u.Info = newInfo()
	before := len(k.errs)
	var found []types.Error
	conf := types.Config{Importer: k.Importer, Context: k.Context, DisableUnusedImportCheck: true, Error: func(err error) {
		if e := err.(types.Error); !tolerated(e) {
			found = append(found, e)
		}
	}}
	types.NewChecker(&conf, k.Fset, u.Pkg, u.Info).Files([]*ast.File{u.File})
	for _, e := range found {
		text, reused := reusedAs(k.reused, u, e)
		if !reused {
			text = k.hint(u, e)
		}
		k.errs.add(k.Fset.Position(e.Pos), text)
	}
	for e, sel := range u.Info.Selections {
		if k.phantom[sel.Obj()] {
			k.errs.add(k.Fset.Position(e.Sel.Pos()), fmt.Sprintf("undefined: %s (its cell failed; run it again)", e.Sel.Name))
		}
	}
	return len(k.errs) == before
}

// fillScope puts into a unit's package scope what it uses of the universe and of the packages.
func (k *checking) fillScope(u *Unit, own map[string]bool) {
	sc := u.Pkg.Scope()
	ast.Inspect(u.File, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || own[id.Name] || sc.Lookup(id.Name) != nil {
			return true
		}
		if o := k.cell.universe[id.Name]; o != nil {
			sc.Insert(o)
			return true
		}
		if p := k.packageOf(id.Name); p != "" {
			if pk, err := k.Importer.Import(p); err == nil {
				sc.Insert(types.NewPkgName(token.NoPos, u.Pkg, id.Name, pk))
			}
		}
		return true
	})
}

// declare enters what a unit declares at the top level.
func (k *checking) declare(u *Unit) {
	if u.Info == nil {
		return
	}
	set := func(name string, o types.Object) (old types.Object) {
		old = k.cell.universe[name]
		k.cell.universe[name] = o
		delete(k.cell.imports, name)
		return old
	}
	if u.Kind == Statements {
		globals := types.NewPackage("main", "main")
		sc := u.Info.Scopes[u.File.Decls[0].(*ast.FuncDecl).Type]
		for _, n := range sc.Names() {
			if v, ok := sc.Lookup(n).(*types.Var); ok {
				g := types.NewVar(v.Pos(), globals, n, v.Type())
				globals.Scope().Insert(g)
				u.Vars = append(u.Vars, Var{Local: v, Global: g, Old: set(n, g)})
			}
		}
		return
	}
	for _, n := range slices.Sorted(maps.Keys(declared(u.File))) {
		if o := u.Pkg.Scope().Lookup(n); o != nil && o.Pkg() == u.Pkg {
			u.Decls = append(u.Decls, Decl{New: o, Old: set(n, o)})
		}
	}
	k.rememberTypes(u)
}

// declared returns the names that a file declares at package level, functions
// made of methods excepted.
func declared(f *ast.File) map[string]bool {
	out := map[string]bool{}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name != "_" && !strings.HasPrefix(d.Name.Name, methodPrefix) {
				out[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					out[s.Name.Name] = true
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if n.Name != "_" {
							out[n.Name] = true
						}
					}
				}
			}
		}
	}
	return out
}

func newInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
		Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
	}
}
