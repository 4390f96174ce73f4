package gonterp

import (
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/gonterp/gonterp/runtime/nn"
	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/trace"
)

// A Pass is one forward pass that has not begun. Compiled Go ranges over it, once
// around with the model as the pass shows it; a cell's with block calls Enter and
// Exit, and model itself is what the pass shows.
//
//	for m := range model.Trace(prompt) { … }     // compiled Go
//	with model.Trace(prompt) { … }               // a cell
type Pass func(yield func(*Model) bool)

// Trace is a pass over prompt: a string, several strings, token ids, several
// lists of token ids, or a Chat. The forward runs only as far as the block asks.
func (m *Model) Trace(prompt any, opts ...Option) Pass {
	return m.openWith(func() *openPass {
		in, option := m.inputs(prompt, opts)
		m.needWeights()
		ids, mask := in.tensors(m.device)
		return m.begin(in, option, func(s point.Scope) *torch.Tensor {
			return m.network.Forward(s, nn.Input{IDs: ids, Mask: mask})
		})
	})
}

// openWith is the Pass that begins with begin.
func (m *Model) openWith(begin func() *openPass) Pass {
	var o *openPass
	return func(yield func(*Model) bool) {
		if yield == nil { // Exit
			if o != nil {
				o.close()
				o = nil
			}
			return
		}
		if o == nil {
			o = begin()
		}
		defer func() {
			if o != nil && !o.entered {
				o.close()
				o = nil
			}
		}()
		yield(m)
	}
}

// Enter opens the pass for a block.
func (p Pass) Enter() *Model {
	var m *Model
	p(func(model *Model) bool {
		m = model
		m.core.open.entered = true
		return true
	})
	return m
}

// Exit closes it; ok says whether the block ended well. Calling it twice is harmless.
func (p Pass) Exit(ok bool) { p(nil) }

// An openPass is a pass between Enter and Exit.
type openPass struct {
	core    *core
	pass    *trace.Pass
	inputs  *inputs
	thread  int
	row     int  // the prompt whose rows are shown, -1: all
	entered bool // by Enter: Exit closes it, not the end of a loop
	restore func()

	gradients bool
	watched   bool // its logits were looked at for what is not finite
}

// threads counts the open passes of each OS thread. A goroutine is locked to its
// thread while it has one: the forward is a coroutine of it, and switching to a
// coroutine under another number of locks is fatal, so there is exactly one lock.
var threads = struct {
	sync.Mutex
	open    map[int][]*openPass
	waiting map[int]*core // what a thread waits for
}{open: map[int][]*openPass{}, waiting: map[int]*core{}}

func lockThread() int {
	runtime.LockOSThread()
	id := syscall.Gettid()
	threads.Lock()
	nested := len(threads.open[id]) > 0
	threads.Unlock()
	if nested {
		runtime.UnlockOSThread()
	}
	return id
}

// current is the pass of this model that is open on the calling thread, or nil.
func (c *core) current() *openPass {
	id := syscall.Gettid()
	threads.Lock()
	defer threads.Unlock()
	for _, o := range threads.open[id] {
		if o.core == c {
			return o
		}
	}
	return nil
}

// inputs are a pass's prompt and options, checked.
func (m *Model) inputs(prompt any, opts []Option) (*inputs, passOptions) {
	option, err := passing(opts)
	if err != nil {
		panic(err)
	}
	bos := m.bos
	if option.bos != nil {
		bos = *option.bos
	}
	in, err := m.encode(prompt, bos)
	if err != nil {
		panic(err)
	}
	return in, option
}

// begin opens a pass on the calling thread. It waits while another thread has one.
func (m *Model) begin(in *inputs, option passOptions, forward trace.Forward) *openPass {
	if m.current() != nil {
		panic(&NestedError{m.name})
	}
	thread := lockThread()
	m.wait(thread)
	o := &openPass{core: m.core, inputs: in, thread: thread, row: -1, gradients: option.gradients}
	o.restore = torch.Recording(option.gradients)
	o.pass = o.trace(forward)
	m.core.open = o
	threads.Lock()
	threads.open[thread] = append(threads.open[thread], o)
	threads.Unlock()
	return o
}

// trace begins the pass, or a generation's next one.
func (o *openPass) trace(forward trace.Forward) *trace.Pass {
	return trace.Begin(o.core.plan, forward, trace.Options{Gradients: o.gradients, Edits: o.core.editing()})
}

// wait takes the model's turn, or gives the thread back and panics when interrupted,
// or when it would wait for ever.
func (c *core) wait(thread int) {
	defer func() {
		threads.Lock()
		delete(threads.waiting, thread)
		threads.Unlock()
	}()
	for {
		select {
		case c.turn <- struct{}{}:
			return
		default:
		}
		if c.circle(thread) {
			unlockThread(thread, nil)
			panic(&DeadlockError{c.name})
		}
		select {
		case c.turn <- struct{}{}:
			return
		case <-time.After(20 * time.Millisecond):
			if trace.Interrupted.Load() {
				unlockThread(thread, nil)
				panic(&trace.InterruptError{At: "another goroutine's pass, which this one waits for"})
			}
		}
	}
}

// circle notes that the thread waits for c, and says whether whoever has c waits, in
// the end, for a model that this thread has.
func (c *core) circle(thread int) bool {
	threads.Lock()
	defer threads.Unlock()
	threads.waiting[thread] = c
	for range threads.waiting {
		holder := -1
		for id, open := range threads.open {
			for _, o := range open {
				if o.core == c {
					holder = id
				}
			}
		}
		if holder == thread {
			return true
		}
		if c = threads.waiting[holder]; c == nil {
			return false
		}
	}
	return false
}

func unlockThread(thread int, o *openPass) {
	threads.Lock()
	left := threads.open[thread][:0]
	for _, other := range threads.open[thread] {
		if other != o {
			left = append(left, other)
		}
	}
	if len(left) == 0 {
		delete(threads.open, thread)
	} else {
		threads.open[thread] = left
	}
	threads.Unlock()
	if len(left) == 0 {
		runtime.UnlockOSThread()
	}
}

func (o *openPass) close() {
	if syscall.Gettid() != o.thread {
		panic(&trace.ThreadError{Path: "the block's end"})
	}
	o.pass.End()
	o.restore()
	o.core.open = nil
	unlockThread(o.thread, o)
	<-o.core.turn
}

// CloseOpen closes the passes that the calling thread has open, the newest first.
// A session calls it when a cell has failed inside its blocks.
func CloseOpen() {
	id := syscall.Gettid()
	for {
		threads.Lock()
		open := threads.open[id]
		threads.Unlock()
		if len(open) == 0 {
			return
		}
		open[len(open)-1].close()
	}
}
