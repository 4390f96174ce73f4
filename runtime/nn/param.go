package nn

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/gonterp/gonterp/runtime/checkpoint"
	"github.com/gonterp/gonterp/runtime/torch"
)

// A Param is one weight of a checkpoint, fetched when it is used.
type Param struct {
	Name  string
	Shape []int

	store  checkpoint.Store
	dtype  torch.DType
	pinned bool // stored in the compute dtype: the mapped bytes themselves, worth keeping
	halved bool // stored in bfloat16
	held   atomic.Pointer[torch.Tensor]
	mapped atomic.Pointer[stored]
}

// Elements is how many numbers the weight holds.
func (p *Param) Elements() int64 {
	n := int64(1)
	for _, d := range p.Shape {
		n *= int64(d)
	}
	return n
}

// On is the weight for a product with x: on x's device, in the compute dtype.
// Beside a meta tensor it is an empty one of the same shape. It panics with the
// store's error when the weight cannot be read.
func (p *Param) On(x *torch.Tensor) *torch.Tensor {
	device := x.Device()
	if t := p.held.Load(); t != nil && t.Device() == device {
		return t
	}
	return Lasting(func() *torch.Tensor { return p.fetch(device) })
}

func (p *Param) fetch(device torch.Device) *torch.Tensor {
	if device == torch.Meta {
		return p.hold(torch.Empty(p.dtype, torch.Meta, p.Shape...))
	}
	if p.store == nil {
		panic(&NoWeightsError{p.Name})
	}
	t, err := p.store.Tensor(p.Name, p.dtype)
	if err != nil {
		panic(err)
	}
	if device != torch.CPU {
		return p.hold(t.ToDevice(device))
	}
	if p.pinned {
		return p.hold(t)
	}
	return t
}

func (p *Param) hold(t *torch.Tensor) *torch.Tensor {
	p.held.Store(t)
	return t
}

// NoWeightsError is panicked when a model that was made from its config alone is
// run on values.
type NoWeightsError struct{ Param string }

func (e *NoWeightsError) Error() string {
	return fmt.Sprintf("there are no weights (%s): the model was made from its config.json alone and can be scanned, not run; put its .safetensors files beside config.json", e.Param)
}

// Lasting makes what outlives the pass it is first needed in: no arena takes its
// tensors and no gradient is recorded.
func Lasting[T any](make func() T) T {
	runtime.LockOSThread() // arena and recording belong to an OS thread
	defer runtime.UnlockOSThread()
	arena := torch.Swap(nil)
	defer torch.Swap(arena)
	defer torch.Recording(false)()
	return make()
}

// A Builder makes a network's parameters and collects every fault of its
// checkpoint, so that all are reported together.
type Builder struct {
	Store  checkpoint.Store // nil: only the config is there
	DType  torch.DType      // of the computation
	Params []*Param         // every parameter made so far
	faults []error
}

// Param is the named weight in the compute dtype.
func (b *Builder) Param(name string, shape ...int) *Param {
	return b.ParamOf(b.DType, name, shape...)
}

// ParamOf is the named weight in a dtype of its own.
func (b *Builder) ParamOf(dtype torch.DType, name string, shape ...int) *Param {
	p := &Param{Name: name, Shape: shape, store: b.Store, dtype: dtype}
	b.Params = append(b.Params, p)
	if b.Store == nil {
		return p
	}
	e, ok := b.Store.Entry(name)
	switch {
	case !ok:
		b.Fault(fmt.Errorf("%s is missing, expected %v", name, shape))
	case !slices.Equal(e.Shape, shape):
		b.Fault(fmt.Errorf("%s in %s has shape %v, config.json asks for %v", name, e.File, e.Shape, shape))
	}
	p.pinned, p.halved = e.DType == dtype, e.DType == torch.BFloat16
	return p
}

// Optional is the named weight where want holds, and nil otherwise.
func (b *Builder) Optional(want bool, name string, shape ...int) *Param {
	if !want {
		return nil
	}
	return b.Param(name, shape...)
}

// Fault notes something the network cannot be built with.
func (b *Builder) Fault(err error) { b.faults = append(b.faults, err) }

// Err is every fault noted, or nil.
func (b *Builder) Err() error { return errors.Join(b.faults...) }
