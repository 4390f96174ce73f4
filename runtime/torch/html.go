package torch

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// MIMEBundle is the tensor for a notebook: the text that String gives, and a table
// with its facts, its statistics and a heat map of its last two axes.
func (t *Tensor) MIMEBundle() map[string]any {
	bundle := map[string]any{"text/plain": t.String()}
	if t.device.IsMeta() || t.dtype.IsComplex() {
		return bundle
	}
	var b strings.Builder
	b.WriteString(`<div style="font-family:monospace">`)
	fmt.Fprintf(&b, "<b>%s</b><br>", html.EscapeString(t.heading()))
	if n := t.Numel(); n > 0 {
		fmt.Fprintf(&b, "%s<br>", html.EscapeString(t.statistics()))
		t.heat(&b)
	}
	b.WriteString("</div>")
	bundle["text/html"] = b.String()
	return bundle
}

// heading is what the tensor is: where it came from, its axes, dtype and device.
func (t *Tensor) heading() string {
	axes := make([]string, len(t.shape))
	for d, n := range t.shape {
		axes[d] = fmt.Sprint(n)
		if o := t.origin; o != nil && d < len(o.Axes) && o.Axes[d] != "" {
			axes[d] = fmt.Sprintf("%s %d", o.Axes[d], n)
		}
	}
	text := fmt.Sprintf("[%s] %v", strings.Join(axes, ", "), t.dtype)
	if !t.device.IsCPU() {
		text += fmt.Sprintf(" on %v", t.device)
	}
	if t.origin != nil && t.origin.Path != "" {
		text = t.origin.Path + " " + text
	}
	return text
}

// statistics are over the finite elements; masked scores, at the dtype's minimum,
// are counted apart.
func (t *Tensor) statistics() string {
	const masked = -1e30
	if t.Numel() > largest {
		x := t.Detach().Float()
		return fmt.Sprintf("min %.4g, max %.4g, mean %.4g", x.Min().Item(), x.Max().Item(), x.Mean().Item())
	}
	var n, hidden, odd int
	var sum, squares float64
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range t.Detach().Float64s() {
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			odd++
		case v < masked:
			hidden++
		default:
			n++
			sum, squares = sum+v, squares+v*v
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	var parts []string
	if n > 0 {
		mean := sum / float64(n)
		parts = append(parts, fmt.Sprintf("min %.4g, max %.4g, mean %.4g, std %.4g", lo, hi, mean, math.Sqrt(max(squares/float64(n)-mean*mean, 0))))
	}
	if hidden > 0 {
		parts = append(parts, fmt.Sprintf("%d masked", hidden))
	}
	if odd > 0 {
		parts = append(parts, fmt.Sprintf("%d not finite", odd))
	}
	return strings.Join(parts, "; ")
}

// largest is how many elements are copied to count what is masked or not finite.
const largest = 1 << 22

// heatRows and heatColumns bound the heat map.
const heatRows, heatColumns = 16, 32

// heat draws the last two axes, at index 0 of the others, as coloured cells that
// say their value under the pointer.
func (t *Tensor) heat(b *strings.Builder) {
	flat := t.Detach()
	for flat.Dim() > 2 {
		flat = flat.Select(0, 0)
	}
	if flat.Dim() == 0 {
		return
	}
	if flat.Dim() == 1 {
		flat = flat.Unsqueeze(0)
	}
	rows, columns := min(flat.Size(0), heatRows), min(flat.Size(1), heatColumns)
	values := flat.Narrow(0, 0, rows).Narrow(1, 0, columns).Float64s()
	scale := 0.0
	for _, v := range values {
		if !math.IsNaN(v) && math.Abs(v) < 1e30 {
			scale = max(scale, math.Abs(v))
		}
	}
	label := func(d, i int) string {
		d += len(t.shape) - min(len(t.shape), 2)
		if len(t.shape) == 1 {
			d = 0
		}
		if o := t.origin; o != nil && d < len(o.Labels) && i < len(o.Labels[d]) {
			return o.Labels[d][i] + " "
		}
		return ""
	}
	b.WriteString(`<table style="border-collapse:collapse;border:none">`)
	for r := range rows {
		b.WriteString("<tr>")
		for c := range columns {
			v := values[r*columns+c]
			fmt.Fprintf(b, `<td title="%s" style="padding:0;width:12px;height:12px;background:%s"></td>`,
				html.EscapeString(fmt.Sprintf("[%d, %d] %s%s%.6g", r, c, label(0, r), label(1, c), v)), colour(v, scale))
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</table>")
	if rows < flat.Size(0) || columns < flat.Size(1) {
		fmt.Fprintf(b, "the first %d × %d of %d × %d", rows, columns, flat.Size(0), flat.Size(1))
	}
}

// colour is blue for negative, white for zero, red for positive numbers, and grey
// for what is masked or not a number.
func colour(v, scale float64) string {
	if math.IsNaN(v) || math.Abs(v) > 1e30 {
		return "#bbb"
	}
	if scale == 0 {
		return "#fff"
	}
	fade := int(255 * (1 - min(math.Abs(v)/scale, 1)))
	if v < 0 {
		return fmt.Sprintf("rgb(%d,%d,255)", fade, fade)
	}
	return fmt.Sprintf("rgb(255,%d,%d)", fade, fade)
}
