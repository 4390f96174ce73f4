package interp

import (
	"fmt"
	"html"
	"reflect"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/gonterp/gonterp/interp/engine"
)

// How many rows and columns of a matrix are shown at each end, in text, and how
// many a table may have.
const (
	matrixEdge      = 8
	matrixTableSize = 2 * matrixEdge
)

// matrixOf is the gonum matrix that a value is, nil where it is none.
func matrixOf(v engine.Value) mat.Matrix {
	m, ok := v.V.(mat.Matrix)
	if r := reflect.ValueOf(v.V); !ok || r.Kind() == reflect.Pointer && r.IsNil() {
		return nil
	}
	return m
}

// matrixText is a line with the matrix's type and shape, then its elements.
func matrixText(m mat.Matrix) string {
	rows, columns := m.Dims()
	head := fmt.Sprintf("%T %d×%d", m, rows, columns)
	if rows == 0 || columns == 0 {
		return head
	}
	body := fmt.Sprintf("%.6g", mat.Formatted(m, mat.Squeeze(), mat.Excerpt(matrixEdge)))
	if first, rest, _ := strings.Cut(body, "\n"); strings.HasPrefix(first, "Dims(") { // the head has said so
		body = rest
	}
	return head + "\n" + strings.TrimRight(body, "\n")
}

// matrixTable is a small matrix as an HTML table.
func matrixTable(m mat.Matrix) (table string, ok bool) {
	rows, columns := m.Dims()
	if rows == 0 || columns == 0 || rows > matrixTableSize || columns > matrixTableSize {
		return "", false
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<table><caption>%s %d×%d</caption>", html.EscapeString(fmt.Sprintf("%T", m)), rows, columns)
	for i := range rows {
		b.WriteString("<tr>")
		for j := range columns {
			fmt.Fprintf(&b, "<td>%.6g</td>", m.At(i, j))
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</table>")
	return b.String(), true
}
