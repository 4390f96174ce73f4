package kern

import (
	"math"
	"unsafe"
)

// rowSet is what one instruction set does with rows whose length Whole allows.
type rowSet struct {
	combine func(out, rows, weights unsafe.Pointer, count, size int)
	squares func(out, x unsafe.Pointer, size int)
	scale   func(out, x, w, by unsafe.Pointer, size int)
}

// Whole says whether Combine and Norm take rows of that length.
func Whole(width int) bool { return Supported && width%lanes == 0 && width > 0 }

// Combine is out = Σ_i weights_i · rows_i for rows of width float32 numbers. The
// products are rounded before they are added, in the order of the rows.
func Combine(out unsafe.Pointer, rows []unsafe.Pointer, weights []float32, width int) {
	panelSet().combine(out, unsafe.Pointer(&rows[0]), unsafe.Pointer(&weights[0]), len(rows), width*4)
}

// Norm is out = w · x / √(mean(x²) + eps) for one row.
func Norm(out, x, w []float32, eps float64) {
	set := panelSet()
	var sum float32
	set.squares(unsafe.Pointer(&sum), unsafe.Pointer(&x[0]), len(x)*4)
	by := float32(1 / math.Sqrt(float64(sum)/float64(len(x))+eps))
	set.scale(unsafe.Pointer(&out[0]), unsafe.Pointer(&x[0]), unsafe.Pointer(&w[0]), unsafe.Pointer(&by), len(x)*4)
}
