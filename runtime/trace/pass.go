package trace

import (
	"fmt"
	"iter"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
)

// Options of one pass. The zero value will do.
type Options struct {
	Gradients bool                                         // record, and keep every value for Grad
	Edits     map[Spot][]func(*torch.Tensor) *torch.Tensor // made before the body sees a value
	Said      *bool                                        // whether a replay's cost was said, where passes share that
}

// Interrupted ends every pass at its next stop while it is set.
var Interrupted atomic.Bool

// Concerned, where it is set, says whether an interrupt is meant for the calling
// goroutine: cells of other shells go on.
var Concerned func() bool

// Stopping reports whether the calling goroutine's passes are to end.
func Stopping() bool {
	return Interrupted.Load() && (Concerned == nil || Concerned())
}

// Where is the body's present place, for error texts; a session sets it.
var Where = func() string { return "" }

// Notice is told, once a pass, what a reader should know: that a read costs a replay.
var Notice = func(text string) { fmt.Fprintln(os.Stderr, "gonterp: "+text) }

// A SkipFunc gives the output that stands for a module called with x.
type SkipFunc func(x *torch.Tensor) *torch.Tensor

// A Pass is one forward in the hands of a body.
type Pass struct {
	plan    *Plan
	forward Forward
	opt     Options
	thread  int
	arena   *torch.Arena

	next func() (*torch.Tensor, bool)
	stop func()

	frontier int // the stop at which the forward stands, -1 before the first
	target   int // the stop to stand still at next
	sites    []*point.Site
	values   []*torch.Tensor // at the frontier: what the forward goes on with
	result   *torch.Tensor
	place    string // of the body when the frontier last moved

	writes map[Spot]*torch.Tensor
	kept   map[Spot]*torch.Tensor // of a gradient pass: every value so far
	edited map[Spot]*torch.Tensor // what edits gave
	skips  map[string]SkipFunc
	said   *bool
	failed bool // the forward panicked: it can't go on
	closed bool

	beside *point.Site // the value made last beside the forward's way
	told   bool        // that a write changed the way attention is computed
}

// Begin prepares a pass on the calling thread. The forward does not move before a
// value is asked for.
func Begin(plan *Plan, forward Forward, opt Options) *Pass {
	p := &Pass{plan: plan, forward: forward, opt: opt, thread: syscall.Gettid(), arena: torch.NewArena(), frontier: -1, target: -1,
		writes: map[Spot]*torch.Tensor{}, edited: map[Spot]*torch.Tensor{}, skips: map[string]SkipFunc{}}
	if opt.Gradients {
		p.kept = map[Spot]*torch.Tensor{}
	}
	if p.said = opt.Said; p.said == nil {
		p.said = new(bool)
	}
	p.next, p.stop = iter.Pull(func(yield func(*torch.Tensor) bool) {
		y := &yielder{p, yield}
		r := p.forward(point.NewScope(y, plan.Tree))
		p.result = r.Own()
		p.frontier = len(plan.Stops)
	})
	return p
}

// dropped unwinds a forward whose body is over.
type dropped struct{}

// yielder is the forward's side of the pass.
type yielder struct {
	*Pass
	yield func(*torch.Tensor) bool
}

func (y *yielder) Visit(sites []*point.Site, values []*torch.Tensor) {
	p := y.Pass
	if Stopping() {
		panic(&InterruptError{At: sites[0].Path})
	}
	order := sites[0].Order
	p.edit(sites, values)
	if p.opt.Gradients {
		p.record(sites, values)
	}
	if order < p.target {
		return
	}
	p.frontier, p.sites, p.values = order, sites, values
	if !y.yield(nil) {
		panic(dropped{})
	}
	p.sites, p.values = nil, nil
}

func (y *yielder) Skip(m *point.Module, x *torch.Tensor) *torch.Tensor { return y.standIn(m, x) }

// standIn is what is used instead of a skipped module, nil for one that is not.
func (p *Pass) standIn(m *point.Module, x *torch.Tensor) *torch.Tensor {
	if f := p.skips[m.Path]; f != nil {
		return f(x)
	}
	return nil
}

// Wants says whether the forward will stand still at an offered value, or an edit
// changes it.
func (y *yielder) Wants(site *point.Site, beside bool) bool {
	if site.Order < y.target && len(y.opt.Edits[Spot{Stop: site.Order}]) == 0 {
		return false
	}
	if beside {
		y.beside = site
	}
	return true
}

// edit makes the lasting edits of the values at a stop, once: a replay gets what
// they gave, so that an edit that draws numbers or counts is the same in both. What
// the edits make and keep is the user's, not the forward's.
func (p *Pass) edit(sites []*point.Site, values []*torch.Tensor) {
	if len(p.opt.Edits) == 0 {
		return
	}
	old := torch.Swap(nil)
	defer torch.Swap(old)
	for i, s := range sites {
		spot := Spot{s.Order, i}
		if done := p.edited[spot]; done != nil {
			values[i] = done
			continue
		}
		for _, change := range p.opt.Edits[spot] {
			values[i] = fit(s.Path, values[i], change(values[i].Own()))
			p.edited[spot] = values[i]
		}
	}
}

// record makes the graph begin at the token embeddings and at written constants,
// and keeps every value for Grad.
func (p *Pass) record(sites []*point.Site, values []*torch.Tensor) {
	for i, s := range sites {
		if s.Standard && s.Name == point.TokenEmbeddings {
			values[i] = values[i].RequireGrad()
		}
		p.kept[Spot{s.Order, i}] = values[i].Own()
	}
}

// check refuses what would be fatal or meaningless.
func (p *Pass) check(spot Spot) {
	if p.closed {
		panic(&ClosedError{p.path(spot)})
	}
	if syscall.Gettid() != p.thread {
		panic(&ThreadError{p.path(spot)})
	}
	if p.failed {
		panic(&ClosedError{p.path(spot)})
	}
}

func (p *Pass) path(s Spot) string {
	if s.Stop >= len(p.plan.Stops) {
		return "the model's output"
	}
	return p.plan.Site(s).Path
}

// advance runs the forward until it stands at stop, or to its end.
func (p *Pass) advance(stop int) {
	p.target = stop
	old := torch.Swap(p.arena)
	restore := torch.Recording(p.opt.Gradients)
	p.failed = true
	defer func() {
		restore()
		torch.Swap(old)
	}()
	p.next()
	p.failed = false
	p.place = Where()
}

// reach brings the forward to the stop of spot, which lies at or beyond the frontier.
func (p *Pass) reach(spot Spot) {
	if spot.Stop != p.frontier {
		p.advance(spot.Stop)
	}
	if p.frontier != spot.Stop {
		panic(&MissingError{p.path(spot), p.absence(spot)})
	}
}

func (p *Pass) absence(spot Spot) string {
	for m := p.plan.Site(spot).Module; m != nil; m = m.Parent {
		if _, skipped := p.skips[m.Path]; skipped {
			return m.Path + " is skipped"
		}
	}
	return "the forward went on without it"
}

// Read is the value at spot, the caller's own.
func (p *Pass) Read(spot Spot) *torch.Tensor {
	p.check(spot)
	if spot.Stop < p.frontier {
		return p.behind(spot)
	}
	p.reach(spot)
	return p.values[spot.Arg].Own()
}

// behind serves a value that the forward has passed.
func (p *Pass) behind(spot Spot) *torch.Tensor {
	if p.opt.Gradients {
		if t := p.kept[spot]; t != nil {
			return t
		}
		panic(&MissingError{p.path(spot), p.absence(spot)})
	}
	began := time.Now()
	found := p.recompute(spot)
	if found == nil {
		panic(&MissingError{p.path(spot), p.absence(spot)})
	}
	if !*p.said {
		*p.said = true
		Notice(fmt.Sprintf("%s lies before %s, which was read first: the pass was run again up to it (%.1f ms). Values read in the order of the forward cost nothing extra.",
			p.path(spot), p.path(Spot{Stop: p.frontier}), float64(time.Since(began).Microseconds())/1000))
	}
	return found
}

// Write replaces the value at spot by v, a tensor or a number.
func (p *Pass) Write(spot Spot, v any) {
	p.check(spot)
	if spot.Stop < p.frontier {
		panic(&OrderError{Wanted: p.path(spot), WantedAt: Where(), Frontier: p.path(Spot{Stop: p.frontier}), FrontierAt: p.place})
	}
	p.reach(spot)
	x := p.values[spot.Arg]
	t := fit(p.path(spot), x, v)
	if p.beside == p.sites[spot.Arg] {
		if t.Data() == x.Data() && t.IsContiguous() {
			return // the forward can do without what was read: a replay must, too
		}
		p.tell(spot)
	}
	if p.opt.Gradients && t.DType().IsFloat() && !t.RequiresGrad() {
		t = t.RequireGrad()
	}
	if p.opt.Gradients {
		p.kept[spot] = t
	}
	p.writes[spot] = t
	p.values[spot.Arg] = t
}

// tell says once a pass that it goes another way than a reader of the shapes expects.
func (p *Pass) tell(spot Spot) {
	if p.told {
		return
	}
	p.told = true
	Notice(fmt.Sprintf("%s is written in a long pass, whose attention is computed without it: where it is written, attention is computed from it, "+
		"which may differ in the last digits.", p.path(spot)))
}

// Skip makes the module at path give f of its input instead of running.
func (p *Pass) Skip(module *point.Module, first Spot, f SkipFunc) {
	p.check(first)
	if first.Stop <= p.frontier {
		panic(&OrderError{Wanted: module.Path, WantedAt: Where(), Frontier: p.path(Spot{Stop: p.frontier}), FrontierAt: p.place})
	}
	p.skips[module.Path] = f
}

// Frontier is the path of the stop at which the forward stands, "" before the first.
func (p *Pass) Frontier() string {
	if p.frontier < 0 {
		return ""
	}
	return p.path(Spot{Stop: p.frontier})
}

// Finish runs the forward to its end and returns its result.
func (p *Pass) Finish() *torch.Tensor {
	p.check(Spot{Stop: len(p.plan.Stops)})
	if p.result == nil {
		p.advance(len(p.plan.Stops))
	}
	return p.result
}

// End drops the forward where it stands and frees what it held. It may be called
// twice, and from the goroutine that opened the pass only.
func (p *Pass) End() {
	if p.closed {
		return
	}
	p.closed = true
	func() {
		// Unwinding runs the forward's deferred calls, which expect its arena.
		old := torch.Swap(p.arena)
		defer func() {
			torch.Swap(old)
			if r := recover(); r != nil {
				if _, ok := r.(dropped); !ok {
					panic(r)
				}
			}
		}()
		p.stop()
	}()
	p.arena.Free()
	p.values, p.kept, p.writes, p.edited = nil, nil, nil, nil
}

// Node is what was shown at spot as the graph of gradients knows it: what to
// differentiate by.
func (p *Pass) Node(spot Spot) *torch.Tensor {
	p.check(spot)
	if spot.Stop > p.frontier {
		p.reach(spot)
	}
	if t := p.kept[spot]; t != nil {
		return t
	}
	panic(&MissingError{p.path(spot), p.absence(spot)})
}
