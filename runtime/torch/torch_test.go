package torch

import (
	"os"
	"runtime"
	"testing"
)

func need(t testing.TB) {
	t.Helper()
	if err := Open(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
}

func TestFirst(t *testing.T) {
	need(t)
	x := FromFloats([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	t.Log(x.Add(x).Floats(), x.Mul(2).Floats(), x.Sum(1).Floats(), x.Linear(x, nil).Floats(), x.RMSNorm(nil, 1e-6).Floats())
	t.Log(x.Index(All, Range(1, 3)).Floats(), x.Index(0).Floats(), x.Index(FromInts([]int64{1}), 2).Floats())
	t.Log(x.SetAt(9, 0).Floats(), Einsum("ij,kj->ik", x, x).Floats())
	func() {
		defer func() { t.Log(recover()) }()
		x.Matmul(x)
	}()
	restore := Recording(true)
	a := FromFloats([]float32{1, 2, 3}).RequireGrad()
	b := a.Mul(a)
	c := b.Mul(a)
	g := Gradients(c.Sum(), []*Tensor{a, b}, false)
	restore()
	t.Log(g[0].Floats(), g[1].Floats())
	t.Log(LiveTensors())
}
