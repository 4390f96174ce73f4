package families

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/runtime/checkpoint"
	"github.com/gonterp/gonterp/runtime/nn"
	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

const referenceDir = "../tests/reference"

// referenceCases are the folders in which no choice of experts or keys hangs on
// rounding. Those in which one does are for the verify command, which settles it.
var referenceCases = func() (names []string) {
	found, err := filepath.Glob(filepath.Join(referenceDir, "*", "checks.json"))
	if err != nil || len(found) < 9 {
		panic(fmt.Sprintf("%d reference folders, want 9 and more (%v)", len(found), err))
	}
	for _, file := range found {
		var checks struct {
			Margins struct {
				Gate    *float64
				Indexer *float64
			}
		}
		data, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(data, &checks)
		}
		if err != nil {
			panic(err)
		}
		steady := true
		for _, margin := range []*float64{checks.Margins.Gate, checks.Margins.Indexer} {
			steady = steady && (margin == nil || *margin > 1e-4)
		}
		if steady {
			names = append(names, filepath.Base(filepath.Dir(file)))
		}
	}
	return names
}()

// reference is a case folder: a small checkpoint and what transformers computes on it.
type reference struct {
	name     string
	cfg      *checkpoint.Config
	net      Network
	expected checkpoint.Store
	inputs   checkpoint.Store
	runs     []referenceRun
}

type referenceRun struct {
	Name  string    `json:"name"`
	IDs   [][]int64 `json:"input_ids"`
	Mask  [][]int64 `json:"attention_mask"`
	Want  []string  `json:"want"`
	Ops   []edit    `json:"ops"`
	Steps int       `json:"generate"`
	Grad  *struct {
		Of struct {
			Tokens   [2]int `json:"tokens"`
			Position int    `json:"position"`
		} `json:"of"`
		Wrt []string `json:"wrt"`
	} `json:"grad"`
}

func openReference(t testing.TB, name string) *reference {
	t.Helper()
	torchtest.NeedThread(t)
	dir := filepath.Join(referenceDir, name)
	r := &reference{name: name}
	var list struct {
		Compute string         `json:"compute"`
		Runs    []referenceRun `json:"runs"`
	}
	data := must(os.ReadFile(filepath.Join(dir, "runs.json")))(t)
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	r.runs = list.Runs
	r.cfg = must(checkpoint.ReadConfig(dir))(t)
	r.expected = must(checkpoint.Open(filepath.Join(dir, "expected.safetensors")))(t)
	if path := filepath.Join(dir, "inputs.safetensors"); fileExists(path) {
		r.inputs = must(checkpoint.Open(path))(t)
	}
	compute := must(torch.ParseDType(list.Compute))(t)
	r.net = must(New(r.cfg, must(checkpoint.Open(dir))(t), Options{DType: compute}))(t)
	return r
}

// absent says whether a path is of the shared experts of a model that has none.
// transformers builds an MLP of no neurons there, whose values are zero.
func (r *reference) absent(path string) bool {
	return r.cfg.NSharedExperts == 0 && strings.Contains(path, ".mlp.shared_expert")
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func (r *reference) want(t testing.TB, key string) *torch.Tensor {
	t.Helper()
	e, ok := r.expected.Entry(key)
	if !ok {
		t.Fatalf("%s: the reference has no %s", r.name, key)
	}
	return must(r.expected.Tensor(key, e.DType))(t)
}

func (r *reference) run(t testing.TB, name string) *referenceRun {
	t.Helper()
	for i := range r.runs {
		if r.runs[i].Name == name {
			return &r.runs[i]
		}
	}
	t.Fatalf("%s: no run %s", r.name, name)
	return nil
}

func (run *referenceRun) input() nn.Input {
	return nn.Input{IDs: matrix(run.IDs), Mask: matrix(run.Mask)}
}

func matrix(rows [][]int64) *torch.Tensor {
	var flat []int64
	for _, r := range rows {
		flat = append(flat, r...)
	}
	return torch.FromInts(flat, len(rows), len(rows[0]))
}

// watcher records every value it is shown, after its edits. The zero watcher looks
// at nothing.
type watcher struct {
	values   map[string]*torch.Tensor
	order    []string
	edit     func(path string, x *torch.Tensor) *torch.Tensor
	leaves   map[string]bool        // paths that become leaves of the graph
	wants    func(path string) bool // of the values that the forward can do without; nil: all
	drop     bool                   // keep nothing
	patterns int                    // shown
}

func watch() *watcher { return &watcher{values: map[string]*torch.Tensor{}} }

func (w *watcher) scope() point.Scope { return point.NewScope(w, point.NewTree()) }

func (w *watcher) Visit(sites []*point.Site, values []*torch.Tensor) {
	if w.values == nil {
		return
	}
	for i, s := range sites {
		if w.edit != nil {
			values[i] = w.edit(s.Path, values[i])
		}
		if w.leaves[s.Path] {
			values[i] = values[i].RequireGrad()
		}
		if w.drop {
			continue
		}
		w.keep(s.Path, values[i].Own())
		if s.Standard && s.Name == point.SharedExpertOutput {
			w.keep(s.Module.Path+".shared_experts.mlp_output", values[i].Own())
		}
	}
}

func (w *watcher) keep(path string, x *torch.Tensor) {
	if w.values[path] == nil {
		w.order = append(w.order, path)
	}
	w.values[path] = x
}

func (w *watcher) Wants(s *point.Site, _ bool) bool {
	return w.values != nil && (w.wants == nil || w.wants(s.Path))
}

func (w *watcher) Skip(*point.Module, *torch.Tensor) *torch.Tensor { return nil }

// forward is a watched call in an arena of its own.
func forward(net Network, in nn.Input, w *watcher) *torch.Tensor {
	arena := torch.NewArena()
	old := torch.Swap(arena)
	defer func() {
		torch.Swap(old)
		arena.Free()
	}()
	if w == nil {
		return net.Forward(point.Scope{}, in).Own()
	}
	return net.Forward(w.scope(), in).Own()
}

// derive adds the values that follow from others after a forward.
func (w *watcher) derive() {
	logits := w.values["logits"]
	last := logits.Select(1, logits.Size(1)-1)
	w.values["next_token_probs"] = last.Float().Softmax(-1)
	w.values["input_size"] = torch.FromInts([]int64{int64(logits.Size(0)), int64(logits.Size(1))}, 2)
}

func TestReferencePlain(t *testing.T) {
	for _, name := range referenceCases {
		t.Run(name, func(t *testing.T) {
			r := openReference(t, name)
			for i := range r.runs {
				run := &r.runs[i]
				if len(run.Ops) > 0 || run.Steps > 0 || run.Grad != nil {
					continue
				}
				w := watch()
				forward(r.net, run.input(), w)
				w.derive()
				r.compare(t, run, w)
			}
		})
	}
}

func TestReferenceInterventions(t *testing.T) {
	for _, name := range referenceCases {
		t.Run(name, func(t *testing.T) {
			r := openReference(t, name)
			for i := range r.runs {
				run := &r.runs[i]
				if len(run.Ops) == 0 || run.Steps > 0 || run.Grad != nil {
					continue
				}
				w := watch()
				w.edit = r.editor(t, run, w)
				forward(r.net, run.input(), w)
				w.derive()
				r.compare(t, run, w)
			}
		})
	}
}

func (run *referenceRun) String() string {
	return run.Name + " (" + strings.Join(run.Want, " ") + ")"
}
