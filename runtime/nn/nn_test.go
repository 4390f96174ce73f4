package nn

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/runtime/checkpoint"
	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

// memory is a store of tensors made by a test.
type memory map[string]*torch.Tensor

func (m memory) Names() []string { return nil }
func (m memory) Close() error    { return nil }
func (m memory) Entry(name string) (checkpoint.Entry, bool) {
	t, ok := m[name]
	if !ok {
		return checkpoint.Entry{}, false
	}
	return checkpoint.Entry{Name: name, DType: t.DType(), Shape: t.Shape(), File: "memory"}, true
}

func (m memory) Tensor(name string, dtype torch.DType) (*torch.Tensor, error) {
	t, ok := m[name]
	if !ok {
		return nil, errors.New("no " + name)
	}
	return t.To(dtype), nil
}

func far(got, want *torch.Tensor) float64 {
	return got.Double().Sub(want.Double()).Abs().Max().Item() / max(1, want.Double().Abs().Max().Item())
}

// Every way to multiply agrees with the plain one, for shapes that kern takes and
// shapes that it does not, as stored and converted.
func TestLinearWays(t *testing.T) {
	torchtest.NeedThread(t)
	for _, size := range [][2]int{{96, 64}, {7, 33}, {512, 256}} {
		for _, dtype := range []torch.DType{torch.Float32, torch.BFloat16} {
			for _, kept := range []torch.DType{torch.Float32, torch.BFloat16, torch.Float16} {
				w := torch.Randn(3, size[0], size[1]).Mul(0.1).To(kept)
				bias := torch.Randn(4, size[0])
				b := &Builder{Store: memory{"l.weight": w, "l.bias": bias}, DType: dtype}
				for _, biased := range []bool{false, true} {
					l := b.Linear("l", size[1], size[0], biased)
					for _, rows := range []int{1, 2, 5, 150} {
						x := torch.Randn(uint64(rows), 2, rows, size[1]).To(dtype)
						want := x.Double().Matmul(w.To(dtype).Double().T())
						if biased {
							want = want.Add(bias.To(dtype).Double())
						}
						limit := 1e-5
						if dtype == torch.BFloat16 {
							limit = 0.008
						}
						y := l.Apply(x)
						if d := far(y, want); d > limit || y.DType() != dtype {
							t.Errorf("%v, %v stored as %v, %d rows: %v, off by %g", size, dtype, kept, rows, y.DType(), d)
						}
						if d := far(l.Apply(x.Transpose(0, 1)), want.Transpose(0, 1)); d > limit {
							t.Errorf("%v, %v, strided: off by %g", size, dtype, d)
						}
					}
				}
				if err := b.Err(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func TestLinearRecords(t *testing.T) {
	torchtest.NeedThread(t)
	b := &Builder{Store: memory{"l.weight": torch.Randn(3, 32, 64)}, DType: torch.Float32}
	l := b.Linear("l", 64, 32, false)
	defer torch.Recording(true)()
	x := torch.Randn(1, 5, 64).RequireGrad()
	g := torch.Gradients(l.Apply(x).Sum(), []*torch.Tensor{x}, false)[0]
	want := l.Weight.On(x).Sum(0).Expand(5, 64)
	if g == nil || far(g, want) > 1e-5 {
		t.Errorf("gradient %v, want %v", g, want)
	}
}

func TestGrouped(t *testing.T) {
	torchtest.NeedThread(t)
	for _, size := range [][2]int{{64, 32}, {30, 20}} {
		for _, dtype := range []torch.DType{torch.Float32, torch.BFloat16} {
			store := memory{}
			b := &Builder{Store: store, DType: dtype}
			var each []*Linear
			for i := range 4 {
				store[fmt.Sprintf("%d.weight", i)] = torch.Randn(uint64(i), size[0], size[1]).To(dtype)
				each = append(each, b.Linear(fmt.Sprint(i), size[1], size[0], false))
			}
			runs := []Run{{0, 0, 1}, {2, 1, 4}, {3, 4, 130}}
			x := torch.Randn(9, 130, size[1]).To(dtype)
			check := func(what string) {
				y := Grouped(x, runs, func(i int) *Linear { return each[i] })
				for _, r := range runs {
					want := x.Narrow(0, r.From, r.To-r.From).Double().Matmul(each[r.Which].Weight.On(x).Double().T())
					if d := far(y.Narrow(0, r.From, r.To-r.From), want); d > 0.008 || dtype == torch.Float32 && d > 1e-5 {
						t.Errorf("%v %v, %s: run %v is off by %g", size, dtype, what, r, d)
					}
				}
			}
			check("direct")
			restore := torch.Recording(true)
			check("recording")
			restore()
		}
	}
}

func TestRMSNormWays(t *testing.T) {
	torchtest.NeedThread(t)
	for _, width := range []int{5, 64, 130} {
		w := torch.Randn(1, width)
		b := &Builder{Store: memory{"n.weight": w}, DType: torch.Float32}
		n := b.RMSNorm("n", width, 1e-6)
		for _, rows := range []int{1, 3, 4000} {
			x := torch.Randn(2, rows, width)
			d := x.Double()
			want := d.Mul(d.Square().MeanKeep(-1).Add(1e-6).Rsqrt()).Mul(w.Double())
			if off := far(n.Apply(x), want); off > 1e-6 {
				t.Errorf("%d rows of %d: off by %g", rows, width, off)
			}
			if off := far(n.Apply(x.T().Contiguous().T()), want); off > 1e-6 {
				t.Errorf("%d rows of %d, strided: off by %g", rows, width, off)
			}
		}
	}
}

func frequency(size int) *Frequencies {
	return &Frequencies{Type: "default", Size: size, Theta: 10000}
}

// A rotation by the angle position · θ^(-2i/size), worked out here.
func TestRotation(t *testing.T) {
	torchtest.NeedThread(t)
	const size, seq = 6, 4
	r, err := NewRotary(frequency(size))
	if err != nil {
		t.Fatal(err)
	}
	x := torch.Randn(3, 1, seq, 2, size)
	in := x.Floats()
	for pairing, member := range map[Pairing]func(i, second int) (from, to int){
		Adjacent:      func(i, s int) (int, int) { return 2*i + s, 2*i + s },
		Deinterleaved: func(i, s int) (int, int) { return 2*i + s, i + s*size/2 },
		Halves:        func(i, s int) (int, int) { return i + s*size/2, i + s*size/2 },
	} {
		a := r.Angles(&Positions{Seq: seq, First: 300, Last: 300 + seq - 1}, torch.CPU, torch.Float32)
		out := torch.Cat(3, pairing.Turn(x, a)...).Floats()
		for row := range seq * 2 {
			for i := range size / 2 {
				angle := float64(300+row/2) * math.Pow(10000, -2*float64(i)/size)
				f0, t0 := member(i, 0)
				f1, t1 := member(i, 1)
				c := complex(float64(in[row*size+f0]), float64(in[row*size+f1])) * complex(math.Cos(angle), math.Sin(angle))
				if math.Abs(real(c)-float64(out[row*size+t0])) > 1e-4 || math.Abs(imag(c)-float64(out[row*size+t1])) > 1e-4 {
					t.Errorf("pairing %d, row %d, pair %d: %g %g, want %g", pairing, row, i, out[row*size+t0], out[row*size+t1], c)
				}
			}
		}
	}
}

// The factors of the published checkpoints.
func TestYaRN(t *testing.T) {
	for _, c := range []struct {
		all, scale float64
	}{{0.707, 1.59}, {1, 1.87}, {0, 1}} {
		f := Frequencies{Type: "yarn", Size: 64, Theta: 10000, Factor: 40, BetaFast: 32, BetaSlow: 1, MScale: c.all, MScaleAllDim: c.all, OriginalLength: 4096}
		if got := f.ScoreFactor(); math.Abs(got-c.scale) > 0.005 {
			t.Errorf("mscale_all_dim %g: the scores' factor is %g, want %g", c.all, got, c.scale)
		}
		inv, amplitude, err := f.inverse()
		if err != nil {
			t.Fatal(err)
		}
		if c.all != 0 && amplitude != 1 {
			t.Errorf("amplitude %g", amplitude)
		}
		if inv[0] != 1 || math.Abs(float64(inv[31])*40*math.Pow(10000, 62.0/64)-1) > 1e-6 {
			t.Errorf("the fastest pair keeps its frequency and the slowest is divided by the factor: %v", inv)
		}
	}
}

func TestPositionsOfPaddedRows(t *testing.T) {
	p := &Pass{Batch: 2, Seq: 3, Past: 2, Keys: 5}
	at := locate([]int64{1, 1, 1, 1, 1, 0, 0, 0, 1, 1}, p)
	if want := []int64{2, 3, 4, 0, 0, 1}; !slices.Equal(at.Rows, want) || at.Last != 4 {
		t.Errorf("%v up to %d, want %v up to 4", at.Rows, at.Last, want)
	}
}

func TestMaskHidesLaterKeysAndPadding(t *testing.T) {
	p := &Pass{Batch: 1, Seq: 2, Past: 1, Keys: 3, DType: torch.Float32}
	h := float32(-math.MaxFloat32)
	if got, want := visible(nil, p, []int64{0, 1, 1}), []float32{h, 0, h, h, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestCausalMask(t *testing.T) {
	torchtest.NeedThread(t)
	h := float32(-math.MaxFloat32)
	p := &Pass{Batch: 1, Seq: 2, Past: 1, Keys: 3, DType: torch.Float32}
	var m Masks
	if got, want := m.of(p).Floats(), []float32{0, 0, h, 0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	first := m.of(p)
	if again := m.of(p); first != again {
		t.Error("a small mask is made twice")
	}
	large := &Pass{Batch: 1, Seq: 1100, Keys: 1100, DType: torch.Float32}
	mask := m.of(large)
	if seen := mask.Eq(0).Long().Sum(3).Ints(); seen[0] != 1 || seen[1099] != 1100 || len(m.causal) != 1 {
		t.Errorf("the large mask shows %d and %d keys, and %d masks are kept", seen[0], seen[1099], len(m.causal))
	}
}

func TestHiddenIsTheLeastOfItsType(t *testing.T) {
	torchtest.NeedThread(t)
	for _, d := range []torch.DType{torch.Float16, torch.BFloat16, torch.Float32, torch.Float64} {
		x := torch.Full(Hidden(d), d, torch.CPU)
		if x.Item() != Hidden(d) || !x.Mul(1.01).IsInf().Any().Bools()[0] {
			t.Errorf("%v: %g", d, Hidden(d))
		}
	}
}

func TestCacheGrowsAndForgets(t *testing.T) {
	torchtest.NeedThread(t)
	c := NewCache()
	var all []float32
	for step := range 100 {
		rows := torch.FromFloats([]float32{float32(step), float32(-step)}, 1, 1, 2)
		all = append(all, rows.Floats()...)
		got := c.Extend(0, 0, rows)
		c.see(nil, 1, 1)
		c.Advance(1)
		if !slices.Equal(got.Contiguous().Floats(), all) {
			t.Fatalf("step %d: %v", step, got)
		}
	}
	c.Truncate(3)
	if got := c.Extend(0, 0, torch.FromFloats([]float32{8, 9}, 1, 1, 2)); !slices.Equal(got.Contiguous().Floats(), append(all[:6:6], 8, 9)) {
		t.Errorf("after Truncate: %v", got)
	}
}

// What a cached call computes from its own rows can be differentiated.
func TestCacheKeepsGradients(t *testing.T) {
	torchtest.NeedThread(t)
	defer torch.Recording(true)()
	c := NewCache()
	first := torch.Randn(1, 1, 2, 3).RequireGrad()
	out := c.Extend(0, 0, first)
	c.Advance(2)
	second := torch.Randn(2, 1, 1, 3).RequireGrad()
	later := c.Extend(0, 0, second)
	g := torch.Gradients(out.Sum().Add(later.Sum()), []*torch.Tensor{first, second}, false)
	if g[0] == nil || g[1] == nil || g[0].Sum().Item() != 6 || g[1].Sum().Item() != 3 {
		t.Errorf("%v", g)
	}
}

func TestBuilderNamesWhatIsWrong(t *testing.T) {
	torchtest.NeedThread(t)
	b := &Builder{Store: memory{"a.weight": torch.Randn(1, 2, 3)}, DType: torch.Float32}
	b.Linear("a", 3, 5, false)
	b.Linear("b", 3, 5, true)
	for _, part := range []string{"a.weight", "[2 3]", "[5 3]", "b.weight is missing", "b.bias is missing"} {
		if err := b.Err(); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %q", err, part)
		}
	}
}

func TestInputsThatCannotBe(t *testing.T) {
	torchtest.NeedThread(t)
	ids := torch.FromInts([]int64{1, 2, 3}, 1, 3)
	full := NewCache()
	full.see(nil, 2, 4)
	full.Advance(4)
	for _, c := range []struct {
		ids, mask *torch.Tensor
		cache     *Cache
		says      string
	}{
		{ids.Reshape(3), nil, nil, "[batch seq]"},
		{ids.Float(), nil, nil, "float32"},
		{torch.FromInts(nil, 1, 0), nil, nil, "at least one"},
		{ids, torch.FromInts([]int64{1, 1}, 1, 2), nil, "[1 2] beside input_ids [1 3]"},
		{ids, nil, full, "2 rows"},
	} {
		func() {
			defer func() {
				if e, ok := recover().(*InputError); !ok || !strings.Contains(e.Error(), c.says) {
					t.Errorf("%v does not say %q", e, c.says)
				}
			}()
			Begin(c.ids, c.mask, c.cache, torch.Float32, nil, nil)
		}()
	}
}
