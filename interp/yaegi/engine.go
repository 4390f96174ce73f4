package yaegi

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/traefik/yaegi/interp"

	"github.com/gonterp/gonterp/interp/check"
	"github.com/gonterp/gonterp/interp/engine"
	"github.com/gonterp/gonterp/interp/exports"
	"github.com/gonterp/gonterp/interp/overlay"
	"github.com/gonterp/gonterp/interp/yaegi/rt"
)

// An Engine runs cells on yaegi.
type Engine struct {
	host   engine.Host
	yaegi  *interp.Interpreter
	rt     *rt.RT
	lower  *Lowerer
	traces traces
	result []any

	packages int // how many of a cell's packages are known here
	cells    int

	topMark, funcMark *int // see marks.go

	mu     sync.Mutex
	cancel context.CancelFunc // of the running cell
}

// New returns an engine for the packages of the host.
func New(host engine.Host) (*Engine, error) {
	e := &Engine{host: host, rt: rt.New()}
	e.yaegi = interp.New(interp.Options{Stdout: host.Stdout, Stderr: &e.traces})
	im := host.Importer
	e.rt.Pkg = types.NewPackage("main", "main")
	e.rt.TypeOf = im.Type
	e.rt.Out = func(v []any) { e.result = v }
	e.rt.Forget = func() { e.traces.take() }
	e.rt.Writer, e.rt.Stdout, e.rt.Stderr = host.Writer, host.Stdout, host.Stderr
	e.rt.OnGo = func(v any, pos string) {
		f := e.Fault(v)
		if len(f.Stack) == 0 {
			f.Stack = []engine.Frame{{Pos: position(pos)}}
		}
		host.Panicked(f)
	}
	e.lower = NewLowerer(e.rt)
	e.lower.IsHost = func(p string) bool {
		_, whole := overlay.Source(p)
		return p != "main" && !whole
	}
	e.lower.HostName = e.hostName

	own := e.rt.Fmt()
	for _, p := range im.Paths() {
		if _, whole := overlay.Source(p); whole {
			continue
		}
		symbols := im.Symbols(p)
		e.rt.UseWrappers(p, symbols)
		if p == "fmt" {
			symbols = with(symbols, own)
		}
		// under names that no cell can take, global for all code
		if err := e.yaegi.Use(exports.Table{Alias(p) + "/" + Alias(p): symbols}); err != nil {
			return nil, fmt.Errorf("package %s: %w", p, err)
		}
	}
	if err := e.yaegi.Use(exports.Table{"rt/rt": runtimeSymbols(e.rt)}); err != nil {
		return nil, err
	}
	e.yaegi.ImportUsed()
	if _, err := e.yaegi.Eval("var true__v, false__v bool = true, false\nvar " + topMark + ", " + funcMark + " int"); err != nil {
		return nil, err
	}
	for name, p := range map[string]**int{topMark: &e.topMark, funcMark: &e.funcMark} {
		v, err := e.yaegi.Eval("&" + name)
		if err != nil {
			return nil, err
		}
		*p = v.Interface().(*int)
	}
	return e, nil
}

func with(a, b map[string]reflect.Value) map[string]reflect.Value {
	out := make(map[string]reflect.Value, len(a))
	for n, v := range a {
		out[n] = v
	}
	for n, v := range b {
		out[n] = v
	}
	return out
}

func runtimeSymbols(r *rt.RT) map[string]reflect.Value {
	out := map[string]reflect.Value{}
	v := reflect.ValueOf(r)
	for _, n := range []string{"Is", "Box", "Unbox", "Assert", "Err", "To", "Reg", "Meth", "Eq", "As", "Fix", "Go", "Result", "Panic", "Index", "Defers", "Defer", "Run", "Recover", "PanicVal", "RecoverIn", "DeferCall", "HoldCell"} {
		out[n] = v.MethodByName(n)
	}
	return out
}

// hostName reports whether a host type can be named in emitted code, and makes
// a name for one that the tables do not export under its own.
func (e *Engine) hostName(n *types.Named) bool {
	p, name := n.Obj().Pkg().Path(), n.Obj().Name()
	symbols := e.host.Importer.Symbols(p)
	if _, ok := symbols[name]; ok {
		return true
	}
	t, ok := e.host.Importer.ReflectType(n)
	if !ok || symbols == nil || !n.Obj().Exported() {
		return false
	}
	return e.yaegi.Use(exports.Table{Alias(p) + "/" + Alias(p): {name: reflect.Zero(reflect.PointerTo(t))}}) == nil
}

// Compile implements engine.Engine.
func (e *Engine) Compile(c *check.Cell) (run engine.Run, err error) {
	mark := e.lower.Mark()
	defer func() {
		if p := recover(); p != nil {
			r, ok := p.(Refused)
			if !ok {
				panic(p)
			}
			err = &engine.Refusal{Pos: r.Pos, Construct: r.Msg}
		}
		if err != nil {
			e.lower.Rollback(mark)
		}
	}()
	for _, p := range c.Packages[e.packages:] {
		e.addPackage(p)
	}
	e.packages = len(c.Packages)
	e.cells++
	decls, regs, body := e.lowerCell(c)
	if err := e.eval(strings.Join(decls, "\n")); err != nil {
		return nil, err
	}
	text := strings.Join(regs, "\n") + "\n" + body
	if strings.TrimSpace(text) == "" {
		return func() []engine.Value { return nil }, nil
	}
	name := fmt.Sprintf("cell__%d", e.cells)
	if err := e.eval("func " + name + "() {\n" + text + "\n}"); err != nil {
		return nil, err
	}
	return func() []engine.Value { return e.run(name) }, nil
}

func (e *Engine) eval(code string) (err error) {
	if strings.TrimSpace(code) == "" {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = &engine.Refusal{Construct: fmt.Sprintf("something in this cell that yaegi cannot compile: %v", p)}
		}
	}()
	if _, err = e.yaegi.Eval(code); err != nil {
		return &engine.Refusal{Construct: fmt.Sprintf("something in this cell that yaegi cannot compile: %v", err)}
	}
	return nil
}

func (e *Engine) addPackage(p *check.Package) {
	e.units(p.File, p.Info, p.Fset, "")
	for _, d := range p.File.Decls {
		if gd, ok := d.(*ast.GenDecl); ok && gd.Tok == token.TYPE {
			for _, s := range gd.Specs {
				e.lower.Units[p.Info.Defs[s.(*ast.TypeSpec).Name]] = &Unit{}
			}
		}
	}
}

func (e *Engine) units(f *ast.File, info *types.Info, fs *token.FileSet, cell string) {
	for _, d := range f.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil {
			if o := info.Defs[fd.Name]; o != nil {
				e.lower.Units[o] = &Unit{Decl: fd, Info: info, Fset: fs, Cell: cell}
			}
		}
	}
}

// lowerCell returns what to declare, what to register before the cell runs, and the cell's body.
func (e *Engine) lowerCell(c *check.Cell) (decls, regs []string, body string) {
	name := check.FileName(c.Number)
	out := e.lower.Cell(name)
	for _, u := range c.Units {
		if u.Kind == check.Declarations {
			e.units(u.File, u.Info, c.Fset, name)
		}
	}
	for _, u := range c.Units {
		if u.Kind == check.Statements {
			fd := u.File.Decls[0].(*ast.FuncDecl)
			for _, v := range u.Vars {
				out.Var(v.Local, v.Global, v.Old)
			}
			out.Stmts(&Unit{Decl: fd, Info: u.Info, Fset: c.Fset, Cell: name}, fd.Body.List, u.Value)
			continue
		}
		for _, d := range u.Decls {
			f, isFunc := d.New.(*types.Func)
			old, wasFunc := d.Old.(*types.Func)
			if isFunc && wasFunc {
				out.Replace(old, f)
			}
		}
		lifted := map[*ast.FuncDecl]bool{}
		for _, m := range u.Methods {
			lifted[m.Decl] = true
			out.Method(m.Recv, m.Func, &Unit{Decl: m.Decl, Info: u.Info, Fset: c.Fset, Cell: name}, m.IsNew)
		}
		for _, d := range u.File.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && !lifted[fd] {
				out.Func(u.Info.Defs[fd.Name], fd)
			}
		}
	}
	body = out.Body()
	decls, regs = e.lower.Drain()
	return decls, regs, body
}

// run calls a cell's func value on this goroutine. yaegi can only be stopped
// through an EvalWithContext in progress, so one is: it hands the func value
// over and then waits until the cell is over.
func (e *Engine) run(name string) []engine.Value {
	ctx, cancel := context.WithCancel(context.Background())
	e.mu.Lock()
	e.cancel = cancel
	e.mu.Unlock()
	e.traces.take()
	e.result = nil
	*e.topMark, *e.funcMark = -1, -1
	cells, over, ended := make(chan func()), make(chan struct{}), make(chan error, 1)
	e.rt.Hold = func(f func()) {
		select {
		case cells <- f:
			<-over
		case <-over:
		}
	}
	go func() {
		_, err := e.yaegi.EvalWithContext(ctx, "rt.HoldCell("+name+")")
		ended <- err
	}()
	defer func() {
		e.mu.Lock()
		e.cancel = nil
		e.mu.Unlock()
		close(over)
		<-ended
		if ctx.Err() != nil {
			e.revive()
		}
		cancel()
	}()
	select {
	case f := <-cells:
		f()
	case err := <-ended:
		ended <- err
		if ctx.Err() == nil {
			panic(err)
		}
	}
	if ctx.Err() != nil { // yaegi lets an interrupted function return
		panic(engine.Interrupted{})
	}
	var out []engine.Value
	for _, v := range e.result {
		out = append(out, e.value(v))
	}
	return out
}

// revive undoes what yaegi does to stop a cell: it counts up a number that every
// frame compares with its own, so that closures of earlier cells would return
// zero values from then on, silently.
func (e *Engine) revive() {
	id := reflect.ValueOf(e.yaegi).Elem().FieldByName("id")
	if id.Kind() == reflect.Uint64 {
		atomic.AddUint64((*uint64)(unsafe.Pointer(id.UnsafeAddr())), ^uint64(0))
	}
}

func (e *Engine) value(v any) engine.Value {
	x := engine.Value{V: e.rt.Host(v), Method: func(n string) reflect.Value { return e.rt.Method(v, n) }}
	if v != nil {
		x.Type = e.rt.DynamicType(v)
	}
	return x
}

// Interrupt implements engine.Engine.
func (e *Engine) Interrupt() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cancel != nil {
		e.cancel()
	}
}

// Variable implements engine.Engine.
func (e *Engine) Variable(v *types.Var) (engine.Value, bool) {
	n, ok := e.lower.names[v]
	if !ok {
		return engine.Value{}, false
	}
	r, err := e.yaegi.Eval(n)
	if err != nil || !r.IsValid() || !r.CanInterface() {
		return engine.Value{}, false
	}
	x := r.Interface()
	if !types.IsInterface(v.Type()) && e.lower.Impure(v.Type()) {
		x = e.rt.Box(e.rt.Intern(v.Type()).ID, x)
	}
	return e.value(x), true
}

// Place implements engine.Engine: yaegi does not tell.
func (e *Engine) Place() (at token.Position, ok bool) { return at, false }

// Close implements engine.Engine.
func (e *Engine) Close() {}

// Fault implements engine.Engine.
func (e *Engine) Fault(recovered any) engine.Fault {
	f := engine.Fault{Name: "panic", Stack: e.corrected(e.traces.stack())}
	v := e.rt.Host(e.rt.Fix(recovered))
	f.Value = v
	f.Text = fmt.Sprint(v)
	if err, ok := v.(error); ok {
		f.Text = err.Error()
	}
	return f
}
