package families

import (
	"slices"
	"testing"

	"github.com/gonterp/gonterp/runtime/nn"
	"github.com/gonterp/gonterp/runtime/torch"
)

// greedy decodes n tokens with a cache and returns them, [batch n], with the logits
// of every step, [batch n vocab_size].
func greedy(net Network, in nn.Input, n int, step func() *watcher) (ids, logits *torch.Tensor) {
	in.Cache = net.NewCache()
	var chosen, scores []*torch.Tensor
	for range n {
		w := step()
		in.LastOnly = w == nil
		l := forward(net, in, w)
		l = l.Select(1, l.Size(1)-1)
		next := l.Argmax(-1)
		chosen, scores = append(chosen, next), append(scores, l)
		in.IDs, in.Mask = next.Unsqueeze(1), nil
	}
	return torch.Stack(1, chosen...), torch.Stack(1, scores...)
}

func TestReferenceGeneration(t *testing.T) {
	for _, name := range referenceCases {
		t.Run(name, func(t *testing.T) {
			r := openReference(t, name)
			for i := range r.runs {
				run := &r.runs[i]
				if run.Steps == 0 {
					continue
				}
				ways := map[string]func() *watcher{"watched": func() *watcher {
					w := watch()
					w.edit = r.editor(t, run, w)
					return w
				}}
				if len(run.Ops) == 0 {
					ways["plain"] = func() *watcher { return nil }
				}
				for way, step := range ways {
					ids, logits := greedy(r.net, run.input(), run.Steps, step)
					if want := r.want(t, run.Name+"/generated_ids"); !slices.Equal(ids.Ints(), want.Ints()) {
						t.Errorf("%s, %s: %v, want %v", run.Name, way, ids, want)
						continue
					}
					r.close(t, run, "step_logits, "+way, logits.Double().Float64s(), r.want(t, run.Name+"/step_logits").Double().Float64s())
				}
			}
		})
	}
}
