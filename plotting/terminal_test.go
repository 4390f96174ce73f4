package plotting

import (
	"regexp"
	"strings"
	"testing"
)

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestTextWithoutColour(t *testing.T) {
	v := withTokens(peaked(1, 2, 9))
	got := pattern(v, nil).Text(60, false)
	const want = `          layers.1 head 0     layers.1 head 1   
<|begin|> @@                  @@                
     When ::**                **::              
`
	if !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, s := range []string{"\n     模型 ", " < W ␣ ␣ ␣ ␣ 模␣ 한", "attention_probabilities  0 "} {
		if !strings.Contains(got, s) {
			t.Errorf("no %q in\n%s", s, got)
		}
	}
}

// No line is wider than the terminal, whatever is drawn, and colours end with the line.
func TestTextFits(t *testing.T) {
	long := peaked(1, 1, 300)
	for name, f := range map[string]*Figure{
		"heads": pattern(withTokens(peaked(1, 8, 9)), nil),
		"long":  pattern(long, nil),
		"lens":  lens(&values{shape: []int{2, 3}, at: make([]float64, 6)}, [][]string{{" a", " longer word here", "模型"}, {"b", "c", "d"}}, nil),
		"line":  lineFigure(&values{shape: []int{5}, at: []float64{1, 2, 3, 4, 5}}, nil),
	} {
		for _, columns := range []int{40, 80, 200} {
			for _, line := range strings.Split(f.Text(columns, true), "\n") {
				if n := columnsOf(escapes.ReplaceAllString(line, "")); n > columns {
					t.Errorf("%s at %d columns: a line of %d: %q", name, columns, n, line)
				}
				if i := strings.LastIndex(line, "\x1b["); i >= 0 && !strings.HasPrefix(line[i:], "\x1b[0m") {
					t.Errorf("%s: a line leaves its colour on: %q", name, line)
				}
			}
		}
	}
}

func TestTextOfLensShowsWords(t *testing.T) {
	got := lens(&values{shape: []int{2, 2}, at: []float64{0, .1, .2, 1}}, [][]string{{" the", " Mary"}, {" a", " b"}}, []Option{Labels("x", "y")}).Text(80, false)
	if want := "1 ␣a    ␣b    \n0 ␣the  ␣Mary \n  x     y     \n"; !strings.HasPrefix(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}
