package trace

import (
	"math"

	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
)

// replay is a second run of a pass's forward, with the pass's writes. It runs on
// the body's side while the first run stands still, and ends where visit says.
type replay struct {
	pass  *Pass
	until int // the stop from which on offered values are wanted
	visit func(order int, sites []*point.Site, values []*torch.Tensor) (over bool)
}

// reached unwinds a replay that is over.
type reached struct{}

// again runs the forward again and shows every stop to visit, until that is over.
// Values that the forward can do without are shown from the stop until on.
func (p *Pass) again(until int, visit func(order int, sites []*point.Site, values []*torch.Tensor) (over bool)) {
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
	p.forward(point.NewScope(&replay{p, until, visit}, p.plan.Tree))
}

func (r *replay) Visit(sites []*point.Site, values []*torch.Tensor) {
	if Stopping() {
		panic(&InterruptError{At: sites[0].Path})
	}
	order := sites[0].Order
	r.pass.edit(sites, values)
	for i := range sites {
		if t := r.pass.writes[Spot{order, i}]; t != nil {
			values[i] = t
		}
	}
	if r.visit(order, sites, values) {
		panic(reached{})
	}
}

func (r *replay) Skip(m *point.Module, x *torch.Tensor) *torch.Tensor { return r.pass.standIn(m, x) }

// Wants is true from a stop on, and of what was written or is edited.
func (r *replay) Wants(site *point.Site, _ bool) bool {
	spot := Spot{Stop: site.Order}
	return site.Order >= r.until || r.pass.writes[spot] != nil || len(r.pass.opt.Edits[spot]) > 0
}

// recompute is the value at a spot that the forward has passed, nil where it is not
// computed.
func (p *Pass) recompute(spot Spot) (found *torch.Tensor) {
	p.again(spot.Stop, func(order int, _ []*point.Site, values []*torch.Tensor) bool {
		if order != spot.Stop {
			return false
		}
		found = values[spot.Arg].Own()
		return true
	})
	return found
}

// FirstNonFinite is the path of the first value of the pass, up to the frontier,
// that holds NaN or infinity, "" where none does. Minus infinity is what people
// write into scores and logits to mask them, so it counts for nothing.
func (p *Pass) FirstNonFinite() (path string) {
	p.check(Spot{Stop: p.frontier})
	p.again(0, func(order int, sites []*point.Site, values []*torch.Tensor) bool {
		for i, v := range values {
			if v.DType().IsFloat() && v.IsNaN().Or(v.Eq(math.Inf(1))).Any().Item() != 0 {
				path = sites[i].Path
				return true
			}
		}
		return order >= p.frontier
	})
	return path
}
