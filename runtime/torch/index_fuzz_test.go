package torch

import (
	"slices"
	"testing"
)

// grid is an array in plain Go, to index in the slowest way.
type grid struct {
	shape []int
	cells []float64
}

// along takes the given indices of axis d.
func (g grid) along(d int, pick []int) grid {
	inner := 1
	for _, s := range g.shape[d+1:] {
		inner *= s
	}
	r := grid{shape: slices.Clone(g.shape)}
	r.shape[d] = len(pick)
	step := g.shape[d] * inner
	for from := 0; from < len(g.cells); from += step {
		for _, i := range pick {
			r.cells = append(r.cells, g.cells[from+i*inner:from+(i+1)*inner]...)
		}
	}
	return r
}

// Any list of indices gives what plain Go gives, or an *Error where Go's slices
// would panic.
func FuzzIndex(f *testing.F) {
	f.Add([]byte{0, 1, 1, 0, 2, 3})
	f.Add([]byte{2, 0, 3, 0xfe, 4, 1})
	f.Add([]byte{0, 7, 1, 200})
	f.Fuzz(func(t *testing.T, code []byte) {
		need(t)
		x := Arange(60).Float().Reshape(3, 4, 5)
		want := grid{shape: []int{3, 4, 5}, cells: x.Float64s()}
		var idx []any
		d, axis, bad, tensors := 0, 0, false, 0
		for len(code) >= 2 {
			kind, v := code[0]%5, int(int8(code[1]))%8
			code = code[2:]
			if kind != 3 && axis == 3 {
				idx, bad = append(idx, 0), true
				break
			}
			size := 0
			if kind != 3 {
				size = want.shape[d]
			}
			switch kind {
			case 0:
				idx = append(idx, v)
				if v < -size || v >= size {
					bad = true
				} else {
					want = want.along(d, []int{(v + size) % size})
					want.shape = slices.Delete(want.shape, d, d+1)
				}
				axis++
			case 1:
				idx = append(idx, All)
				d, axis = d+1, axis+1
			case 2:
				idx = append(idx, Range(v, End))
				var pick []int
				for i := max(0, v+size*int(truth(v < 0))); i < size; i++ {
					pick = append(pick, i)
				}
				want = want.along(d, pick)
				d, axis = d+1, axis+1
			case 3:
				idx = append(idx, None)
				want.shape = slices.Insert(want.shape, d, 1)
				d++
			case 4:
				if tensors++; tensors > 1 {
					return // several are zipped, which this reference doesn't do
				}
				idx = append(idx, []any{ints(int64(v), 0), []int{v, 0}, []int64{int64(v), 0}}[len(code)%3])
				if v < -size || v >= size || size == 0 {
					bad = true
				} else {
					want = want.along(d, []int{(v + size) % size, 0})
				}
				d, axis = d+1, axis+1
			}
			if bad {
				break
			}
		}
		if bad {
			panics(t, "Index", func() { x.Index(idx...) }, "Index")
			return
		}
		is(t, "Index", x.Index(idx...), want.cells, want.shape...)
	})
}
