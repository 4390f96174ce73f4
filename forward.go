package gonterp

import (
	"runtime"

	"github.com/gonterp/gonterp/runtime/nn"
	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/trace"
)

// Forward runs the model plainly and returns its logits [batch seq vocab_size].
// Nobody looks, so the fastest kernels serve it.
func (m *Model) Forward(prompt any, opts ...Option) *Tensor {
	in, _ := m.inputs(prompt, opts)
	m.needWeights()
	if len(m.edits) > 0 {
		var logits *Tensor
		for m := range m.Trace(prompt, opts...) {
			logits = m.Logits.Value()
		}
		return logits
	}
	ids, mask := in.tensors(m.device)
	logits := alone(func() *Tensor {
		return m.network.Forward(point.Scope{}, nn.Input{IDs: ids, Mask: mask})
	})
	return logits.WithOrigin(&torch.Origin{Model: m.name, Path: point.Logits.String(), Layout: point.LogitsLayout.Name, Axes: point.LogitsLayout.Axes})
}

// alone runs a forward that nobody looks at and keeps its result only.
func alone(forward func() *Tensor) *Tensor {
	// The arena belongs to an OS thread: the goroutine must not leave it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	arena := torch.NewArena()
	old := torch.Swap(arena)
	defer func() {
		torch.Swap(old)
		arena.Free()
	}()
	return forward().Own()
}

// Skip leaves the block out of the open pass: its output is its input, or with.
func (l *Layer) Skip(with ...*Tensor) {
	skip(l.LayerInput, l.AttentionNormOutput, with, func(x *Tensor) *Tensor { return x })
}

// Skip leaves the attention out of the open pass: it adds nothing to the stream,
// or with.
func (a *SelfAttn) Skip(with ...*Tensor) { skip(a.AttentionOutput, a.AttentionQueries, with, zero) }

// Skip leaves the MLP out of the open pass: it adds nothing to the stream, or with.
func (p *MLP) Skip(with ...*Tensor) { skip(p.MLPOutput, p.MLPOutput, with, zero) }

func zero(x *Tensor) *Tensor { return x.Mul(0) }

// skip makes the module of the point `of` give its stand-in. first is a value that
// the module computes and whose place has not been passed.
func skip(of, first *Point, with []*Tensor, standIn trace.SkipFunc) {
	o := of.pass()
	if len(with) > 1 {
		panic(promptErrorf("Skip takes one tensor to use instead, not %d", len(with)))
	}
	if len(with) == 1 {
		t := with[0]
		standIn = func(x *Tensor) *Tensor { return t.To(x.DType()).Expand(x.Shape()...) }
	}
	o.pass.Skip(o.core.plan.Site(of.resolve()).Module, first.resolve(), standIn)
}
