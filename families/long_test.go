package families

import (
	"strings"
	"testing"

	"github.com/gonterp/gonterp/runtime/nn"
	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

// A watched pass of a long prompt does without its patterns. Who reads them moves no
// bit, who writes them gets what the explicit way gives.
func TestLongTraceDoesWithoutPatterns(t *testing.T) {
	const tokens = 1040
	const pattern, scores, mixed = "layers.0.self_attn.attention_probabilities", "layers.0.self_attn.attention_scores", "layers.0.self_attn.attention_head_outputs"
	if p := (nn.Pass{Seq: tokens, Keys: tokens}); !p.Fused() {
		t.Fatal("the prompt is not long")
	}
	torchtest.NeedThread(t)
	padding := torch.Ones(torch.Int64, torch.CPU, 1, tokens).SetAt(0, 0, torch.Range(0, 9))
	for name, mask := range map[string]*torch.Tensor{"v2-lite": nil, "v3": padding, "v32": nil, "v32-bf16": nil} {
		t.Run(name, func(t *testing.T) {
			r := openReference(t, name)
			in := nn.Input{IDs: randomIDs(1, tokens, r), Mask: mask}
			run := func(wants, write string, change func(*torch.Tensor) *torch.Tensor) (logits *torch.Tensor, w *watcher) {
				kept := map[string]*torch.Tensor{}
				w = watch()
				w.wants = func(path string) bool { return wants == "all" || wants == path }
				w.edit = func(path string, x *torch.Tensor) *torch.Tensor {
					if path == write {
						x = change(x)
					}
					if path == pattern || path == scores || path == mixed {
						kept[path] = x.Own()
					}
					if strings.HasSuffix(path, "attention_probabilities") || strings.HasSuffix(path, "attention_scores") {
						w.patterns++
					}
					return x
				}
				w.drop = true
				logits = forward(r.net, in, w)
				w.values = kept
				return logits, w
			}
			logits, nobody := run("", "", nil)
			if nobody.patterns > 0 {
				t.Errorf("%d patterns were made for nobody", nobody.patterns)
			}
			read, all := run("all", "", nil)
			if all.patterns != 2*r.cfg.NumHiddenLayers {
				t.Errorf("%d scores and patterns are shown", all.patterns)
			}
			if !torch.Equal(read, logits) {
				t.Error("reading the patterns changed the logits")
			}
			explicit := func(write string, change func(*torch.Tensor) *torch.Tensor) *torch.Tensor {
				defer torch.Recording(true)()
				_, w := run("all", write, change)
				return w.values[mixed].Detach()
			}
			r.closeTensors(t, "head outputs", all.values[mixed], explicit("", nil), in.Mask)
			for _, path := range []string{scores, pattern} {
				same, _ := run(path, path, (*torch.Tensor).Own)
				if !torch.Equal(same, logits) {
					t.Errorf("writing %s back changed the logits", path)
				}
				half := func(x *torch.Tensor) *torch.Tensor { return x.Mul(0.5) }
				_, w := run(path, path, half)
				r.closeTensors(t, path+" halved", w.values[mixed], explicit(path, half), in.Mask)
			}
		})
	}
}

// closeTensors compares the real positions of two values [batch seq …].
func (r *reference) closeTensors(t *testing.T, what string, got, want, mask *torch.Tensor) {
	t.Helper()
	r.closeRows(t, what, got.Flatten(2, got.Dim()-1), want.Flatten(2, want.Dim()-1), mask)
}
