package rt

import (
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// Deferred is one call of a function that defers.
type Deferred struct {
	fs        []func()
	panicking bool
	value     any
	recovered bool
	goexit    bool
	named     bool
}

var running sync.Map // goroutine id -> []*Deferred whose deferred calls are being run

func goid() int {
	var b [40]byte
	s := string(b[:runtime.Stack(b[:], false)])
	f := strings.Fields(s)
	n, _ := strconv.Atoi(f[1])
	return n
}

// Defers is a function without deferred calls yet.
func (r *RT) Defers() *Deferred { return &Deferred{} }

// Defer is a defer statement.
func (r *RT) Defer(d *Deferred, f func()) { d.fs = append(d.fs, f) }

// DeferCall is Defer of a call that may itself recover.
func (r *RT) DeferCall(d *Deferred, f func()) {
	d.fs = append(d.fs, f)
	d.named = true
}

// Run runs a function's body, then what it deferred, as Go does.
func (r *RT) Run(d *Deferred, body func()) {
	d.try(body)
	if d.named && d.panicking {
		id := goid() // slow, so only when somebody may ask
		old, _ := running.Load(id)
		st, _ := old.([]*Deferred)
		running.Store(id, append(st[:len(st):len(st)], d))
		defer func() {
			if old == nil {
				running.Delete(id)
			} else {
				running.Store(id, old)
			}
		}()
	}
	for len(d.fs) > 0 {
		f := d.fs[len(d.fs)-1]
		d.fs = d.fs[:len(d.fs)-1]
		d.try(f)
		if d.recovered {
			d.panicking, d.recovered, d.value = false, false, nil
		}
	}
	if d.goexit {
		runtime.Goexit()
	}
	if d.panicking {
		panic(d.value)
	}
}

func (d *Deferred) try(f func()) {
	done := false
	defer func() {
		if done {
			return
		}
		if v := recover(); v != nil {
			d.panicking, d.value, d.recovered = true, v, false
		} else {
			d.goexit = true
		}
	}()
	f()
	done = true
}

// Recover is recover() in a function that is called deferred, whoever deferred it.
func (r *RT) Recover() any {
	x, _ := running.Load(goid())
	st, _ := x.([]*Deferred)
	if len(st) == 0 {
		return nil
	}
	return r.RecoverIn(st[len(st)-1])
}

// RecoverIn is recover() in a literal that d's function has deferred.
func (r *RT) RecoverIn(d *Deferred) any {
	if !d.panicking || d.recovered {
		return nil
	}
	d.recovered = true
	r.Forget()
	return r.Fix(d.value)
}

// PanicVal is the value that panic(x) panics with.
func (r *RT) PanicVal(x any) any {
	if x == nil {
		return new(runtime.PanicNilError)
	}
	return x
}
