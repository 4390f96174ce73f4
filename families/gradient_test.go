package families

import (
	"slices"
	"testing"

	"github.com/gonterp/gonterp/runtime/torch"
)

func TestReferenceGradients(t *testing.T) {
	for _, name := range referenceCases {
		t.Run(name, func(t *testing.T) {
			r := openReference(t, name)
			for i := range r.runs {
				run := &r.runs[i]
				if run.Grad == nil {
					continue
				}
				defer torch.Recording(true)()
				w := watch()
				w.leaves = map[string]bool{"token_embeddings": true}
				w.edit = r.editor(t, run, w)
				logits := forward(r.net, run.input(), w)
				w.derive()
				at := run.Grad.Of.Position
				if at < 0 {
					at += logits.Size(1)
				}
				last := logits.Select(1, at)
				of := last.Select(1, run.Grad.Of.Tokens[0]).Sub(last.Select(1, run.Grad.Of.Tokens[1])).Sum()
				paths := slices.DeleteFunc(slices.Clone(run.Grad.Wrt), r.absent)
				wrt := make([]*torch.Tensor, len(paths))
				for i, path := range paths {
					if wrt[i] = w.values[path]; !wrt[i].RequiresGrad() {
						t.Fatalf("%s: no gradient reaches %s", run.Name, path)
					}
				}
				for i, g := range torch.Gradients(of, wrt, false) {
					path := paths[i]
					if g == nil {
						t.Errorf("%s: no gradient at %s", run.Name, path)
						continue
					}
					r.compareGradient(t, run, path, g, w)
				}
			}
		})
	}
}

// compareGradient compares slot by expert, as the values are.
func (r *reference) compareGradient(t *testing.T, run *referenceRun, path string, got *torch.Tensor, w *watcher) {
	t.Helper()
	want := r.want(t, run.Name+"/grad/"+path)
	block, slotted := slotPath(path)
	if !slotted {
		r.close(t, run, "grad/"+path, got.Double().Float64s(), want.Double().Float64s())
		return
	}
	gi, wi := w.values[block+"expert_indices"], r.indices(t, run, block)
	if wi == nil {
		wi = r.want(t, "plain/"+block+"expert_indices")
	}
	k := gi.Size(2)
	width := got.Numel() / gi.Numel()
	r.close(t, run, "grad/"+path, sortSlots(got, gi, k, width), sortSlots(want, wi, k, width))
}
