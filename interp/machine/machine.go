package machine

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"weak"

	"golang.org/x/tools/go/ssa"

	"github.com/gonterp/gonterp/interp/engine"
)

// A Machine runs the cells of one session; it implements engine.Engine.
type Machine struct {
	host   engine.Host
	own    map[string]reflect.Value
	forger *forger

	compileLock sync.Mutex // guards what follows, which code that runs may need too
	prog        *ssa.Program
	modules     map[*types.Package]*module
	codes       []weak.Pointer[code]
	swept       int                     // how many modules the last sweep left
	sources     map[*types.Package]bool // packages that are made of Go source
	sizes       map[*types.Package]int  // how many objects of a host package the program knows
	seen        map[types.Type]bool
	packages    int // how many of the cells' source packages are built
	fset        *token.FileSet

	running atomic.Pointer[run] // the latest of runs, or nil
	runs    sync.Map            // *run -> true: of the cells at work
	engaged atomic.Bool         // one of them keeps frames for the next call
	alive   atomic.Int32        // threads beside the running cell's own
	tables  sync.Map            // tableKey -> itab
	renewed atomic.Bool         // values of outdated descriptors may be about
	maps    mapLocks
	// For finding out that all threads wait for each other: how many do, how
	// often one went on, and the channels that cells made.
	sleeping, woken atomic.Int32
	channels        sync.Map    // weak.Pointer[byte] -> true
	outside         atomic.Bool // compiled code may hold some of them
	pooled          []*code     // code whose frames the running cell's thread keeps

	last   sync.Map // goroutine() -> *thrown: what the last cell on it ended with
	faults sync.Mutex
	// crossing is a panic that is on its way from a coroutine, or a sequence that is
	// pulled at, to who resumed it.
	crossing *thrown
}

// New returns a machine for the packages of a host.
func New(h engine.Host) (*Machine, error) {
	m := &Machine{
		host: h, forger: newForger(),
		modules: map[*types.Package]*module{},
		sources: map[*types.Package]bool{}, sizes: map[*types.Package]int{}, seen: map[types.Type]bool{},
	}
	m.forger.host = h.Importer.ReflectType
	m.forger.methods = m.methodEntries
	m.own = m.ownFunctions()
	return m, nil
}

// Close implements engine.Engine.
func (m *Machine) Close() { m.Interrupt() }

// Interrupt implements engine.Engine.
func (m *Machine) Interrupt() {
	m.runs.Range(func(r, _ any) bool { r.(*run).interrupt(); return true })
}

// InterruptOf implements engine.Parallel.
func (m *Machine) InterruptOf(owner any) {
	m.runs.Range(func(k, _ any) bool {
		if r := k.(*run); r.owner == owner {
			r.interrupt()
		}
		return true
	})
}

// isWrapper tells whether go/ssa made the function around a method.
func isWrapper(fn *ssa.Function) bool {
	s := fn.Synthetic
	return strings.HasPrefix(s, "wrapper") || strings.HasPrefix(s, "bound") || strings.HasPrefix(s, "thunk") || strings.Contains(s, "wrapper for")
}

func (m *Machine) isCell(p *types.Package) bool { return p.Path() == "main" }

// methodEntries lists the methods of a cell type for its descriptor, sorted by name.
func (m *Machine) methodEntries(t types.Type) []methodEntry {
	set := m.prog.MethodSets.MethodSet(t)
	var out []methodEntry
	for i := range set.Len() {
		sel := set.At(i)
		f := sel.Obj().(*types.Func)
		e := methodEntry{name: f.Name(), exported: f.Exported(), typ: sel.Type().(*types.Signature)}
		var c *callee
		var once sync.Once
		e.call = func(args []reflect.Value) []reflect.Value {
			once.Do(func() {
				m.compileLock.Lock()
				defer m.compileLock.Unlock()
				c = m.callee(m.prog.MethodValue(sel))
			})
			return m.callReflect(c, nil, args)
		}
		out = append(out, e)
		for j := len(out) - 1; j > 0 && out[j].name < out[j-1].name; j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}

// Variable implements engine.Engine.
func (m *Machine) Variable(v *types.Var) (engine.Value, bool) {
	m.compileLock.Lock()
	defer m.compileLock.Unlock()
	p, ok := m.module(v.Pkg()).globals[v]
	if !ok {
		return engine.Value{}, false
	}
	return engine.Value{V: reflect.NewAt(m.forger.reflectType(v.Type()), p).Elem().Interface(), Type: v.Type()}, true
}

// Fault implements engine.Engine.
func (m *Machine) Fault(recovered any) engine.Fault {
	v, _ := m.last.LoadAndDelete(goroutine())
	p, _ := v.(*thrown)
	if p == nil || !sameValue(p.value, recovered) {
		p = &thrown{value: recovered}
	}
	return m.fault(p)
}

func (m *Machine) fault(p *thrown) engine.Fault {
	f := engine.Fault{Name: "panic", Value: p.value, Text: panicText(p.value)}
	for q := p.before; q != nil; q = q.before {
		mark := ""
		if q.recovered {
			mark = " [recovered]"
		}
		f.Text = panicText(q.value) + mark + "\n\tpanic: " + f.Text
	}
	if _, ok := p.value.(engine.Exit); ok {
		f.Name = "exit"
	}
	for _, c := range p.stack {
		if at, ok := m.place(c.code, c.pc); ok {
			f.Stack = append(f.Stack, engine.Frame{Func: m.funcName(c.code), Pos: at})
		}
		if n := len(f.Stack); n > 0 {
			f.Stack[n-1].More += c.more
		}
	}
	return f
}

// place is where in a cell an instruction stands.
func (m *Machine) place(c *code, pc int) (at token.Position, ok bool) {
	if pc >= len(c.pos) || !c.pos[pc].IsValid() || c.file == nil {
		return at, false
	}
	at = c.file.Position(c.pos[pc])
	return at, at.Line > 0 && strings.HasPrefix(at.Filename, "c") && !m.isSource(c)
}

// Place implements engine.Engine.
func (m *Machine) Place() (at token.Position, ok bool) {
	t := current()
	if t == nil || t.m != m {
		return at, false
	}
	for f := t.cur; f != nil && !ok; f = f.caller {
		at, ok = m.place(f.code, f.pc)
	}
	return at, ok
}

func (m *Machine) isSource(c *code) bool {
	p := home(c.fn)
	return p != nil && !m.isCell(p)
}

func (m *Machine) funcName(c *code) string {
	n := c.fn.RelString(nil)
	if c.fn.Pkg != nil {
		n = c.fn.RelString(c.fn.Pkg.Pkg)
	}
	n = strings.ReplaceAll(n, "main.", "")
	if n == cellFunc {
		return ""
	}
	n = strings.TrimPrefix(n, methodPrefix)
	return strings.TrimPrefix(strings.ReplaceAll(n, "$", ".func"), cellFunc+".")
}

// panicText is what Go prints after "panic: ".
func panicText(v any) string {
	switch x := v.(type) {
	case error:
		return x.Error()
	case fmt.Stringer:
		return x.String()
	case nil, bool, string, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, uintptr, float32, float64, complex64, complex128:
		return fmt.Sprint(x)
	}
	r := reflect.ValueOf(v)
	switch {
	case r.Kind() == reflect.String:
		return fmt.Sprintf("%T(%q)", v, r.String())
	case r.Kind() <= reflect.Complex128:
		return fmt.Sprintf("%T(%v)", v, v)
	}
	return fmt.Sprintf("(%T) %+v", v, v)
}

// goroutinePanic reports what a goroutine of a cell ended with; it is called on it.
func (m *Machine) goroutinePanic(t *thread, v any) {
	if final(v) {
		return
	}
	if m.host.Panicked != nil {
		m.host.Panicked(m.fault(t.caught(v)))
	}
}

// strayPanic is for a goroutine that compiled code started. A panic goes on through
// compiled code that is known to pass it on: a coroutine's to who resumed it, and that
// of an HTTP handler to the server, which closes the connection then. Else it ends
// there, as the whole process would: compiled code sees the function return zero values.
func (m *Machine) strayPanic(t *thread, v any) {
	by := calledBy("runtime.corostart", "net/http.(*conn).serve")
	if by == "runtime.corostart" {
		p := t.caught(v)
		m.faults.Lock()
		m.crossing = p
		m.faults.Unlock()
		panic(v)
	}
	m.goroutinePanic(t, v)
	if by != "" {
		panic(v)
	}
}

// crossed are the calls of another goroutine that led to the panic with value v.
func (m *Machine) crossed(v any) []call {
	m.faults.Lock()
	defer m.faults.Unlock()
	p := m.crossing
	if p == nil || !sameValue(p.value, v) {
		return nil
	}
	m.crossing = nil
	return p.stack
}

// calledBy returns which of some functions is on the goroutine's stack, "" if none is.
func calledBy(names ...string) string {
	pcs := make([]uintptr, 200)
	for skip := 1; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs)
		if n == 0 {
			return ""
		}
		for frames, more := runtime.CallersFrames(pcs[:n]), true; more; {
			var f runtime.Frame
			if f, more = frames.Next(); slices.Contains(names, f.Function) {
				return f.Function
			}
		}
	}
}
