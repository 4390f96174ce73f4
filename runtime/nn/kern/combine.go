package kern

import "unsafe"

// Combines says whether Combine takes rows of that length.
func Combines(width int) bool { return Supported && width%lanes == 0 && width > 0 }

// Combine is out = Σ_i weights_i · rows_i for rows of width float32 numbers. The
// products are rounded before they are added, in the order of the rows.
func Combine(out unsafe.Pointer, rows []unsafe.Pointer, weights []float32, width int) {
	panelSet().combine(out, unsafe.Pointer(&rows[0]), unsafe.Pointer(&weights[0]), len(rows), width*4)
}
