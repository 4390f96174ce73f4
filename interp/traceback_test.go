package interp

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/interp/engine"
)

func TestShorten(t *testing.T) {
	stack := func(names string) (out []engine.Frame) {
		for _, n := range names {
			out = append(out, engine.Frame{Func: string(n)})
		}
		return out
	}
	for names, want := range map[string]string{
		"":                     "",
		"abc":                  "a b c",
		"aaab":                 "a+2 b",
		"abbba":                "a b+2 a",
		"abcdefghij":           "a b c d e f g h i j",
		"abcdefghijk":          "a b c d e f+1 h i j k",
		"ababababababababab":   "a b a b a b+8 a b a b",
		"aaaaaaaaaaaaaaaaaaab": "a+18 b",
	} {
		var got []string
		for _, f := range shorten(stack(names)) {
			text := f.Func
			if f.More > 0 {
				text += fmt.Sprintf("+%d", f.More)
			}
			got = append(got, text)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s is shortened to %q, want %q", names, s, want)
		}
	}
}

// A deep recursion's traceback ends, and still says which line of the cell began it.
func TestDeepRecursion(t *testing.T) {
	if os.Getenv("GONTERP_ENGINE") != "machine" {
		t.Skip("yaegi loses the calls of a stack")
	}
	s := newTestSession(t, Options{})
	show(s, "func down(n int) int {\n\tif n == 0 {\n\t\tpanic(\"bottom\")\n\t}\n\treturn down(n-1) + 1\n}",
		"func ping(n int) int {\n\tif n == 0 {\n\t\tpanic(\"bottom\")\n\t}\n\treturn pong(n-1) + 1\n}\nfunc pong(n int) int { return ping(n) + 1 }")
	for code, want := range map[string][]string{
		"x := 1\ndown(1000 * x)": {"in down", "… 999 more", "line 2\n    down(1000 * x)"},
		"x := 2\nping(500 * x)":  {"in ping", "in pong", " more", "line 2\n    ping(500 * x)"},
	} {
		o := s.Execute(Cell{Code: code}, &recorder{})
		if o.Err == nil || o.Err.Line != 2 || len(o.Err.Traceback) > 24 {
			t.Errorf("%s: %+v", code, o.Err)
			continue
		}
		text := strings.Join(o.Err.Traceback, "\n")
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q in\n%s", code, w, text)
			}
		}
	}
}
