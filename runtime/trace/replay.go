package trace

import (
	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
)

// replay is a second run of a pass's forward, with the pass's writes, up to one
// value. It runs on the body's side while the first run stands still.
type replay struct {
	pass  *Pass
	spot  Spot
	found *torch.Tensor
}

// reached unwinds a replay that has found its value.
type reached struct{}

func (r *replay) run() {
	arena := torch.NewArena()
	old := torch.Swap(arena)
	restore := torch.Recording(false)
	defer func() {
		restore()
		torch.Swap(old)
		arena.Free()
		if e := recover(); e != nil {
			if _, ok := e.(reached); !ok {
				panic(e)
			}
		}
	}()
	r.pass.forward(point.NewScope(r, r.pass.plan.Tree))
}

func (r *replay) Visit(sites []*point.Site, values []*torch.Tensor) {
	if Interrupted.Load() {
		panic(&InterruptError{At: sites[0].Path})
	}
	order := sites[0].Order
	r.pass.edit(sites, values)
	for i := range sites {
		if t := r.pass.writes[Spot{order, i}]; t != nil {
			values[i] = t
		}
	}
	if order == r.spot.Stop {
		r.found = values[r.spot.Arg].Own()
		panic(reached{})
	}
}

func (r *replay) Skip(m *point.Module, x *torch.Tensor) *torch.Tensor {
	if f := r.pass.skips[m.Path]; f != nil {
		return f(x)
	}
	return nil
}
