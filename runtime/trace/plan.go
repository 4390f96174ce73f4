package trace

import (
	"fmt"
	"runtime"

	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
)

// A Forward runs a model once and shows its values through s.
type Forward func(s point.Scope) *torch.Tensor

// A Stop is a place where a forward can stand still: one value, or the several
// arguments of one call.
type Stop struct {
	Sites  []*point.Site
	Shapes [][]int
	DTypes []torch.DType
}

// String names the stop by its first value.
func (s *Stop) String() string { return s.Sites[0].Path }

// A Spot is one value of one stop.
type Spot struct{ Stop, Arg int }

// A Plan is the order in which a model's forward shows its values.
type Plan struct {
	Tree  *point.Module
	Stops []Stop
	spots map[string]Spot
}

// Scan finds the plan of a forward by running it; its tensors are expected to be
// on the meta device, so that nothing is computed.
func Scan(tree *point.Module, forward Forward) (plan *Plan, err error) {
	plan = &Plan{Tree: tree, spots: map[string]Spot{}}
	runtime.LockOSThread() // the arena belongs to an OS thread
	defer runtime.UnlockOSThread()
	arena := torch.NewArena()
	old := torch.Swap(arena)
	defer func() {
		torch.Swap(old)
		arena.Free()
		if e, ok := recover().(error); ok {
			plan, err = nil, fmt.Errorf("scanning the forward on the meta device: %w", e)
		}
	}()
	forward(point.NewScope((*scanner)(plan), tree))
	return plan, nil
}

// scanner notes every stop and changes nothing.
type scanner Plan

func (p *scanner) Visit(sites []*point.Site, values []*torch.Tensor) {
	stop := Stop{Sites: append([]*point.Site(nil), sites...)}
	for i, s := range sites {
		if at, twice := p.spots[s.Path]; twice {
			panic(fmt.Errorf("%s is shown twice, as stop %d and %d", s.Path, at.Stop, len(p.Stops)))
		}
		p.spots[s.Path] = Spot{len(p.Stops), i}
		s.Order = len(p.Stops)
		stop.Shapes = append(stop.Shapes, values[i].Shape())
		stop.DTypes = append(stop.DTypes, values[i].DType())
	}
	p.Stops = append(p.Stops, stop)
}

func (p *scanner) Wants(*point.Site, bool) bool { return true }

func (p *scanner) Skip(*point.Module, *torch.Tensor) *torch.Tensor { return nil }

// Find is the spot that shows the value at path.
func (p *Plan) Find(path string) (Spot, bool) {
	s, ok := p.spots[path]
	return s, ok
}

// Site is what is shown at a spot.
func (p *Plan) Site(s Spot) *point.Site { return p.Stops[s.Stop].Sites[s.Arg] }
