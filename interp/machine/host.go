package machine

import (
	"fmt"
	"go/types"
	"io"
	"reflect"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/gonterp/gonterp/interp/engine"
)

// hostValue is the compiled function that stands behind a function without a
// body: one of the export tables', or a method as a function of its receiver.
func (m *Machine) hostValue(fn *ssa.Function) reflect.Value {
	o, _ := fn.Object().(*types.Func)
	if o == nil || o.Pkg() == nil {
		panic(&unsupported{fn.Pos(), "the function " + fn.String() + " without a body", "write its body"})
	}
	if recv := o.Signature().Recv(); recv != nil {
		t := m.forger.reflectType(recv.Type())
		if v, ok := m.own[methodKey(t, o.Name())]; ok {
			return v
		}
		if w, ok := t.MethodByName(o.Name()); ok {
			return w.Func
		}
		panic(&unsupported{fn.Pos(), fmt.Sprintf("the method %s of %s", o.Name(), typeName(recv.Type())), ""})
	}
	key := o.Pkg().Path() + "." + o.Name()
	if v, ok := m.own[key]; ok {
		return v
	}
	v, ok := m.host.Importer.Symbols(o.Pkg().Path())[o.Name()]
	if !ok || v.Kind() != reflect.Func {
		panic(&unsupported{fn.Pos(), "the function " + key + ", which has no body", "write its body"})
	}
	return v
}

func methodKey(t reflect.Type, name string) string { return t.String() + "." + name }

// callHost calls a compiled function or method.
func (k *compiler) callHost(fn *ssa.Function, args, results []*slot) op {
	v := k.m.hostValue(fn)
	f := v.Interface()
	p := (*eface)(unsafe.Pointer(&f)).data
	call := hostCall(v.Type(), args, results)
	if m := k.m; mayKeep(fn, v.Type()) {
		return func(f *frame) {
			m.outside.Store(true)
			call(f, p)
		}
	}
	return func(f *frame) { call(f, p) }
}

// returning are packages whose functions call what they are given before they
// return, or not at all.
var returning = map[string]bool{
	"fmt": true, "sort": true, "strings": true, "bytes": true, "strconv": true, "errors": true, "math": true, "regexp": true, "unicode": true,
	"encoding/json": true, "sync": true, "os": true, "log": true, "io": true, "bufio": true, "math/rand": true, "math/rand/v2": true,
}

// mayKeep reports whether a compiled function can keep a func value or a channel
// of a cell, so that a goroutine that cells know nothing of may wake theirs.
func mayKeep(fn *ssa.Function, t reflect.Type) bool {
	if o := fn.Object(); o == nil || o.Pkg() == nil || returning[o.Pkg().Path()] {
		return false
	}
	for i := range t.NumIn() {
		switch t.In(i).Kind() {
		case reflect.Func, reflect.Chan, reflect.Interface:
			return true
		}
	}
	return false
}

// ownFunctions are the machine's versions of functions that print to the
// session's streams, or that would block where an interrupt cannot reach.
func (m *Machine) ownFunctions() map[string]reflect.Value {
	h := m.host
	v := reflect.ValueOf
	own := map[string]reflect.Value{
		"fmt.Print":    v(func(a ...any) (int, error) { return fmt.Fprint(h.Stdout, a...) }),
		"fmt.Printf":   v(func(f string, a ...any) (int, error) { return fmt.Fprintf(h.Stdout, f, a...) }),
		"fmt.Println":  v(func(a ...any) (int, error) { return fmt.Fprintln(h.Stdout, a...) }),
		"fmt.Fprint":   v(func(w io.Writer, a ...any) (int, error) { return fmt.Fprint(h.Writer(w), a...) }),
		"fmt.Fprintf":  v(func(w io.Writer, f string, a ...any) (int, error) { return fmt.Fprintf(h.Writer(w), f, a...) }),
		"fmt.Fprintln": v(func(w io.Writer, a ...any) (int, error) { return fmt.Fprintln(h.Writer(w), a...) }),

		"time.Sleep":     v(sleep),
		"runtime.Goexit": v(exitGoroutine),

		"*sync.Mutex.Lock": v(func(x *sync.Mutex) {
			if !x.TryLock() {
				await(x.Lock, x.Unlock)
			}
		}),
		"*sync.RWMutex.Lock": v(func(x *sync.RWMutex) {
			if !x.TryLock() {
				await(x.Lock, x.Unlock)
			}
		}),
		"*sync.RWMutex.RLock": v(func(x *sync.RWMutex) {
			if !x.TryRLock() {
				await(x.RLock, x.RUnlock)
			}
		}),
		"*sync.WaitGroup.Wait": v(func(x *sync.WaitGroup) { await(x.Wait, nil) }),
		"*sync.WaitGroup.Go": v(func(x *sync.WaitGroup, f func()) {
			x.Add(1)
			t := current()
			if t == nil {
				go func() { defer x.Done(); f() }()
				return
			}
			m.spawn(t.run, func(*thread) { defer x.Done(); f() })
		}),
		"*sync.Cond.Wait": v(func(x *sync.Cond) { await(x.Wait, x.L.Unlock) }),
	}
	return own
}

// sleep is time.Sleep that an interrupt ends.
func sleep(d time.Duration) {
	t := current()
	if t == nil || d <= 0 {
		time.Sleep(d)
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.run.done:
		t.check()
		<-timer.C
	}
}

// exitGoroutine is runtime.Goexit: it ends a goroutine of a cell, and the cell itself as an exit does.
func exitGoroutine() { panic(engine.Exit{Text: "runtime.Goexit()"}) }

// await runs wait, which blocks, on another goroutine, so that an interrupt can
// leave it behind; undo then gives back what it still acquires.
func await(wait, undo func()) {
	t := current()
	if t == nil {
		wait()
		return
	}
	t.check()
	got := make(chan any)
	go func() {
		defer func() {
			v := recover()
			select {
			case got <- v:
			case <-t.run.done:
				select {
				case got <- v:
				case <-time.After(time.Second):
					if undo != nil && v == nil {
						undo()
					}
				}
			}
		}()
		wait()
	}()
	select {
	case v := <-got:
		if v != nil {
			panic(v)
		}
	case <-t.run.done:
		if t.ending && !t.run.hard.Load() {
			if v := <-got; v != nil {
				panic(v)
			}
			return
		}
		panic(interrupted)
	}
}
