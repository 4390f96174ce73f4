package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

func TestMultiply(t *testing.T) {
	if !Supported {
		t.Skip("this processor lacks AVX2 or FMA")
	}
	for _, set := range instructionSets() {
		for _, half := range []bool{false, true} {
			for _, threads := range []int{1, 3} {
				for _, rows := range []int{1, 2, 3, 4, 5, 9, 10, 11, 16, 20, 24, 31, 32, 33, 47, 70} {
					t.Run(fmt.Sprint(set, "/bf16=", half, "/", threads, " threads/", rows, " rows"), func(t *testing.T) {
						defer use(set)()
						check(t, rows, 12, 96, half, threads)
						check(t, rows, 500, 288, half, threads)
					})
				}
			}
		}
	}
}

func check(t *testing.T, rows, out, in int, half bool, threads int) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(rows), uint64(out)))
	x, y := make([]float32, rows*in), make([]float32, rows*out+1)
	w, b := make([]float32, out*in), make([]uint16, out*in)
	for i := range x {
		x[i] = r.Float32() - 0.5
	}
	for i := range w {
		b[i] = uint16(math.Float32bits(r.Float32()-0.5) >> 16)
		w[i] = math.Float32frombits(uint32(b[i]) << 16)
	}
	weight := Weight{Data: unsafe.Pointer(&w[0]), Out: out, In: in}
	if half {
		weight.Data, weight.BFloat16 = unsafe.Pointer(&b[0]), true
	}
	if !weight.Fits() {
		t.Fatalf("[%d %d] does not fit", out, in)
	}
	y[rows*out] = 7
	Multiply(unsafe.Pointer(&y[0]), unsafe.Pointer(&x[0]), &weight, rows, threads)
	for i := range rows {
		for j := range out {
			sum := 0.0
			for l := range in {
				sum += float64(x[i*in+l]) * float64(w[j*in+l])
			}
			if math.Abs(sum-float64(y[i*out+j])) > 1e-5 {
				t.Fatalf("[%d %d]: %g, want %g", i, j, y[i*out+j], sum)
			}
		}
	}
	if y[rows*out] != 7 {
		t.Fatal("wrote past the end")
	}
}

func TestNorm(t *testing.T) {
	if !Supported {
		t.Skip("this processor lacks AVX2 or FMA")
	}
	const width, eps = 160, 1e-6
	r := rand.New(rand.NewPCG(1, 2))
	x, w, y := make([]float32, width), make([]float32, width), make([]float32, width+1)
	sum := 0.0
	for i := range x {
		x[i], w[i] = r.Float32()-0.5, r.Float32()
		sum += float64(x[i]) * float64(x[i])
	}
	for _, set := range instructionSets() {
		t.Run(set, func(t *testing.T) {
			defer use(set)()
			y[width] = 7
			Norm(y[:width], x, w, eps)
			for i := range x {
				want := float64(w[i]) * float64(x[i]) / math.Sqrt(sum/width+eps)
				if math.Abs(want-float64(y[i])) > 1e-6 {
					t.Fatalf("%d: %g, want %g", i, y[i], want)
				}
			}
			if y[width] != 7 {
				t.Fatal("wrote past the end")
			}
		})
	}
}

func TestFits(t *testing.T) {
	if !Supported {
		t.Skip("this processor lacks AVX2 or FMA")
	}
	for _, c := range []struct {
		out, in int
		want    bool
	}{{4, 32, true}, {8, 96, true}, {6, 32, false}, {4, 48, false}} {
		if got := (&Weight{Out: c.out, In: c.in}).Fits(); got != c.want {
			t.Errorf("[%d %d]: %v", c.out, c.in, got)
		}
	}
}

// Combine rounds as a loop over the rows would.
func TestCombine(t *testing.T) {
	if !Supported {
		t.Skip("this processor lacks AVX2 or FMA")
	}
	const width = 96
	r := rand.New(rand.NewPCG(3, 5))
	draw := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = r.Float32() - 0.5
		}
		return x
	}
	for _, set := range instructionSets() {
		for count := 1; count < 7; count++ {
			t.Run(fmt.Sprint(set, "/", count), func(t *testing.T) {
				defer use(set)()
				weights, got, want := draw(count), make([]float32, width+1), make([]float32, width)
				got[width] = 7
				var rows []unsafe.Pointer
				for i := range count {
					row := draw(width)
					rows = append(rows, unsafe.Pointer(&row[0]))
					for j, v := range row {
						product := float32(weights[i] * v)
						want[j] += product
					}
				}
				Combine(unsafe.Pointer(&got[0]), rows, weights, width)
				for j := range want {
					if got[j] != want[j] {
						t.Fatalf("%d: %g, want %g", j, got[j], want[j])
					}
				}
				if got[width] != 7 {
					t.Fatal("wrote past the end")
				}
			})
		}
	}
}
