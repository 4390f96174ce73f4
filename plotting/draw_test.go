package plotting

import (
	"math"
	"testing"
)

func TestX(t *testing.T) {
	toks := []string{"<bos>", "When", " Mary", " and", " John", " went", " to", " the", " store", ",", " John", " gave", " é", "模型", " a\n", "한국", "🙂"}
	n := len(toks)
	v := &values{shape: []int{1, 4, n, n}, path: "layers.1.self_attn.attention_probabilities", axes: []string{"batch", "num_heads", "query", "key"}, labels: [][]string{nil, nil, toks, toks}}
	for h := 0; h < 4; h++ {
		for q := 0; q < n; q++ {
			s := 0.0
			row := make([]float64, n)
			for k := 0; k <= q; k++ {
				row[k] = math.Exp(-math.Abs(float64(q-k)-float64(h*2)) * (0.3 + float64(h)/3))
				s += row[k]
			}
			for k := range row {
				v.at = append(v.at, row[k]/s)
			}
		}
	}
	f := pattern(v, nil)
	for _, e := range []string{"png", "svg", "pdf"} {
		if err := f.Save("/tmp/plotw/a." + e); err != nil {
			t.Fatal(err)
		}
	}
	f = pattern(v, []Option{Heads(2), Title("A name mover")})
	f.Save("/tmp/plotw/b.png")
	t.Log(f)
}
