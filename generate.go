package gonterp

import (
	"fmt"
	"math"
	"slices"

	"github.com/gonterp/gonterp/runtime/nn"
	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/trace"
)

// A Generation is a run of forward passes that each add a token. Inside its loop
// every value of the step is read and written as in Trace; at step 0 the pass is
// over the whole prompt, at later steps over the one new token, and keys and values
// then span everything cached. What is written lasts that step.
//
//	with g := model.Generate(prompt, 20) {
//		for step := range g.Steps() {
//			g.Layers[3].LayerOutput.SetAt(steer, All, -1)
//		}
//	}
//	g.Text()
//
// Without a block, model.Generate(prompt, 20).Text() generates plainly.
type Generation struct {
	*Model
	prompt any
	n      int
	opts   []Option
	o      *openPass
	inputs *inputs
	ids    [][]int   // new tokens of each row
	steps  []*Tensor // logits of each step at the last position, [batch vocab_size]
	ran    bool
}

// Generate is a generation of up to n tokens after prompt, which may be anything
// that Trace takes.
func (m *Model) Generate(prompt any, n int, opts ...Option) *Generation {
	if n < 1 {
		panic(argumentErrorf("Generate: %d new tokens; at least 1", n))
	}
	return &Generation{Model: m, prompt: prompt, n: n, opts: opts}
}

// Enter opens the generation for a block.
func (g *Generation) Enter() *Generation {
	g.openPass()
	g.o.entered = true
	return g
}

// Exit closes it. A block that has not looped runs the generation plainly.
func (g *Generation) Exit(ok bool) {
	if g.o == nil {
		return
	}
	defer g.shut()
	if ok && !g.ran {
		for range g.Steps() {
		}
	}
}

func (g *Generation) openPass() {
	if g.o != nil {
		return
	}
	g.needWeights()
	in, option := g.Model.inputs(g.prompt, passOpts(g.opts))
	g.inputs = in
	g.o = g.begin(in, option, func(point.Scope) *torch.Tensor {
		panic(argumentErrorf("a generation has values inside its steps: for step := range g.Steps() { … }"))
	})
}

func (g *Generation) shut() {
	if g.o != nil {
		g.o.close()
		g.o = nil
	}
}

// Steps runs the generation, step by step. Leaving the loop early ends it.
func (g *Generation) Steps() func(yield func(step int) bool) {
	return func(yield func(int) bool) {
		if g.o == nil {
			g.openPass()
			defer g.shut()
		}
		if g.ran {
			panic(argumentErrorf("this generation has run already; ask model.Generate for another"))
		}
		g.ran = true
		option, err := generating(g.opts, g.config.EOSTokenIDs)
		if err != nil {
			panic(err)
		}
		r := g.runner(option)
		for step := range g.n {
			r.begin(step)
			if !yield(step) {
				return
			}
			r.end(step)
			if r.finished() {
				return
			}
		}
	}
}

// runner is the state of a running generation.
type runner struct {
	*Generation
	option    generateOptions
	cache     *nn.Cache
	ids, mask *Tensor // of the next step
	cached    int     // tokens of a row when the step is over
	done      []bool
	odd       bool // it was said that logits are not finite
}

func (g *Generation) runner(o generateOptions) *runner {
	ids, mask := g.inputs.tensors(g.device)
	g.ids = make([][]int, len(g.inputs.rows))
	return &runner{Generation: g, option: o, cache: g.network.NewCache(), ids: ids, mask: mask, done: make([]bool, len(g.inputs.rows))}
}

// begin puts the pass of a step in the place of the one before.
func (r *runner) begin(step int) {
	past, ids, mask := r.cache.Len(), r.ids, r.mask
	r.cached = past + ids.Size(1)
	forward := func(s point.Scope) *torch.Tensor {
		r.cache.Truncate(past)
		return r.network.Forward(s, nn.Input{IDs: ids, Mask: mask, Cache: r.cache})
	}
	r.o.pass.End()
	r.o.pass = r.o.trace(forward)
}

// end finishes the step's pass and takes its tokens.
func (r *runner) end(step int) {
	logits := r.o.pass.Finish().Index(torch.All, -1)
	r.o.pass.End()
	if r.cache.Len() < r.cached { // a replay began again at the step's first token
		r.cache.Advance(r.cached - r.cache.Len())
	}
	next := r.accept(logits, step)
	r.o.inputs = r.o.inputs.next(next, r.Model)
}

// plainly runs a generation that nobody looks at, on the kernels that are fastest.
func (g *Generation) plainly() {
	if len(g.edits) > 0 {
		for range g.Steps() {
		}
		return
	}
	g.ran = true
	g.needWeights()
	g.inputs, _ = g.Model.inputs(g.prompt, passOpts(g.opts))
	option, err := generating(g.opts, g.config.EOSTokenIDs)
	if err != nil {
		panic(err)
	}
	r := g.runner(option)
	for step := 0; step < g.n && !r.finished(); step++ {
		if trace.Stopping() {
			panic(&trace.InterruptError{At: fmt.Sprintf("step %d of a generation", step)})
		}
		logits := alone(func() *Tensor {
			return r.network.Forward(point.Scope{}, nn.Input{IDs: r.ids, Mask: r.mask, Cache: r.cache, LastOnly: true, Check: checkInterrupt})
		})
		r.accept(logits.Index(torch.All, -1), step)
	}
}

// accept chooses the tokens that follow logits [batch vocab_size].
func (r *runner) accept(logits *Tensor, step int) (next []int64) {
	r.steps = append(r.steps, logits)
	if !r.odd && logits.IsFinite().All().Item() == 0 {
		r.odd = true
		trace.Notice(fmt.Sprintf("the logits of step %d are not finite: what is chosen from them means nothing", step))
	}
	next = r.choose(logits.Float(), step)
	for row, id := range next {
		if r.done[row] {
			next[row] = int64(r.padding())
			continue
		}
		r.Generation.ids[row] = append(r.Generation.ids[row], int(id))
		for _, stop := range r.option.stop {
			r.done[row] = r.done[row] || int(id) == stop
		}
	}
	r.ids = torch.FromInts(next, len(next), 1).ToDevice(r.device)
	r.mask = torch.Ones(torch.Int64, r.device, len(next), 1)
	return next
}

func (r *runner) padding() int {
	if r.config.PadTokenID >= 0 {
		return r.config.PadTokenID
	}
	return 0
}

func (r *runner) finished() bool {
	for _, d := range r.done {
		if !d {
			return false
		}
	}
	return true
}

// choose picks each row's next token from logits [batch vocab_size].
func (r *runner) choose(logits *Tensor, step int) []int64 {
	o := r.option
	if o.temperature == 0 {
		return logits.Argmax(-1).Ints()
	}
	logits = logits.Div(o.temperature)
	if o.topK > 0 && o.topK < r.VocabSize {
		values, _ := logits.Topk(o.topK)
		logits = logits.MaskedFill(logits.Lt(values.Index(torch.All, torch.Range(o.topK-1, o.topK))), math.Inf(-1))
	}
	if o.topP < 1 {
		// A token stays when the likelier ones together have less than p.
		sorted, order := logits.Softmax(-1).Sort(-1, true)
		before := sorted.CumSum(-1).Sub(sorted)
		drop := torch.Zeros(torch.Bool, logits.Device(), logits.Shape()...).Scatter(-1, order, before.Ge(o.topP))
		logits = logits.MaskedFill(drop, math.Inf(-1))
	}
	return logits.Softmax(-1).Multinomial(1, uint64(o.seed+step)).Reshape(-1).Ints()
}

// next are the inputs of a step after another: one new token a row, which sees the
// keys of all before it.
func (in *inputs) next(ids []int64, m *Model) *inputs {
	n := &inputs{width: 1, keys: in.keys + 1, padding: in.padding}
	for row, id := range ids {
		n.rows = append(n.rows, []int{int(id)})
		if m.tokenizer != nil {
			text := m.texts([]int{int(id)})
			n.labels = append(n.labels, text)
			n.keyLabels = append(n.keyLabels, slices.Concat(in.keyLabels[row], text))
		}
	}
	return n
}

// run makes sure that the generation has run.
func (g *Generation) run() {
	if !g.ran {
		g.plainly()
	}
}

// IDs are the new tokens of the first prompt.
func (g *Generation) IDs() []int { g.run(); return g.ids[0] }

// AllIDs are the new tokens of every prompt.
func (g *Generation) AllIDs() [][]int { g.run(); return g.ids }

// Text is what was generated after the first prompt.
func (g *Generation) Text() string { return g.Decode(g.IDs()...) }

// StepLogits are the logits at the last position, step by step: [batch steps vocab_size].
func (g *Generation) StepLogits() *Tensor { g.run(); return torch.Stack(1, g.steps...) }

// String is the text, or the ids where there is no tokenizer.
func (g *Generation) String() string {
	if g.tokenizer == nil {
		return fmt.Sprint(g.AllIDs())
	}
	return g.Text()
}
