package gonterp

import (
	"fmt"
	"syscall"

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
	said      bool // that a replay costs time
	watched   bool // its logits were looked at for what is not finite
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
	if limit := m.config.MaxPositionEmbeddings; limit > 0 && in.width > limit && !m.warned {
		m.core.warned = true
		trace.Notice(fmt.Sprintf("the prompt has %d tokens and %s was made for %d: what it says beyond them is not to be trusted", in.width, m.name, limit))
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
	return trace.Begin(o.core.plan, forward, trace.Options{Gradients: o.gradients, Edits: o.core.editing(), Said: &o.said})
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
