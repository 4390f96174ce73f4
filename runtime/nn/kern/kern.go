// Package kern multiplies rows by a weight that is read as it is stored, float32 or
// bfloat16, in AVX2 or AVX-512 registers. Up to some hundred rows this beats a
// general matrix product, which first rearranges the weight, and a bfloat16 weight
// needs no copy in float32. Beside it stand the few other loops over rows that a
// forward spends its time in.
//
// It imports nothing of the project. Where the processor lacks the instructions
// Supported says so, and callers use libtorch.
package kern

//go:generate go run ./gen

import (
	"sync"
	"unsafe"
)

// A Weight is a matrix [Out In] in row-major order.
type Weight struct {
	Data     unsafe.Pointer
	Out, In  int
	BFloat16 bool // else float32
}

// Fits says whether the tiles cover the shape.
func (w *Weight) Fits() bool { return Supported && w.In%lanes == 0 && w.Out%tileRows == 0 }

// Tiles take four weight rows, and the longest step of one is 32 elements.
const (
	lanes    = 32
	tileRows = 4
)

// WorthSharing is from how many multiplications on a product is shared.
const WorthSharing = 1 << 19

// Multiply is out = x·wᵀ for x [rows In] and out [rows Out], both float32 and in
// row-major order. The work is shared among that many goroutines.
func Multiply(out, x unsafe.Pointer, w *Weight, rows, threads int) {
	p := panelSet()
	if p.few(rows, w.In) {
		share(w, rows, threads, func(from, to int) { stretch(out, x, w, rows, from, to) })
		return
	}
	p.multiply(out, x, w, rows, threads)
}

// share calls part for all columns, or for some of them on every goroutine.
func share(w *Weight, rows, threads int, part func(from, to int)) {
	if threads <= 1 || rows*w.In*w.Out < WorthSharing {
		part(0, w.Out)
		return
	}
	step := (w.Out/threads + tileRows - 1) / tileRows * tileRows
	var others sync.WaitGroup
	for from := step; from < w.Out; from += step {
		others.Go(func() { part(from, min(from+step, w.Out)) })
	}
	part(0, min(step, w.Out))
	others.Wait()
}

// stretch computes the columns from to to of out, over blocks of input rows that
// stay in the second-level cache.
func stretch(out, x unsafe.Pointer, w *Weight, rows, from, to int) {
	const cache = 256 << 10
	f := tiles(w.BFloat16)
	size := 4
	if w.BFloat16 {
		size = 2
	}
	ldo, ldx, ldw := w.Out*4, w.In*4, w.In*size
	block := max(f.most, cache/ldx/f.most*f.most)
	for first := 0; first < rows; first += block {
		last := min(rows, first+block)
		for j := from; j < to; j += tileRows {
			wj := unsafe.Add(w.Data, j*ldw)
			for i := first; i < last; {
				tile, c := f.one, 1
				switch {
				case i+f.most <= last:
					tile, c = f.many, f.most
				case i+2 <= last:
					tile, c = f.two, 2
				}
				tile(unsafe.Add(out, i*ldo+j*4), ldo, unsafe.Add(x, i*ldx), ldx, wj, ldw, w.In)
				i += c
			}
		}
	}
}

// family is the tiles of one instruction set and weight type: for one, two, and
// most input rows.
type family struct {
	one, two, many tile
	most           int
}

type tile func(out unsafe.Pointer, ldo int, x unsafe.Pointer, ldx int, w unsafe.Pointer, ldw, k int)
