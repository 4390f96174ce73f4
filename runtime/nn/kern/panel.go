package kern

import (
	"sync"
	"unsafe"
)

// Two ways to multiply. A tile for few rows runs along k with neighbours of a row in
// its lanes, and at the end adds up each sum across them. A panel has input rows in
// its lanes: x is turned once, the weights are read as they are stored, each element
// is spread over the lanes, and no sum crosses them. So a panel costs the
// multiplications and little else, however short the rows of the weight are, but
// it costs them for all of its rows, be they there or not.

// panels are the tiles of one instruction set that have input rows in their lanes.
type panels struct {
	lanes, vectors    int     // input rows of a vector, vectors of a panel
	tiles             []panel // for four weight rows and up, in steps of four
	sumTile, sumPanel int     // see few
	pack              func(out unsafe.Pointer, ldo int, x unsafe.Pointer, ldx, k int)
	widen             func(out, x unsafe.Pointer, n int)
	rowSet
}

type panel func(out unsafe.Pointer, ldo int, x, w unsafe.Pointer, ldw, k int)

// size is the rows of a panel.
func (p *panels) size() int { return p.lanes * p.vectors }

// few says whether so many rows, less than a panel's, are faster by tiles. Beside its
// k multiplications a sum costs, by measurement, what sumTile of them would in a tile
// and sumPanel in a panel.
func (p *panels) few(rows, k int) bool { return rows*(k+p.sumTile) < p.size()*(k+p.sumPanel) }

// second is how much of x is packed at a time: a good part of a second-level cache.
const second = 768 << 10

// multiply is Multiply by panels, with the rows that are left over by tiles where
// that is faster.
func (p *panels) multiply(out, x unsafe.Pointer, w *Weight, rows, threads int) {
	step := max(p.size(), second/(w.In*4)/p.size()*p.size())
	for first := 0; first < rows; first += step {
		n := min(step, rows-first)
		whole := n
		if left := n % p.size(); p.few(left, w.In) {
			whole -= left
		}
		out, x := unsafe.Add(out, first*w.Out*4), unsafe.Add(x, first*w.In*4)
		packed := buffers.Get().(*buffer)
		p.packAll(packed, x, whole, w.In)
		share(w, n, threads, func(from, to int) {
			p.stretch(out, packed, w, whole, from, to)
			if whole < n {
				stretch(unsafe.Add(out, whole*w.Out*4), unsafe.Add(x, whole*w.In*4), w, n-whole, from, to)
			}
		})
		buffers.Put(packed)
	}
}

// packAll packs rows of x, panel by panel.
func (p *panels) packAll(b *buffer, x unsafe.Pointer, rows, k int) {
	count := (rows + p.size() - 1) / p.size()
	b.need(count * p.size() * k)
	for i := range count * p.vectors {
		to := b.at(i/p.vectors*p.size()*k + i%p.vectors*p.lanes)
		from, left := x, rows-i*p.lanes
		if left > 0 {
			from = unsafe.Add(x, i*p.lanes*k*4)
		}
		if left < p.lanes { // zeros past the last row
			from = b.padded(from, max(left, 0)*k, p.lanes*k)
		}
		p.pack(to, p.size()*4, from, k*4, k)
	}
}

// stretch computes the columns from to to of out for packed rows.
func (p *panels) stretch(out unsafe.Pointer, packed *buffer, w *Weight, rows, from, to int) {
	var spill [12 * 32]float32 // what a panel computes that has more rows than there are
	wide := buffers.Get().(*buffer)
	defer buffers.Put(wide)
	for columns := 0; from < to; from += columns {
		tile := min(len(p.tiles), (to-from)/tileRows)
		columns = tile * tileRows
		weights := p.weights(w, from, columns, wide)
		for i := 0; i < rows; i += p.size() {
			at := unsafe.Add(out, (i*w.Out+from)*4)
			if rows-i >= p.size() {
				p.tiles[tile-1](at, w.Out*4, packed.at(i*w.In), weights, w.In*4, w.In)
				continue
			}
			p.tiles[tile-1](unsafe.Pointer(&spill), columns*4, packed.at(i*w.In), weights, w.In*4, w.In)
			for r := range rows - i {
				copy(unsafe.Slice((*float32)(unsafe.Add(at, r*w.Out*4)), columns), spill[r*columns:])
			}
		}
	}
}

// weights are rows of w in float32, put into a buffer where they are stored otherwise.
func (p *panels) weights(w *Weight, from, rows int, wide *buffer) unsafe.Pointer {
	if !w.BFloat16 {
		return unsafe.Add(w.Data, from*w.In*4)
	}
	wide.need(rows * w.In)
	p.widen(wide.at(0), unsafe.Add(w.Data, from*w.In*2), rows*w.In)
	return wide.at(0)
}

// A buffer is memory that products use in turn.
type buffer struct{ main, last []float32 }

var buffers = sync.Pool{New: func() any { return &buffer{} }}

// need makes room for n numbers.
func (b *buffer) need(n int) {
	if len(b.main) < n {
		b.main = make([]float32, max(n, 1<<14)) // large ones begin with a page
	}
}

func (b *buffer) at(i int) unsafe.Pointer { return unsafe.Pointer(&b.main[i]) }

// padded is n numbers at x, with zeros up to size.
func (b *buffer) padded(x unsafe.Pointer, n, size int) unsafe.Pointer {
	if len(b.last) < size {
		b.last = make([]float32, size)
	}
	copy(b.last, unsafe.Slice((*float32)(x), n))
	clear(b.last[n:size])
	return unsafe.Pointer(&b.last[0])
}
