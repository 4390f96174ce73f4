package gonterp

import (
	"fmt"
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
		return m.network.Forward(point.Scope{}, nn.Input{IDs: ids, Mask: mask, Check: checkInterrupt})
	})
	return logits.WithOrigin(&torch.Origin{Model: m.name, Path: point.Logits.String(), Layout: point.LogitsLayout.Name, Axes: point.LogitsLayout.Axes})
}

// checkInterrupt ends a forward that nobody looks at, block by block, when it is
// interrupted.
func checkInterrupt(layer int) {
	if trace.Stopping() {
		panic(&trace.InterruptError{At: fmt.Sprintf("layers.%d", layer)})
	}
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
