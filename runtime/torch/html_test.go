package torch

import (
	"math"
	"strings"
	"testing"
)

func TestMIMEBundle(t *testing.T) {
	need(t)
	x := FromFloats([]float32{1, -2, float32(math.NaN()), -3.4e38}, 2, 2).WithOrigin(&Origin{Path: "layers.0.<x>", Axes: []string{"query", "key"},
		Labels: [][]string{{" a", "<b>"}, nil}})
	b := x.MIMEBundle()
	if b["text/plain"] != x.String() {
		t.Error("text/plain is not the text")
	}
	page := b["text/html"].(string)
	for _, s := range []string{"layers.0.&lt;x&gt; [query 2, key 2] float32", "min -2, max 1, mean -0.5, std 1.5; 1 masked; 1 not finite", "[1, 0] &lt;b&gt; NaN", "rgb(255,127,127)", "#bbb"} {
		if !strings.Contains(page, s) {
			t.Errorf("the page has no %q: %s", s, page)
		}
	}
	for _, shape := range [][]int{{}, {0}, {3}, {2, 100, 100}, {1, 2, 3, 4, 5}} {
		page := Rand(1, shape...).MIMEBundle()["text/html"].(string)
		if strings.Count(page, "<td") > heatRows*heatColumns {
			t.Errorf("a tensor of shape %v fills %d cells", shape, strings.Count(page, "<td"))
		}
	}
	if _, there := Empty(Float32, Meta, 2).MIMEBundle()["text/html"]; there {
		t.Error("a scan's tensor shows numbers")
	}
}
