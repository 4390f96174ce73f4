package verify

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/gonterp/gonterp"
)

// Folders verifies every run whose name matches and writes a line for each. It
// returns an error when a value lies outside the tolerance, a run can't be made or a
// folder can't be opened.
func Folders(out io.Writer, dirs []string, match *regexp.Regexp) error {
	ran, failed := 0, 0
	for _, dir := range dirs {
		f, err := open(dir)
		if err != nil {
			ran, failed = ran+1, failed+1
			fmt.Fprintf(out, "FAIL %v\n", err)
			continue
		}
		for i := range f.runs {
			r := &f.runs[i]
			if match != nil && !match.MatchString(r.Name) {
				continue
			}
			ran++
			worst, settled, err := f.verify(r)
			switch {
			case err != nil:
				failed++
				fmt.Fprintf(out, "FAIL %s/%s: %v\n", dir, r.Name, err)
			case !worst.ok():
				failed++
				fmt.Fprintf(out, "FAIL %s/%s: %s\n", dir, r.Name, worst)
			default:
				fmt.Fprintf(out, "ok   %s/%s: %s%s%s\n", dir, r.Name, worst, settled, r.note())
			}
		}
	}
	fmt.Fprintf(out, "%d runs, %d passed, %d failed\n", ran, ran-failed, failed)
	if ran == 0 {
		return fmt.Errorf("no run matches")
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d runs failed", failed, ran)
	}
	return nil
}

// note says where a run means something else by a name than gonterp does.
func (r *run) note() string {
	for _, o := range r.Ops {
		if _, last := splitPath(o.At); last == "layer_mid" {
			return " (layer_mid written as post_attention_layernorm.input: transformers replaces what the norm is called with, not the stream)"
		}
	}
	return ""
}

// verify makes a run and compares what it wants.
//
// gonterp's own products add in another order than libtorch's, which in bfloat16
// moves one number in some thousand by a unit of the last place, and a choice that
// the run does not record may hang on that. A pass that records gradients leaves its
// products to libtorch. So a run in bfloat16 that fails is made again that way:
// where it passes then, the difference was rounding.
func (f *folder) verify(r *run) (worst result, settled *settlement, err error) {
	settled = newSettlement()
	worst, err = f.attempt(r, settled)
	if err == nil && worst.ok() || f.compute == "float32" || r.Grad != nil {
		return worst, settled, err
	}
	again := newSettlement()
	again.libtorch = true
	if w, err := f.attempt(r, again); err == nil && w.ok() {
		return w, again, nil
	}
	return worst, settled, err
}

// attempt makes a run and compares what it wants. A panic of the maths is the
// run's error.
func (f *folder) attempt(r *run, settled *settlement) (worst result, err error) {
	defer func() {
		if e := recover(); e != nil {
			if e, ok := e.(error); ok {
				err = e
				return
			}
			panic(e)
		}
	}()
	got := f.make(r, settled)
	for settled.next(f, r, got) {
		got = f.make(r, settled)
	}
	for _, p := range r.wanted() {
		if want := f.expected[r.Name+"/"+p]; want != nil && f.absent(p) {
			got[p] = want.Mul(0)
		}
	}
	var paths []string
	for p := range got {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	for _, p := range paths {
		if _, wanted := f.expected[r.Name+"/"+p]; !wanted {
			continue // read to order slots by
		}
		c, err := f.compare(r, p, got)
		if err != nil {
			return worst, err
		}
		worst = worst.worse(c)
	}
	for _, p := range r.wanted() {
		if got[p] == nil {
			return worst, fmt.Errorf("%s was not computed", p)
		}
	}
	return worst, nil
}

// make is every value that a run touches.
func (f *folder) make(r *run, s *settlement) map[string]*gonterp.Tensor {
	got := map[string]*gonterp.Tensor{}
	var opts []gonterp.Option
	if r.Grad != nil || s.libtorch {
		opts = append(opts, gonterp.Gradients())
	}
	if r.Generate > 0 {
		f.generate(r, s, got, opts...)
	} else {
		f.trace(r, s, got, opts...)
	}
	return got
}

// absent says whether path is of the shared experts of a model that has none.
// transformers builds an MLP of no neurons there, and what it adds is zero.
func (f *folder) absent(path string) bool {
	return f.model.Config("n_shared_experts") == 0 && strings.Contains(path, ".mlp.shared_expert")
}

func (r *run) wanted() []string {
	want := append([]string{}, r.Want...)
	if r.Grad != nil {
		want = append(want, "grad_of")
		for _, p := range r.Grad.Wrt {
			want = append(want, "grad/"+p)
		}
	}
	return want
}

// visits are the paths a run touches, in the order of the forward, with the
// choices of experts that slots are ordered by and the scores of every choice.
func (f *folder) visits(r *run) []string {
	set := map[string]bool{}
	for _, p := range r.Want {
		set[p] = true
	}
	if r.Grad != nil {
		set["logits"] = true
		for _, p := range r.Grad.Wrt {
			set[p] = true
		}
	}
	for _, o := range r.Ops {
		set[o.At] = true
	}
	for p := range set {
		if slotted(p) || hasExpert(r.Ops, p) {
			set[sibling(p, "expert_indices")] = true
		}
	}
	for p := range set {
		if scores := scoresOf(p); scores != "" {
			set[scores] = true
		}
	}
	for _, p := range f.selections {
		set[p], set[scoresOf(p)] = true, true
	}
	var paths []string
	for p := range set {
		if !f.absent(p) || hasOp(r.Ops, p) {
			paths = append(paths, p)
		}
	}
	at := func(p string) int {
		if i, ok := f.order[f.model.At(native(p)).Path()]; ok {
			return i
		}
		return len(f.order) // derived from the last
	}
	sort.Slice(paths, func(i, j int) bool { return at(paths[i]) < at(paths[j]) })
	return paths
}

// native maps a path of the references to gonterp's: transformers' layer_mid is
// what the norm after attention is called with.
func native(path string) string {
	module, last := splitPath(path)
	if last == "layer_mid" {
		return module + ".post_attention_layernorm.input"
	}
	return path
}

// trace makes a run of one forward.
func (f *folder) trace(r *run, s *settlement, got map[string]*gonterp.Tensor, opts ...gonterp.Option) {
	for m := range f.model.Trace(r.IDs, opts...) {
		f.mask(m, r)
		f.walk(m, r, s, got)
		if r.Grad != nil {
			f.gradients(m, r, got)
		}
	}
}

// mask writes a mask that is not all ones.
func (f *folder) mask(m *gonterp.Model, r *run) {
	var flat []int64
	zeros := false
	for _, row := range r.Mask {
		for _, v := range row {
			flat = append(flat, int64(v))
			zeros = zeros || v == 0
		}
	}
	if zeros {
		m.AttentionMask.Set(gonterp.FromInts(flat, len(r.Mask), len(r.Mask[0])))
	}
}

// walk reads and writes along the forward. Scores count as they were before a
// settlement moved them.
func (f *folder) walk(m *gonterp.Model, r *run, s *settlement, got map[string]*gonterp.Tensor) {
	for _, path := range f.visits(r) {
		point := m.At(path)
		if hasOp(r.Ops, path) {
			point = m.At(native(path))
		}
		before := point.Value()
		value := before
		for _, o := range r.Ops {
			if o.At == path {
				value = f.apply(o, value, got)
			}
		}
		got[path] = value
		value = s.move(path, value)
		if strings.HasSuffix(path, "indexer.output") {
			scores := scoresOf(path)
			value = asTopk(s.move(scores, got[scores]), value)
			got[path] = value
		}
		if value != before {
			point.Set(value)
		}
	}
}

func (f *folder) gradients(m *gonterp.Model, r *run, got map[string]*gonterp.Tensor) {
	of := r.Grad.Of
	logits := got["logits"].Index(gonterp.All, of.Position)
	loss := logits.Index(gonterp.All, of.Tokens[0]).Sub(logits.Index(gonterp.All, of.Tokens[1])).Sum()
	got["grad_of"] = loss.Reshape(1)
	wrt := slices.DeleteFunc(slices.Clone(r.Grad.Wrt), f.absent)
	points := make([]*gonterp.Point, len(wrt))
	for i, p := range wrt {
		points[i] = m.At(native(p))
	}
	for i, g := range m.Grad(loss, points...) {
		got["grad/"+wrt[i]] = g
	}
}

// generate makes a run of several forwards, each with the run's interventions.
func (f *folder) generate(r *run, s *settlement, got map[string]*gonterp.Tensor, opts ...gonterp.Option) {
	g := f.model.Generate(r.prompts(), r.Generate, append(opts, gonterp.StopTokens())...)
	for step := range g.Steps() {
		f.walk(f.model, &run{Ops: r.Ops}, newSettlement(), map[string]*gonterp.Tensor{})
		if by := s.tokens[step]; by != nil {
			point := f.model.At("logits")
			point.Set(moveLast(point.Value(), by))
		}
	}
	var ids []int64
	for _, row := range g.AllIDs() {
		for _, id := range row {
			ids = append(ids, int64(id))
		}
	}
	got["generated_ids"] = gonterp.FromInts(ids, len(r.IDs), r.Generate)
	got["step_logits"] = g.StepLogits()
}

// prompts are the rows without padding, which Generate adds again.
func (r *run) prompts() [][]int {
	rows := make([][]int, len(r.IDs))
	for i, row := range r.IDs {
		for j, id := range row {
			if r.Mask[i][j] != 0 {
				rows[i] = append(rows[i], id)
			}
		}
	}
	return rows
}
