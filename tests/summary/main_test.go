package main

import (
	"strings"
	"testing"
)

func TestSummarise(t *testing.T) {
	for name, c := range map[string]struct {
		events string
		want   tally
		says   []string
	}{
		"passes, and subtests instead of their parent": {
			`{"Action":"run","Package":"p","Test":"A"}
{"Action":"run","Package":"p","Test":"A/x"}
{"Action":"pass","Package":"p","Test":"A/x"}
{"Action":"pass","Package":"p","Test":"A/y"}
{"Action":"pass","Package":"p","Test":"A"}
{"Action":"pass","Package":"p","Test":"B"}
{"Action":"pass","Package":"p","Elapsed":1.5}`, tally{passed: 3}, []string{"ok    p 1.5s"}},
		"a failure says what it said": {
			`{"Action":"output","Package":"p","Test":"A","Output":"a_test.go:3: 1 is not 2\n"}
{"Action":"fail","Package":"p","Test":"A"}
{"Action":"fail","Package":"p"}`, tally{failed: 1}, []string{"1 is not 2", "FAIL  p A"}},
		"a skip says why": {
			`{"Action":"output","Package":"p","Test":"A","Output":"=== RUN   A\n"}
{"Action":"output","Package":"p","Test":"A","Output":"    a_test.go:3: no libtorch\n"}
{"Action":"output","Package":"p","Test":"A","Output":"--- SKIP: A (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"A"}
{"Action":"pass","Package":"p"}`, tally{skipped: 1}, []string{"skip  p A: a_test.go:3: no libtorch\n"}},
		"a package that crashes fails once": {
			`{"Action":"pass","Package":"p","Test":"A"}
{"Action":"output","Package":"p","Output":"fatal error: concurrent map writes\n"}
{"Action":"fail","Package":"p"}`, tally{passed: 1, failed: 1}, []string{"concurrent map writes"}},
		"what an unfinished test said is shown": {
			`{"Action":"output","Package":"p","Test":"A","Output":"SIGSEGV in A\n"}
{"Action":"fail","Package":"p"}`, tally{failed: 1}, []string{"SIGSEGV in A"}},
		"a package that does not build fails once": {
			`{"ImportPath":"p","Action":"build-output","Output":"p.go:3: undefined: x\n"}
{"ImportPath":"p","Action":"build-fail"}
{"Action":"fail","Package":"p","FailedBuild":"p"}`, tally{failed: 1}, []string{"undefined: x"}},
		"a package without tests is nothing": {`{"Action":"skip","Package":"p"}`, tally{}, nil},
		"the go command's own words":         {"go: no such package\n", tally{}, []string{"go: no such package"}},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			got, err := summarise(strings.NewReader(c.events), &out)
			if err != nil || got != c.want {
				t.Errorf("got %v (%v), want %v", got, err, c.want)
			}
			for _, s := range c.says {
				if !strings.Contains(out.String(), s) {
					t.Errorf("%q is not in:\n%s", s, &out)
				}
			}
		})
	}
}
