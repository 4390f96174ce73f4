package main

import (
	"fmt"
	"strconv"
	"strings"
)

// deepest is how deep expressions get.
const deepest = 3

func (g *generator) int(s scope, d int) string {
	if d >= deepest {
		if v := g.variable(s, "int"); v != "" && g.chance(60) {
			return v
		}
		return fmt.Sprint(g.intn(13) - 3)
	}
	d++
	a := func() string { return g.int(s, d) }
	switch g.intn(36) {
	case 0:
		return fmt.Sprint(g.intn(13) - 3)
	case 1, 2, 3:
		if v := g.variable(s, "int"); v != "" {
			return v
		}
		return fmt.Sprint(g.intn(7))
	case 4:
		return fmt.Sprintf("(id#(%s) %s %s)", a(), g.pick("+", "-", "*"), a())
	case 5:
		return fmt.Sprintf("(id#(%s) %s %d)", a(), g.pick("%", "/"), 1+g.intn(5))
	case 6:
		return fmt.Sprintf("(%s %s %s)", a(), g.pick("&", "|", "^", "&^"), a())
	case 7:
		return "len(" + g.ints(s, d) + ")"
	case 8:
		if x := g.variable(s, "[]int"); x != "" {
			return fmt.Sprintf("at#(%s, %s)", x, a())
		}
		return fmt.Sprintf("min(%s, 3, %s)", a(), a())
	case 9:
		return fmt.Sprintf("%s(%s, %s)", g.pick("min", "max", "gcd#"), a(), a())
	case 10:
		if x := g.variable(s, "map"); x != "" {
			return fmt.Sprintf("%s[%s]", x, g.string(s, d))
		}
		return "len(" + g.string(s, d) + ")"
	case 11:
		if x := g.variable(s, "P"); x != "" {
			return g.pick(x+".X", fmt.Sprintf("%s.Sum(%s)", x, a()), x+".In.A", fmt.Sprintf("P#.Sum(%s, 1)", x))
		}
		return fmt.Sprintf("P#{X: %s}.Sum(2)", a())
	case 12:
		if x := g.variable(s, "func"); x != "" {
			return fmt.Sprintf("%s(%s)", x, a())
		}
		return fmt.Sprintf("(func(q int) int { return q*2 + 1 })(%s)", a())
	case 13:
		if x := g.variable(s, "Shape"); x != "" {
			return x + ".Area()"
		}
		return fmt.Sprintf("int(N#(%s) + 1)", a())
	case 14:
		return g.pick(fmt.Sprintf("Add#(%s, %s)", a(), a()), fmt.Sprintf("Fold#(%s, %s, func(a, b int) int { return a*2 + b })", g.ints(s, d), a()), fmt.Sprintf("Total#(%s, %s)", a(), a()))
	case 15:
		return fmt.Sprintf("int(%s(id#(%s)))", g.pick("int8", "uint8", "int16", "uint16", "int32", "uint32", "U#"), a())
	case 16:
		return fmt.Sprintf("*new(%s)", a())
	case 17:
		return fmt.Sprintf("(id#(%s) %s (uint(id#(%s)) %% 9))", a(), g.pick("<<", ">>"), a())
	case 18:
		return fmt.Sprintf("int(fl#(%s))", g.float(s, d))
	case 19:
		return fmt.Sprintf("int(fl#(real(%s)))", g.complex(s, d))
	case 20:
		return fmt.Sprintf("[...]int{%s, %s, 5}[id#(%s)&1]", a(), a(), a())
	case 21:
		return fmt.Sprintf("(&Deep#{Mid#: Mid#{&Base#{%s, \"t\"}, In#{%s}}}).%s", a(), a(), g.pick("ID", "A", "Plus(2)", "In#.A", "Mid#.ID"))
	case 22:
		return fmt.Sprintf("Op#(func(a, b int) int { return a + b*%s }).Twice(%s)", a(), a())
	case 23:
		return fmt.Sprintf("Ints#(%s).Total()", g.ints(s, d))
	case 24:
		return fmt.Sprintf("Vec#{1, %s, 3}.Add(Vec#{%s, 1})[%d]", a(), a(), g.intn(3))
	case 25:
		return fmt.Sprintf("(&List#{%s, &List#{1, nil}}).Len()", a())
	case 26:
		return fmt.Sprintf("func() int { %s, err := safe#(%s, %s); if err != nil { return -7 }; return %s }()", "r", a(), a(), "r")
	case 27:
		return "-id#(" + a() + ")"
	case 28:
		return "^id#(" + a() + ")"
	case 29:
		return fmt.Sprintf("(&Tree#{map[string]*Tree#{\"a\": {nil, %s}, \"b\": {}}, %s}).Sum()", a(), a())
	case 30:
		return fmt.Sprintf("int([]rune(%s + \"é\")[0])", g.string(s, d))
	case 31:
		return fmt.Sprintf("copy(make([]int, 2), %s)", g.ints(s, d))
	case 32:
		return fmt.Sprintf("cap(%s[:1:2])", "[]int{1, 2, 3}")
	case 33:
		return g.pick("C1#", "C3#", "cnt#", "len(C2#)")
	case 34:
		return fmt.Sprintf("func() (n int) { for range seq#(id#(%s) & 3) { n++ }; return }()", a())
	}
	return fmt.Sprintf("struct{ a, b int }{%s, %s}.b", a(), a())
}

func (g *generator) float(s scope, d int) string {
	d++
	switch g.intn(7) {
	case 0:
		return g.pick("1.5", "0.25", "-2.0", "1e3", "3.0")
	case 1:
		if v := g.variable(s, "float"); v != "" {
			return v
		}
		return fmt.Sprintf("float64(%s)", g.int(s, d))
	case 2:
		if d < deepest {
			return fmt.Sprintf("(fl#(%s) %s %s)", g.float(s, d), g.pick("+", "-", "*"), g.float(s, d))
		}
		return "0.5"
	case 3:
		return fmt.Sprintf("math.Abs(%s)", g.pick("-1.25", fmt.Sprintf("float64(%s)", g.int(s, d))))
	case 4:
		return fmt.Sprintf("float64(F#(%s).Half())", g.pick("3", "5.5"))
	case 5:
		return fmt.Sprintf("float64(float32(fl#(%s)))", g.pick("0.1", "2.5", fmt.Sprintf("float64(%s)", g.int(s, d))))
	}
	return fmt.Sprintf("Total#(1.5, float64(%s))", g.int(s, d))
}

func (g *generator) complex(s scope, d int) string {
	d++
	a := fmt.Sprintf("complex(float64(%s), %s)", g.int(s, d), g.pick("1", "0.5", "-2"))
	switch g.intn(4) {
	case 0:
		return a
	case 1:
		return fmt.Sprintf("(%s * (2 + 1i))", a)
	case 2:
		return fmt.Sprintf("(%s + %s)", a, g.pick("1i", "3"))
	}
	return fmt.Sprintf("complex128(complex64(co#(%s)))", a)
}

func (g *generator) string(s scope, d int) string {
	if d >= deepest {
		if v := g.variable(s, "string"); v != "" && g.chance(60) {
			return v
		}
		return strconv.Quote(g.pick("a", "b", "xy", "", "héj"))
	}
	d++
	switch g.intn(17) {
	case 0:
		return strconv.Quote(g.pick("a", "b", "xy", "", "héj"))
	case 1, 2:
		if v := g.variable(s, "string"); v != "" {
			return v
		}
		return `"q"`
	case 3:
		return fmt.Sprintf("(%s + %s)", g.string(s, d), g.string(s, d))
	case 4:
		return fmt.Sprintf("fmt.Sprint(%s)", g.printable(s))
	case 5:
		return fmt.Sprintf("strings.ToUpper(%s)", g.string(s, d))
	case 6:
		return fmt.Sprintf("Add#(%s, \"!\")", g.string(s, d))
	case 7:
		return fmt.Sprintf("kind#(%s)", g.any(s, d))
	case 8:
		return fmt.Sprintf("string(rune('a' + id#(%s)&15))", g.int(s, d))
	case 9:
		return fmt.Sprintf("string([]byte(%s + \"z\")[:1])", g.string(s, d))
	case 10:
		return fmt.Sprintf("vari#(%s, %s)", g.string(s, d), g.printable(s))
	case 11:
		return fmt.Sprintf("string(Text#(%s).Up())", g.string(s, d))
	case 12:
		return fmt.Sprintf("(&Deep#{Mid#: Mid#{Base#: &Base#{1, %s}}}).Describe()", g.string(s, d))
	case 13:
		return fmt.Sprintf("strings.Join(Map#(%s, func(q int) string { return fmt.Sprint(q) }), \",\")", g.ints(s, d))
	case 14:
		return fmt.Sprintf("func() string { defer func() { recover() }(); return nest#(%d) }()", g.intn(4))
	case 15:
		return fmt.Sprintf("fmt.Sprintf(%q, %s)", g.pick("%v", "%d", "%5v|", "%q", "%x", "%T"), g.printable(s))
	}
	return fmt.Sprintf("strings.Join(Dict#{%s: 1, \"k\": 2}.Keys(), \"-\")", g.string(s, d))
}

func (g *generator) bool(s scope, d int) string {
	if d >= deepest {
		return fmt.Sprintf("%s < %s", g.int(s, d), g.int(s, d))
	}
	d++
	switch g.intn(11) {
	case 0, 1, 2:
		return fmt.Sprintf("%s %s %s", g.int(s, d), g.pick("<", ">", "==", "!=", "<=", ">="), g.int(s, d))
	case 3:
		return fmt.Sprintf("(%s %s %s)", g.bool(s, d), g.pick("&&", "||"), g.bool(s, d))
	case 4:
		return fmt.Sprintf("!(%s)", g.bool(s, d))
	case 5:
		return fmt.Sprintf("%s %s %s", g.string(s, d), g.pick("==", "<", "!=", ">="), g.string(s, d))
	case 6:
		return fmt.Sprintf("any(%s) == any(%s)", g.basic(s, d), g.basic(s, d))
	case 7:
		return fmt.Sprintf("%s %s %s", g.float(s, d), g.pick("<", ">", "==", "!="), g.float(s, d))
	case 8:
		return fmt.Sprintf("(%s == %s)", g.pstruct(s, d), g.pstruct(s, d))
	case 9:
		return fmt.Sprintf("errors.Is(%s, errBase#)", g.error(s, d))
	}
	return fmt.Sprintf("([2]any{%s, 1} == [2]any{%s, 1})", g.basic(s, d), g.basic(s, d))
}

func (g *generator) basic(s scope, d int) string {
	switch g.intn(6) {
	case 0:
		return g.int(s, d)
	case 1:
		return g.string(s, d)
	case 2:
		return fmt.Sprintf("N#(%s)", g.int(s, d))
	case 3:
		return fmt.Sprintf("Vec#{%s}", g.int(s, d))
	case 4:
		return g.complex(s, d)
	}
	return fmt.Sprintf("P#{X: %s}", g.int(s, d))
}

func (g *generator) error(s scope, d int) string {
	return g.pick(
		fmt.Sprintf("error(&E#{%s})", g.int(s, d+1)),
		fmt.Sprintf("fmt.Errorf(\"w%%d: %%w\", %s, &E#{%s})", g.int(s, d+1), g.int(s, d+1)),
		fmt.Sprintf("errors.Join(errBase#, &E#{%s})", g.int(s, d+1)),
		"errBase#", "error(nil)")
}

func (g *generator) ints(s scope, d int) string {
	v := g.variable(s, "[]int")
	n := 11
	if d >= deepest {
		n = 2
	}
	d++
	switch c := g.intn(n); {
	case c == 0, c == 1 && v == "":
		xs := make([]string, g.intn(4))
		for i := range xs {
			xs[i] = g.int(s, d+1)
		}
		return "[]int{" + strings.Join(xs, ", ") + "}"
	case c == 1:
		return v
	case c == 2:
		return fmt.Sprintf("append(%s[:0:0], %s, %s)", g.ints(s, d), g.int(s, d), g.int(s, d))
	case c == 3:
		return fmt.Sprintf("Map#(%s, func(z int) int { return %s })", g.ints(s, d), g.int(append(s[:len(s):len(s)], variable{"z", "int"}), d+1))
	case c == 4:
		return fmt.Sprintf("collect#(seq#(%d))", g.intn(4))
	case c == 5:
		return fmt.Sprintf("append([]int(nil), %s...)", g.ints(s, d))
	case c == 6:
		return fmt.Sprintf("slices.Sorted(slices.Values(%s))", g.ints(s, d))
	case c == 7:
		return fmt.Sprintf("[]int{2: %s, 0: %s}", g.int(s, d), g.int(s, d))
	case c == 8:
		return fmt.Sprintf("func() []int { a := [4]int{%s, 1, 2, 3}; b := a; b[1] = 9; return append(a[1:3], b[:2]...) }()", g.int(s, d))
	case c == 9:
		return fmt.Sprintf("func() []int { r := slices.Clone(%s); slices.Reverse(r); return r }()", g.ints(s, d))
	}
	return fmt.Sprintf("append(%s, %s...)[:1]", "[]int{7}", g.ints(s, d))
}

func (g *generator) any(s scope, d int) string {
	n := 26
	if d > deepest {
		n = 3
	}
	d++
	switch g.intn(n) {
	case 0:
		return g.int(s, d)
	case 1:
		return g.string(s, d)
	case 2:
		return fmt.Sprintf("N#(%s)", g.int(s, d))
	case 3:
		return g.pstruct(s, d)
	case 4:
		return "&" + g.pstruct(s, d)
	case 5:
		return g.ints(s, d)
	case 6:
		return fmt.Sprintf("[]N#{%d, %d}", g.intn(5), g.intn(5))
	case 7:
		return fmt.Sprintf("[]any{%s, %s}", g.any(s, d), g.any(s, d))
	case 8:
		return fmt.Sprintf("map[string]N#{\"k\": N#(%s), \"j\": 2}", g.int(s, d))
	case 9:
		return g.error(s, d)
	case 10:
		return g.shape(s, d)
	case 11:
		return fmt.Sprintf("Pair#[int, N#]{%s, 3}", g.int(s, d))
	case 12:
		return g.pick("nil", "true", "2.5", "'x'", "[2]P#{}", "struct{ A int; B N# }{1, 2}", "uint8(7)", "map[N#]string{3: \"c\", 1: \"a\"}", "[]byte(\"hi\")", "[3]bool{true}", "U#(200)", "F#(1.5)", "Text#(\"t\")", "struct{}{}", "[]string(nil)", "map[string]int(nil)", "(*E#)(nil) == nil")
	case 13:
		return fmt.Sprintf("L#{%s}", g.any(s, d))
	case 14:
		return g.complex(s, d)
	case 15:
		return g.float(s, d)
	case 16:
		return fmt.Sprintf("Deep#{Mid#: Mid#{In#: In#{%s}}, Label: %s}", g.int(s, d), g.string(s, d))
	case 17:
		return fmt.Sprintf("Vec#{%s, 2}", g.int(s, d))
	case 18:
		return fmt.Sprintf("Ints#{%s, 4}", g.int(s, d))
	case 19:
		return fmt.Sprintf("Dict#{%s: %s}", g.string(s, d), g.int(s, d))
	case 20:
		return fmt.Sprintf("Pair#[string, Pair#[N#, []int]]{%s, Pair#[N#, []int]{1, %s}}", g.string(s, d), g.ints(s, d))
	case 21:
		return fmt.Sprintf("[]Shape#{%s, nil, %s}[0]", g.shape(s, d), g.shape(s, d))
	case 22:
		return fmt.Sprintf("map[P#]int{%s: 1}", g.pstruct(s, d))
	case 23:
		return fmt.Sprintf("[][]int{%s, nil}", g.ints(s, d))
	case 24:
		return fmt.Sprintf("map[any]any{%s: %s}", g.basic(s, d), g.any(s, d))
	}
	return fmt.Sprintf("struct { In#; K any }{In#{%s}, %s}", g.int(s, d), g.any(s, d))
}

func (g *generator) pstruct(s scope, d int) string {
	return fmt.Sprintf("P#{%s, %s, In#{%s}}", g.int(s, d), g.string(s, d), g.int(s, d))
}

func (g *generator) shape(s scope, d int) string {
	if v := g.variable(s, "Shape"); v != "" && g.chance(30) {
		return v
	}
	return g.pick(fmt.Sprintf("Sq#(%s)", g.int(s, d+1)), fmt.Sprintf("&Rect#{%s, 2}", g.int(s, d+1)), fmt.Sprintf("Wrap#{Sq#(%s)}", g.int(s, d+1)), fmt.Sprintf("Wrap#{&Rect#{1, %s}}", g.int(s, d+1)))
}

// typeText is how a program spells a type of the generator.
func typeText(t string) string {
	switch t {
	case "P", "Shape":
		return t + "#"
	case "map":
		return "map[string]int"
	case "func":
		return "func(int) int"
	case "float":
		return "float64"
	}
	return t
}

func (g *generator) expression(t string, s scope, d int) string {
	switch t {
	case "int":
		return g.int(s, d)
	case "string":
		return g.string(s, d)
	case "[]int":
		return g.ints(s, d)
	case "any":
		return g.any(s, d)
	case "P":
		return g.pstruct(s, d)
	case "Shape":
		return g.shape(s, d)
	case "float":
		return g.float(s, d)
	case "map":
		return fmt.Sprintf("map[string]int{\"a\": %s, \"b\": 1}", g.int(s, d))
	}
	return fmt.Sprintf("func(y int) int { return %s }", g.int(append(s[:len(s):len(s)], variable{"y", "int"}), d+1))
}
