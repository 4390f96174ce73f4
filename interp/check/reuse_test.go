package check

import (
	"strings"
	"testing"
)

const mockPass = "type P struct{}\nfunc (p P) Enter() P { return p }\nfunc (p P) Exit(ok bool) {}\nfunc (p P) Two() (int, error) { return 2, nil }\nvar p P\n"

// Blocks of one cell may use a name again, as blocks of two cells may.
func TestBlocksUseANameAgain(t *testing.T) {
	for _, code := range []string{
		"with p { l := 1 }\nwith p { l := 2; l++ }\nl + 1",
		"with m := p { l := m }\nwith m := p { l := m }\nl",
		"with p { a, err := p.Two() }\nwith p { a, err := p.Two() }\na",
		"func f(n int) int {\n\twith p { n := 1 }\n\twith p { x, n := 2, 3 }\n\treturn x + n\n}",
		"for range 2 {\n\twith p { l := 1 }\n\twith p { l := 2 }\n}",
		"with p { l := 1\n\twith m := p { l := 2 } }\nl + 1",
		"with p { l := 1 }\nif true { with p { l := \"\" }; l += \"a\" }\nl + 1",
		"with p { l := 1; f := func() string { l := \"\"; return l } }\nl + 1",
	} {
		c := newTestChecker()
		checkAll(c, mockPass)
		if _, err := c.Cell(9, code); err != nil {
			t.Errorf("%s\n%v", code, err)
		}
	}
	for code, want := range map[string]string{
		"with p { l := 1 }\nwith p {\n\tl := \"a\" }":                             "3:7: l is a variable of type int already, and a with block's variables are those around it; choose another name",
		"with m := p { m := 1 }":                                                  "m is a variable of type P already",
		"with p { a, err := p.Two() }\nwith p { err := \"a\" }":                   "err is a variable of type error already",
		"var a string; var err error\nwith p { a, err := p.Two() }":               "a is a variable of type string already",
		"func f() {\n\twith p { l := 1 }\n\tl := 2\n\t_ = l\n}":                   "no new variables",
		"with p { l := 1\n\tfunc() {\n\t\tx := 1\n\t\tx := 2\n\t\t_ = x\n\t}() }": "4:5: no new variables",
		"with p {\n\tl := 1":                                                      "1:1: with: expected }",
		"\nwith p {\n\twith p {\n\t\tl := 1\n\t":                                  "3:2: with: expected }",
	} {
		c := newTestChecker()
		checkAll(c, mockPass)
		if _, err := c.Cell(9, code); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v, want %q", code, err, want)
		}
	}
}

// A function may end with a block that returns in all its branches.
func TestBlocksThatEndAFunction(t *testing.T) {
	for code, ok := range map[string]bool{
		"func f(b bool) int { with p { if b { return 1 } else { return 2 } } }":                                     true,
		"func f(b bool) int { with p { with p { for { if b { return 1 } } } } }":                                    true,
		"func f(b int) int { with p { switch b { case 1: return 1; default: with p { panic(b) } } } }":              true,
		"f := func(c chan int) int { with p { select { case x := <-c: return x; case c <- 1: return 2 } } }\n_ = f": true,
		"func f(b bool) int { with p { if b { return 1 } } }":                                                       false,
		"func f(b bool) int { with p { for { if b { break } } } }":                                                  false,
		"func f(b int) int { with p { switch b { case 1: return 1 } } }":                                            false,
		"func f() int { with p { } }":                                                                               false,
	} {
		c := newTestChecker()
		checkAll(c, mockPass)
		_, err := c.Cell(9, code)
		if ok && err != nil || !ok && (err == nil || !strings.Contains(err.Error(), "missing return")) {
			t.Errorf("%s\n%v", code, err)
		}
	}
}
