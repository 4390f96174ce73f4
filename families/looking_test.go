package families

import (
	"strings"
	"testing"

	"github.com/gonterp/gonterp/runtime/nn"
	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
)

// Looking at everything, and writing everything back unchanged, moves no bit.
func TestLookingChangesNothing(t *testing.T) {
	for _, name := range referenceCases {
		t.Run(name, func(t *testing.T) {
			r := openReference(t, name)
			for _, run := range []string{"plain", "padded"} {
				in := r.run(t, run).input()
				nobody := forward(r.net, in, &watcher{})
				looked := watch()
				if l := forward(r.net, in, looked); !torch.Equal(l, nobody) {
					t.Errorf("%s: reading changed the logits", run)
				}
				back := watch()
				back.edit = func(_ string, x *torch.Tensor) *torch.Tensor { return x.Clone() }
				forward(r.net, in, back)
				for _, path := range looked.order {
					if !torch.Equal(back.values[path], looked.values[path]) {
						t.Errorf("%s: writing values back changed %s", run, path)
						break
					}
				}
			}
		})
	}
}

// Replacing any value that is shown must change the logits: a point that nobody
// uses afterwards would be dead.
func TestNoPointIsDead(t *testing.T) {
	for _, name := range []string{"v2-lite", "v2-236b", "v3", "v32"} {
		t.Run(name, func(t *testing.T) {
			r := openReference(t, name)
			in := r.run(t, "plain").input()
			plain := watch()
			logits := forward(r.net, in, plain)
			for _, path := range plain.order {
				if strings.HasSuffix(path, "shared_experts.mlp_output") {
					continue // another name of shared_expert_output
				}
				w := watch()
				w.edit = func(at string, x *torch.Tensor) *torch.Tensor {
					if at != path {
						return x
					}
					return spoil(path, x, r)
				}
				if torch.Equal(forward(r.net, in, w), logits) {
					t.Errorf("replacing %s changes nothing", path)
				}
			}
		})
	}
}

// spoil is another valid value in x's place.
func spoil(path string, x *torch.Tensor, r *reference) *torch.Tensor {
	switch {
	case path == "input_ids" || path == "embed_tokens.input":
		return x.Mul(0)
	case path == "attention_mask":
		return x.SetAt(0, torch.All, torch.Range(0, 5))
	case strings.HasSuffix(path, "expert_indices"):
		return x.Eq(0).Long()
	case strings.HasSuffix(path, "index_selection"):
		return torch.Zeros(x.DType(), x.Device(), x.Shape()...)
	case strings.HasSuffix(path, "attention_scores"):
		return x.Mul(0.5)
	}
	return x.Mul(torch.Randn(7, x.Shape()...).To(x.DType()))
}

// Every point of the vocabulary that the config has is shown, once, where its
// module is; a dense block shows no mixture.
func TestEveryPointIsShown(t *testing.T) {
	for _, name := range referenceCases {
		t.Run(name, func(t *testing.T) {
			r := openReference(t, name)
			w := watch()
			seen := map[string]int{}
			w.edit = func(path string, x *torch.Tensor) *torch.Tensor {
				seen[path]++
				return x
			}
			forward(r.net, r.run(t, "plain").input(), w)
			for path, n := range seen {
				if n > 1 {
					t.Errorf("%s is shown %d times", path, n)
				}
			}
			for _, p := range point.All() {
				for _, path := range places(p, r) {
					if seen[path] == 0 {
						t.Errorf("%s is not shown", path)
					}
				}
				if native := p.Info().Native; native != "" && p.Info().On == point.OnModel && seen[native] > 0 {
					t.Errorf("%s is shown beside %s", native, p)
				}
			}
			for _, path := range []string{"layers.0.mlp.router_logits", "layers.0.mlp.expert_neurons", "layers.3.mlp.mlp_neurons"} {
				if seen[path] > 0 {
					t.Errorf("%s is shown", path)
				}
			}
		})
	}
}

// places are the paths at which a point is expected.
func places(p point.Name, r *reference) []string {
	info, cfg := p.Info(), r.cfg
	if info.Derived || info.Sparse && cfg.ModelType != "deepseek_v32" || p == point.SelectionBias && cfg.ModelType == "deepseek_v2" {
		return nil
	}
	if info.On == point.OnModel {
		return []string{info.Name}
	}
	var paths []string
	for i := range cfg.NumHiddenLayers {
		block := "layers." + string(rune('0'+i)) + "."
		switch {
		case info.On == point.OnLayer:
			paths = append(paths, block+info.Name)
		case info.On == point.OnSelfAttn:
			paths = append(paths, block+"self_attn."+info.Name)
		case (info.Shared || p == point.SharedExpertOutput) && cfg.Sparse(i) && cfg.NSharedExperts == 0:
		case info.Shared && cfg.Sparse(i):
			paths = append(paths, block+"mlp.shared_experts."+info.Name)
		case !info.Mixture || cfg.Sparse(i):
			paths = append(paths, block+"mlp."+info.Name)
		}
	}
	return paths
}

// The same code runs on the meta device and shows the same values in the same order.
func TestScanShowsWhatAForwardShows(t *testing.T) {
	for _, name := range referenceCases {
		t.Run(name, func(t *testing.T) {
			r := openReference(t, name)
			in := r.run(t, "plain").input()
			w, scan := watch(), watch()
			forward(r.net, in, w)
			shapes := must(New(r.cfg, nil, Options{DType: r.net.DType()}))(t)
			forward(shapes, nn.Input{IDs: in.IDs.ToDevice(torch.Meta)}, scan)
			if a, b := strings.Join(w.order, " "), strings.Join(scan.order, " "); a != b {
				t.Fatalf("the forward shows\n%s\nthe scan\n%s", a, b)
			}
			for _, path := range w.order {
				a, b := w.values[path], scan.values[path]
				if a.DType() != b.DType() || !equalShapes(a, b) {
					t.Errorf("%s: %s %v, in the scan %s %v", path, a.DType(), a.Shape(), b.DType(), b.Shape())
				}
			}
		})
	}
}

func equalShapes(a, b *torch.Tensor) bool {
	x, y := a.Shape(), b.Shape()
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}

// A padded row's results are those of the prompt alone.
func TestRaggedBatchEqualsSoloRuns(t *testing.T) {
	for _, name := range referenceCases {
		t.Run(name, func(t *testing.T) {
			r := openReference(t, name)
			run := r.run(t, "padded")
			batch := forward(r.net, run.input(), watch())
			for b := range run.IDs {
				first := 0
				for run.Mask[b][first] == 0 {
					first++
				}
				n := len(run.IDs[b]) - first
				solo := forward(r.net, nn.Input{IDs: torch.FromInts(run.IDs[b][first:], 1, n)}, nil)
				part := batch.Narrow(0, b, 1).Narrow(1, first, n)
				r.close(t, run, "row alone", part.Double().Contiguous().Float64s(), solo.Double().Float64s())
			}
		})
	}
}
