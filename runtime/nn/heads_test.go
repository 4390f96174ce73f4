package nn

import (
	"errors"
	"slices"
	"testing"

	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

// The loops over rows give what the tensor operations give that record gradients,
// alone and on two threads.
func TestHeadsEitherWay(t *testing.T) {
	torchtest.NeedThread(t)
	defer torch.SetThreads(torch.Threads())
	torch.SetThreads(2)
	const heads, nope, rotated, value, latent = 3, 10, 6, 7, 12
	r, err := NewRotary(frequency(rotated))
	if err != nil {
		t.Fatal(err)
	}
	for _, seq := range []int{1, 5, 3000} {
		ragged := &Positions{Seq: seq, Last: seq + 6, Rows: make([]int64, 2*seq)}
		for i := range ragged.Rows {
			ragged.Rows[i] = int64(i%seq + i/seq*7)
		}
		for _, at := range []*Positions{{Seq: seq, First: 9, Last: 9 + seq - 1}, ragged} {
			a := r.Angles(at, torch.CPU, torch.Float32)
			q := torch.Randn(1, 2, seq, heads, nope+rotated)
			c, normed := torch.Randn(2, 2, seq, latent+rotated), torch.Randn(3, 2, seq, latent)
			kv := torch.Randn(4, 2, heads, seq, nope+value).Transpose(1, 2)
			for _, p := range []Pairing{Adjacent, Deinterleaved, Halves} {
				all := func() map[string]*torch.Tensor {
					latents := p.Latents(normed, c, a)
					k, v := Expand(kv, latents, nope, latent)
					return map[string]*torch.Tensor{"queries": p.Queries(q, rotated, a), "latents": latents, "keys": k, "values": v}
				}
				loops := all()
				restore := torch.Recording(true)
				operations := all()
				restore()
				for what, want := range operations {
					got := loops[what]
					if !slices.Equal(got.Shape(), want.Shape()) || !got.IsContiguous() {
						t.Fatalf("%d tokens, pairing %d: %s are %v, want %v", seq, p, what, got.Shape(), want.Shape())
					}
					if off := far(got, want); off > 1e-6 {
						t.Errorf("%d tokens, pairing %d: %s are off by %g", seq, p, what, off)
					}
				}
			}
		}
	}
}

// Rows of another width are libtorch's error, and never read past their end.
func TestMisfit(t *testing.T) {
	torchtest.NeedThread(t)
	b := &Builder{Store: memory{"l.weight": torch.Randn(1, 64, 64), "n.weight": torch.Randn(2, 64)}, DType: torch.Float32}
	linear, norm := b.Linear("l", 64, 64, false), b.RMSNorm("n", 64, 1e-6)
	for what, apply := range map[string]func(*torch.Tensor) *torch.Tensor{"linear": linear.Apply, "norm": norm.Apply} {
		func() {
			defer func() {
				err, _ := recover().(error)
				if e := new(torch.Error); !errors.As(err, &e) {
					t.Errorf("%s: %v, want libtorch's error", what, err)
				}
			}()
			apply(torch.Randn(3, 2, 32))
		}()
	}
}
