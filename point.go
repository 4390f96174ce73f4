package gonterp

import (
	"fmt"
	"strings"

	"github.com/gonterp/gonterp/docs"
	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/trace"
)

// A Point is one value of a model. It has a value inside a pass: there Value
// reads it and Set replaces it.
type Point struct {
	core     *core
	path     string
	name     point.Name
	standard bool
	found    bool
	spot     trace.Spot
	row      int // the prompt that it is bound to, -1: the one that the pass shows
}

// Path is the point's dotted name, "layers.3.self_attn.attention_scores".
func (p *Point) Path() string { return p.path }

// String is the path.
func (p *Point) String() string { return p.path }

// Value reads the value: the forward runs up to it and hands it over. The tensor
// is the caller's and stays after the pass. Inside Prompt(i) it is that prompt's
// rows, padding cut off.
func (p *Point) Value() *Tensor {
	o := p.pass()
	defer o.show(p.row)()
	if p.derived() {
		return o.derive(p)
	}
	spot := p.resolve()
	v := o.pass.Read(spot)
	if p.standard && p.name == point.Logits {
		o.watch(v)
	}
	return o.label(o.cut(v, spot), p, spot)
}

// watch says once a pass, when its logits are not finite, which value was the
// first that is not. The last position sees all others, so it is enough to look there.
func (o *openPass) watch(logits *Tensor) {
	if o.watched || logits.Device().IsMeta() {
		return
	}
	o.watched = true
	if logits.Index(torch.All, -1).IsFinite().All().Item() != 0 {
		return
	}
	if first := o.pass.FirstNonFinite(); first != "" {
		trace.Notice(fmt.Sprintf("the logits are not finite. The first value of this pass that is not is %s%s", first, docs.See("not-finite")))
	}
}

// Save is Value, by the name nnsight's users know.
func (p *Point) Save() *Tensor { return p.Value() }

// Set makes the forward go on with v instead: a tensor of the value's shape, one
// that broadcasts to it, or a number.
func (p *Point) Set(v any) {
	o := p.pass()
	defer o.show(p.row)()
	if p.derived() {
		panic(&ReadOnlyError{p.path, p.name.Info().Doc})
	}
	spot := p.resolve()
	p.valid(v)
	o.pass.Write(spot, o.widen(v, spot, p))
}

// valid refuses whole numbers that the forward would stumble over later.
func (p *Point) valid(v any) {
	limit := 0
	switch {
	case !p.standard:
	case p.name == point.InputIDs:
		limit = p.core.config.VocabSize
	case p.name == point.ExpertIndices:
		limit = p.core.config.NRoutedExperts
	case p.name == point.AttentionMask:
		limit = 2
	}
	if limit == 0 {
		return
	}
	var least, most float64
	switch v := v.(type) {
	case *Tensor:
		if v == nil || v.Device().IsMeta() || v.Numel() == 0 {
			return
		}
		least, most = v.Min().Item(), v.Max().Item()
	case int:
		least, most = float64(v), float64(v)
	default:
		return
	}
	if least < 0 || int(most) >= limit {
		panic(argumentErrorf("cannot write %s: it holds numbers from 0 to %d, and the value has numbers from %v to %v", p.path, limit-1, least, most))
	}
}

// SetAt replaces a part: v goes to value[idx...], where an index is an int, an []int of
// positions, All, Range(a, b) or a tensor, as in Tensor.Index.
func (p *Point) SetAt(v any, idx ...any) {
	whole := p.Value()
	p.Set(fitted(p.path, func() *Tensor { return whole.SetAt(v, idx...) }, func() []int { return whole.Index(idx...).Shape() }, v))
}

// fitted is what set gives; where the value does not fit the part, the error says
// which value of which shape was meant for what.
func fitted(path string, set func() *Tensor, part func() []int, v any) *Tensor {
	t, ok := v.(*Tensor)
	if ok && t != nil && !trace.Broadcasts(t.Shape(), part()) {
		panic(&trace.ShapeError{Path: path, Found: t.Shape(), Want: part()})
	}
	return set()
}

func (p *Point) derived() bool { return p.standard && p.name.Info().Derived }

// pass is the open pass of this thread, or a panic that says there is none.
func (p *Point) pass() *openPass {
	o := p.core.current()
	if o == nil {
		panic(&NoPassError{p.path})
	}
	return o
}

// resolve finds the point in the plan, or panics with the reason it is not there.
func (p *Point) resolve() trace.Spot {
	if !p.found {
		spot, err := p.core.find(p.path)
		if err != nil {
			panic(err)
		}
		p.spot, p.found = spot, true
	}
	return p.spot
}

// At is the point at a dotted path: a standard value by its snake_case name, or a
// native module's input or output, "layers.1.self_attn.q_b_proj.output".
func (m *Model) At(path string) *Point {
	spot, err := m.find(path)
	if err == nil {
		site := m.plan.Site(spot)
		return &Point{core: m.core, path: site.Path, name: site.Name, standard: site.Standard, found: true, spot: spot, row: m.row}
	}
	for _, n := range point.All() {
		module, ok := strings.CutSuffix(m.canonical(path), n.String())
		if !ok || !n.Info().Derived || (module == "") != (n.Info().On == point.OnModel) {
			continue
		}
		if from := sources[n]; from != 0 {
			if _, err := m.find(module + from.String()); err != nil {
				panic(err)
			}
		}
		return &Point{core: m.core, path: module + n.String(), name: n, standard: true, row: m.row}
	}
	panic(err)
}

// sources are the values that derived ones on a block follow from.
var sources = map[point.Name]point.Name{point.IndexTied: point.IndexScores}

// Points lists the paths of everything that can be read, in the order of the forward.
func (m *Model) Points() []string {
	var paths []string
	for _, stop := range m.plan.Stops {
		for _, s := range stop.Sites {
			paths = append(paths, s.Path)
		}
	}
	for i := range m.NumLayers {
		if tied := m.Layers[i].SelfAttn.IndexTied; m.config.IndexTopk > 0 {
			paths = append(paths, tied.path)
		}
	}
	return append(paths, point.NextTokenProbs.String(), point.InputSize.String())
}

// derive computes the values that follow from others.
func (o *openPass) derive(p *Point) *Tensor {
	switch p.name {
	case point.InputSize:
		if o.row >= 0 {
			return torch.FromInts([]int64{1, int64(len(o.inputs.rows[o.row]))}, 2)
		}
		return torch.FromInts([]int64{int64(len(o.inputs.rows)), int64(o.inputs.width)}, 2)
	case point.IndexTied:
		module := strings.TrimSuffix(p.path, p.name.String())
		spot, err := o.core.find(module + sources[p.name].String())
		if err != nil {
			panic(err)
		}
		return o.tied(o.cut(o.pass.Read(spot), spot), p)
	case point.NextTokenProbs:
		spot, _ := o.core.plan.Find(point.Logits.String())
		whole := o.pass.Read(spot)
		o.watch(whole)
		logits := o.cut(whole, spot)
		probs := logits.Index(torch.All, -1).Float().Softmax(-1)
		return probs.WithOrigin(&torch.Origin{Model: o.core.name, Path: p.path, Layout: point.Probs.Name, Axes: point.Probs.Axes,
			Labels: [][]string{nil, nil}})
	}
	panic(fmt.Errorf("%s is derived, and nothing says from what", p.path))
}

// tied says for each query whether the indexer's cut fell between equal scores.
func (o *openPass) tied(scores *Tensor, p *Point) *Tensor {
	keep := o.core.config.IndexTopk
	tied := torch.Zeros(torch.Bool, torch.CPU, scores.Size(0), scores.Size(1))
	if scores.Size(2) > keep {
		sorted, _ := scores.Sort(-1, true)
		last, next := sorted.Select(-1, keep-1), sorted.Select(-1, keep)
		tied = last.Eq(next).And(next.Gt(masked))
	}
	return tied.WithOrigin(&torch.Origin{Model: o.core.name, Path: p.path, Layout: point.PerQuery.Name, Axes: point.PerQuery.Axes})
}

// masked is below every score that is not masked.
const masked = -1e30
