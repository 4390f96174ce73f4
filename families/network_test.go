package families

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/runtime/checkpoint"
	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

// The last two modules, called on their own, give what the forward gives.
func TestModulesOnTheirOwn(t *testing.T) {
	r := openReference(t, "v3")
	w := watch()
	logits := forward(r.net, r.run(t, "plain").input(), w)
	last := fmt.Sprintf("layers.%d.layer_output", r.cfg.NumHiddenLayers-1)
	normed := r.net.Norm(w.values[last])
	if !torch.Equal(normed, w.values["final_norm_output"]) {
		t.Error("Norm of the last block's output is not final_norm_output")
	}
	if !torch.Equal(r.net.LMHead(normed), logits) {
		t.Error("LMHead of final_norm_output is not the logits")
	}
	if r.net.Device() != torch.CPU {
		t.Errorf("computes on %v", r.net.Device())
	}
	counts := must(Count(r.cfg))(t)
	var n int64
	for _, p := range r.net.Params() {
		n += p.Elements()
	}
	if n != counts.Total() {
		t.Errorf("Params have %d elements, Count says %d", n, counts.Total())
	}
}

// A mixture without shared experts is its routed ones.
func TestMixtureWithoutSharedExperts(t *testing.T) {
	torchtest.NeedThread(t)
	for _, name := range []string{"v2-lite", "v3"} {
		dir := filepath.Join(referenceDir, name)
		cfg := must(checkpoint.ReadConfig(dir))(t)
		cfg.NSharedExperts = 0
		net := must(New(cfg, must(checkpoint.Open(dir))(t), Options{DType: torch.Float32}))(t)
		w := watch()
		forward(net, openReference(t, name).run(t, "plain").input(), w)
		for path := range w.values {
			if strings.Contains(path, "shared_expert") {
				t.Errorf("%s: %s is shown", name, path)
			}
		}
		mlp := fmt.Sprintf("layers.%d.mlp.", cfg.NumHiddenLayers-1)
		if !torch.Equal(w.values[mlp+"mlp_output"], w.values[mlp+"routed_output"]) {
			t.Errorf("%s: mlp_output is not routed_output", name)
		}
	}
}

// Nothing is computed in eight bits, whatever config.json calls the dtype.
func TestComputeDType(t *testing.T) {
	cfg := must(checkpoint.ReadConfig(filepath.Join("testdata/configs", "v3.2")))(t)
	for stored, want := range map[torch.DType]torch.DType{torch.Float8E4M3FN: torch.Float32, torch.BFloat16: torch.BFloat16, torch.Float32: torch.Float32} {
		cfg.DType = stored
		if net := must(New(cfg, nil, Options{}))(t); net.DType() != want {
			t.Errorf("stored as %v, computed in %v, want %v", stored, net.DType(), want)
		}
	}
}
