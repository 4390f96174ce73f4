package main

import (
	"fmt"
	"strings"
)

// A frame is what statements may do besides: leave loops, return an int, defer.
type frame struct {
	leave   []string // break and continue, with and without labels
	returns bool
	top     bool // directly in the program's function, where a defer prints once
}

func (g *generator) block(s *scope, d int, f frame) []string {
	inner := append(scope(nil), *s...)
	n := 1 + g.intn(4)
	if d >= 2 {
		n = 1 + g.intn(2)
	}
	f.top = f.top && d == 0
	var out []string
	for range n {
		out = append(out, g.statement(&inner, d, f)...)
	}
	return out
}

func lines(s string) []string { return strings.Split(s, "\n") }

func (g *generator) statement(s *scope, d int, f frame) []string {
	sc := *s
	n := 46
	if d >= 3 {
		n = 14
	}
	plain := frame{}
	switch c := g.intn(n); c {
	case 0, 1, 2:
		t := g.pick("int", "int", "string", "[]int", "any", "P", "Shape", "map", "func", "float")
		v, e := g.name("v"), g.expression(t, sc, 0)
		*s = append(sc, variable{v, t})
		if t == "any" || t == "Shape" || g.chance(40) {
			return []string{fmt.Sprintf("var %s %s = %s", v, typeText(t), e), "_ = " + v}
		}
		return []string{fmt.Sprintf("%s := %s", v, e), "_ = " + v}
	case 3:
		return []string{fmt.Sprintf("fmt.Println(%s, %s)", g.any(sc, 0), g.int(sc, 0))}
	case 4:
		return []string{fmt.Sprintf("fmt.Printf(%q, %s)", g.pick("%v", "%+v", "%T", "%#v", "%v|%[1]T", "%s", "%d", "%x", "%8v", "%-6v|", "%q")+"\n", g.printable(sc))}
	case 5:
		if v := g.variable(sc, "int"); v != "" {
			return []string{g.pick(fmt.Sprintf("%s %s %s", v, g.pick("=", "+=", "-=", "*=", "|=", "^=", "&^="), g.int(sc, 0)), v+"++", v+"--", fmt.Sprintf("%s <<= 1", v), fmt.Sprintf("%s /= 3", v))}
		}
	case 6, 7:
		if v := g.variable(sc, "[]int"); v != "" {
			return lines(g.pick(
				fmt.Sprintf("%s = append(%s, %s)", v, v, g.int(sc, 0)), fmt.Sprintf("for i := range %s { %s[i] += i }", v, v),
				fmt.Sprintf("sort.Ints(%s)", v), fmt.Sprintf("sort.Slice(%s, func(i, j int) bool { return %s[i] > %s[j] })", v, v, v),
				fmt.Sprintf("clear(%s)", v), fmt.Sprintf("if len(%s) > 1 { %s[0], %s[1] = %s[1], %s[0] }", v, v, v, v, v),
				fmt.Sprintf("try#(func() { fmt.Println(%s[id#(%s)]) })", v, g.int(sc, 0)), fmt.Sprintf("try#(func() { fmt.Println(%s[id#(%s):id#(%s)]) })", v, g.int(sc, 1), g.int(sc, 1)),
				fmt.Sprintf("try#(func() { fmt.Println(len(%s[:id#(%s):id#(%s)])) })", v, g.int(sc, 1), g.int(sc, 1)), fmt.Sprintf("try#(func() { fmt.Println([2]int(%s)) })", v),
				fmt.Sprintf("for i, x := range %s { if x > i { %s = append(%s, 1); break } }", v, v, v), fmt.Sprintf("fmt.Println(copy(%s, %s), %s)", v, g.ints(sc, 1), v)))
		}
	case 8:
		if v := g.variable(sc, "map"); v != "" {
			return []string{g.pick(fmt.Sprintf("%s[%s]++", v, g.string(sc, 0)), fmt.Sprintf("delete(%s, %s)", v, g.string(sc, 0)), fmt.Sprintf("if q, ok := (%s[%s]); ok { fmt.Println(\"has\", q) }", v, g.string(sc, 0)), fmt.Sprintf("fmt.Println(%s)", v),
				fmt.Sprintf("%s[%s] = %s", v, g.string(sc, 0), g.int(sc, 0)), fmt.Sprintf("{ t := 0; for _, x := range %s { t += x }; fmt.Println(t) }", v), fmt.Sprintf("for k := range %s { if len(k) > 1 { delete(%s, k) } }", v, v))}
		}
	case 9:
		if v := g.variable(sc, "P"); v != "" {
			return []string{g.pick(fmt.Sprintf("%s.X = %s", v, g.int(sc, 0)), fmt.Sprintf("%s.Inc(%s)", v, g.int(sc, 0)), v+".In.A++", fmt.Sprintf("(&%s).Inc(1)", v),
				fmt.Sprintf("{ m := %s.Inc; m(2); f := (*P#).Inc; f(&%s, 3); fmt.Println(%s) }", v, v, v), fmt.Sprintf("{ w := %s; w.X++; fmt.Println(w, %s, w == %s) }", v, v, v),
				fmt.Sprintf("{ p := &%s; q := p; q.In = In#{%s}; fmt.Println(*p) }", v, g.int(sc, 0)), fmt.Sprintf("{ f := P#.Sum; g := %s.Sum; %s.X = 5; fmt.Println(f(%s, 1), g(1)) }", v, v, v))}
		}
	case 10, 11:
		if len(f.leave) > 0 && g.chance(50) {
			return []string{fmt.Sprintf("if (%s) { %s }", g.bool(sc, 0), g.pick(f.leave...))}
		}
		if f.returns && g.chance(50) {
			return []string{fmt.Sprintf("if (%s) { return %s }", g.bool(sc, 0), g.int(sc, 0))}
		}
		return []string{fmt.Sprintf("fmt.Print(%s, \" \")", g.string(sc, 0))}
	case 12:
		v := g.variable(sc, "any")
		if v != "" {
			return []string{fmt.Sprintf("%s = %s", v, g.any(sc, 0)), fmt.Sprintf("fmt.Println(%s)", v), fmt.Sprintf("fmt.Printf(\"%%T %%v\\n\", %s, %s == nil)", v, v)}
		}
	case 13:
		if v := g.variable(sc, "float"); v != "" {
			return []string{g.pick(fmt.Sprintf("%s += %s", v, g.float(sc, 0)), fmt.Sprintf("fmt.Println(%s, float32(%s), %s > 1)", v, v, v), fmt.Sprintf("fmt.Println(math.Floor(%s), math.IsNaN(%s))", v, v))}
		}
	case 14, 15, 16:
		out := append([]string{fmt.Sprintf("if (%s) {", g.bool(sc, 0))}, g.block(s, d+1, f)...)
		if g.chance(50) {
			out = append(append(out, "} else {"), g.block(s, d+1, f)...)
		}
		return append(out, "}")
	case 17, 18, 19, 20, 21, 22:
		return g.loop(sc, d, f)
	case 23, 24:
		return g.switches(sc, d, f)
	case 25, 26:
		return lines(fmt.Sprintf("switch x := any(%s).(type) {\ncase int, string: fmt.Println(\"b\", x)\ncase N#: fmt.Println(\"N\", int(x), x)\ncase error: fmt.Println(\"err\", x.Error())\ncase fmt.Stringer: fmt.Println(\"str\", x.String())\ncase Shape#: fmt.Println(\"shape\", x.Area())\ncase []N#: fmt.Println(\"ns\", len(x))\ncase struct{}: fmt.Println(\"empty\", x)\ncase Vec#: x[0]++; fmt.Println(\"vec\", x)\ncase map[string]N#: fmt.Println(\"m\", x[\"j\"])\ncase complex128: fmt.Println(real(x), imag(x))\ncase nil: fmt.Println(\"nil\", x)\ndefault: fmt.Printf(\"d %%T\\n\", x)\n}", g.any(sc, 0)))
	case 27:
		return []string{fmt.Sprintf("if e, ok := (any(%s)).(%s); ok { fmt.Println(\"ok\", e) } else { fmt.Println(\"no\", e) }", g.any(sc, 0), g.pick("int", "N#", "fmt.Stringer", "Shape#", "*Rect#", "P#", "error", "[]any", "Named#", "Pair#[int, N#]", "interface{ Area() int }", "Vec#", "[]int", "struct{ A int; B N# }"))}
	case 28, 29, 30:
		body := append(g.block(s, d+1, plain), g.pick(
			fmt.Sprintf("panic(%s)", g.panicValue(sc)), fmt.Sprintf("fmt.Println(1 / (id#(%s) - %s))", g.int(sc, 0), g.int(sc, 0)),
			fmt.Sprintf("fmt.Println(any(%s).(%s))", g.any(sc, 0), g.pick("int", "string", "N#", "fmt.Stringer", "error", "Shape#", "*P#")),
			"var np *P#; np.X = 1", "var nm map[string]int; nm[\"a\"] = 1", "var ns Shape#; ns.Area()", "var nf func(); nf()", "var nl *L#; fmt.Println(*nl)", "var w Wrap#; w.Area()", "var d Deep#; fmt.Println(d.ID)",
			fmt.Sprintf("defer fmt.Println(\"d1\", %s); defer func() { fmt.Println(\"d2\") }(); panic(\"pp\")", g.int(sc, 0)),
			fmt.Sprintf("a := [3]int{1}; i := id#(%s); fmt.Println(a[i], \"abc\"[i])", g.int(sc, 0)),
			fmt.Sprintf("c := make(chan int, 1); close(c); %s", g.pick("close(c)", "c <- 1", "v, ok := <-c; fmt.Println(v, ok)")),
			fmt.Sprintf("fmt.Println(make([]int, id#(%s) & 7 - 2))", g.int(sc, 0)), fmt.Sprintf("k := id#(%s); fmt.Println(1 << k)", g.int(sc, 0)),
			"m := map[any]int{}; m[[]int{1}] = 2", "var a, b any = []int{1}, []int{1}; fmt.Println(a == b)",
			"defer func() { defer func() { fmt.Println(\"inner\", recover()) }(); panic(\"second\") }(); panic(\"first\")",
			"defer func() { fmt.Println(recover()); panic(fmt.Sprint(\"re\", 1)) }(); panic(errBase#)"))
		return append(append([]string{"try#(func() {"}, body...), "})")
	case 31, 32:
		fn, p, q := g.name("f"), g.name("a"), g.name("b")
		out := []string{fmt.Sprintf("%s := func(%s int, %s ...int) (out int) {", fn, p, q), g.pick("defer func() { fmt.Print(\"<"+fn+">\") }()", "defer func() { out += len("+q+") }()", "defer func() { if e := recover(); e != nil { out = -9 } }()", "_ = "+q)}
		inner := append(append(scope(nil), sc...), variable{p, "int"}, variable{q, "[]int"})
		out = append(out, g.block(&inner, d+1, frame{returns: true})...)
		return append(out, fmt.Sprintf("return %s + len(%s)", p, q), "}", fmt.Sprintf("fmt.Println(%s(%s), %s(1, 2, 3))", fn, g.int(sc, 0), fn))
	case 33:
		if f.top {
			return []string{"for i := 0; i < 3; i++ { defer func(k int) { fmt.Println(\"defer\", k, i) }(i * 2) }"}
		}
	case 34:
		a, b := g.name("v"), g.name("v")
		*s = append(sc, variable{a, "int"}, variable{b, "string"})
		return []string{fmt.Sprintf("%s, %s := two#(%s)", a, b, g.int(sc, 0)), fmt.Sprintf("_, _ = %s, %s", a, b)}
	case 35, 36:
		return g.channels(sc)
	case 37:
		return lines(fmt.Sprintf("{\nst := &Stack#[%s]{}\nst.Push(%s); st.Push(%s)\nx, ok := st.Pop()\nfmt.Println(x, ok, len(st.xs))\n}", "any", g.any(sc, 0), g.any(sc, 0)))
	case 38:
		return lines(fmt.Sprintf("{\nb, err := json.Marshal(Tagged#{Name: %s, Age: %s, Sub: &Tagged#{Name: \"s\"}})\nfmt.Println(string(b), err)\nvar t Tagged#\nfmt.Println(json.Unmarshal(b, &t), t.Name, t.Age, t.Sub != nil)\n}", g.string(sc, 0), g.int(sc, 0)))
	case 39:
		again, done := g.name("L"), g.name("L")
		return lines(fmt.Sprintf("{\ni := 0\n%s:\nif i < %d { fmt.Print(i, \",\"); i++; if i == 2 { goto %s }; goto %s }\n%s:\nfmt.Println(\"done\")\n}", again, g.intn(5), done, again, done))
	case 40:
		return lines(fmt.Sprintf("{\nd := Deep#{Mid#: Mid#{&Base#{%s, \"q\"}, In#{3}}, Label: %s}\nd.ID += 2; d.A++\nf := d.Plus; d.ID = 100\nvar s fmt.Stringer = d\nfmt.Println(f(1), d.Describe(), d.Mid#.ID, s, d.In#)\n}", g.int(sc, 0), g.string(sc, 0)))
	case 41:
		return lines(fmt.Sprintf("{\nv := Vec#{1, %s, 3}\nw := v\nv.Scale(2)\np := &w\np.Scale(3)\nfor i, x := range v { v[2] = 50; fmt.Print(i, x, \" \") }\nfmt.Println(v, w, v == w, len(p))\n}", g.int(sc, 0)))
	case 42:
		x := g.name("x")
		return lines(fmt.Sprintf("{\n%s := %s\n{ %s := %s; %s++; _ = %s }\nif %s := (%s * 2); %s > 3 { fmt.Println(%s) }\nfmt.Println(%s)\n}", x, g.int(sc, 0), x, x, x, x, x, x, x, x, x))
	case 43:
		return lines(fmt.Sprintf("{\nvar e *E#\nerr := %s\nfmt.Println(errors.As(err, &e), e != nil, errors.Is(err, errBase#), err)\n}", g.error(sc, 0)))
	case 44:
		return lines(fmt.Sprintf("{\nvar mu sync.Mutex; var wg sync.WaitGroup; n := %s\nfor i := range 4 { wg.Add(1); go func() { defer wg.Done(); mu.Lock(); defer mu.Unlock(); n += i }() }\nwg.Wait()\nfmt.Println(n)\n}", g.int(sc, 0)))
	case 45:
		return lines(fmt.Sprintf("{\nvar i8 int8 = int8(id#(%s)); var u16 uint16 = uint16(id#(%s)); var f32 float32 = float32(fl#(%s))\ni8 += 100; u16 *= 7; f32 /= 3\nu := uint(id#(%s)); c := %s\nfmt.Println(i8, u16, f32, i8>>1, u16<<3, -i8, ^u16, uint64(u)>>60, c*c, c == c)\n}", g.int(sc, 1), g.int(sc, 1), g.float(sc, 1), g.int(sc, 1), g.complex(sc, 1)))
	}
	return []string{fmt.Sprintf("fmt.Println(%s)", g.int(sc, 0))}
}

// printable is a value whose text has no addresses in it, whatever the verb.
func (g *generator) printable(s scope) string {
	for range 20 {
		if e := g.any(s, 1); !strings.Contains(e, "&") && !strings.Contains(e, "errBase") && !strings.Contains(e, "func") && !strings.ContainsAny(e, "v") {
			return e
		}
	}
	return g.int(s, 0)
}

func (g *generator) panicValue(s scope) string {
	return g.pick(g.string(s, 0), g.int(s, 0), g.error(s, 0), fmt.Sprintf("N#(%s)", g.int(s, 0)), g.pstruct(s, 0), "errBase#", "nil")
}

func (g *generator) loop(s scope, d int, f frame) []string {
	label := ""
	leave := []string{"break", "continue"}
	if f.leave != nil {
		leave = append(leave, f.leave...)
	}
	if g.chance(30) {
		label = g.name("L")
		leave = append(leave, "break "+label, "continue "+label)
	}
	i := g.name("i")
	inner := append(append(scope(nil), s...), variable{i, "int"})
	var head string
	var out []string
	switch g.intn(9) {
	case 0, 1:
		head = fmt.Sprintf("for %s := 0; %s < %d; %s++ {", i, i, 1+g.intn(4), i)
		if g.chance(30) {
			out = append(out, fmt.Sprintf("fs# = append(fs#, func() int { return %s*10 })", i))
		}
		if g.chance(20) {
			out = append(out, i+"++")
		}
	case 2:
		head = fmt.Sprintf("for %s := range %d {", i, 1+g.intn(4))
	case 3:
		head = fmt.Sprintf("for %s := range seq#(%d) {", i, 1+g.intn(4))
		if g.chance(30) {
			out = append(out, fmt.Sprintf("defer func() { fmt.Print(\"ld\", %s, \" \") }()", i))
		}
	case 4, 5:
		v := g.name("w")
		head = fmt.Sprintf("for %s, %s := range (%s) {", i, v, g.ints(s, 0))
		if g.chance(40) {
			head = fmt.Sprintf("for %s, %s := range enum#(%s) {", i, v, g.ints(s, 0))
		}
		out = append(out, "_ = "+v)
		inner = append(inner, variable{v, "int"})
	case 6:
		v := g.name("w")
		head = fmt.Sprintf("for %s, %s := range %q {", i, v, g.pick("ab", "héx", "", "\xffz"))
		out = append(out, fmt.Sprintf("fmt.Print(string(%s), %s)", v, v))
	case 7:
		v := g.name("w")
		head = fmt.Sprintf("for %s, %s := range ([3]int{%s, 2}) {", i, v, g.int(s, 1))
		inner = append(inner, variable{v, "int"})
		out = append(out, "_ = "+v)
	case 8:
		head = fmt.Sprintf("for %s := 3; ; %s -= 1 {", i, i)
		out = append(out, fmt.Sprintf("if %s < 0 { break }", i))
	}
	out = append(out, "_ = "+i)
	if g.chance(30) {
		out = append(out, fmt.Sprintf("fs# = append(fs#, func() int { return %s })", g.int(inner, 2)))
	}
	out = append(out, g.block(&inner, d+1, frame{leave: leave, returns: f.returns})...)
	if label != "" {
		out = append(out, fmt.Sprintf("if (%s) { %s %s }", g.bool(inner, 1), g.pick("break", "continue"), label))
		return append([]string{label + ":", head}, append(out, "}")...)
	}
	return append([]string{head}, append(out, "}")...)
}

func (g *generator) switches(s scope, d int, f frame) []string {
	var leave []string // a break leaves the switch
	for _, l := range f.leave {
		if l != "break" {
			leave = append(leave, l)
		}
	}
	f.leave = leave
	if g.chance(30) {
		out := []string{"switch {"}
		for range 1 + g.intn(3) {
			out = append(append(out, "case "+g.bool(s, 1)+":"), g.block(&s, d+1, f)...)
		}
		return append(append(append(out, "default:"), g.block(&s, d+1, f)...), "}")
	}
	out := []string{g.pick(fmt.Sprintf("switch (%s) {", g.int(s, 0)), fmt.Sprintf("switch x := (%s); x %% 3 {", g.int(s, 0)))}
	for i := range 1 + g.intn(3) {
		c := fmt.Sprintf("case %d:", i)
		if i == 0 {
			c = "case 0, 7:"
		}
		out = append(append(out, c), g.block(&s, d+1, f)...)
		if i == 0 && g.chance(20) {
			out = append(out, "fallthrough", "case 11:", "fmt.Println(\"ft\")")
		}
	}
	if g.chance(60) {
		out = append(append(out, "default:"), g.block(&s, d+1, f)...)
	}
	return append(out, "}")
}

func (g *generator) channels(s scope) []string {
	ch := g.name("ch")
	out := []string{fmt.Sprintf("%s := make(chan %s, 3)", ch, g.pick("int", "int"))}
	out = append(out, fmt.Sprintf("go func() { defer close(%s); for i := range 3 { %s <- i * %d } }()", ch, ch, 1+g.intn(4)))
	switch g.intn(3) {
	case 0:
		out = append(out, fmt.Sprintf("for x := range %s { fmt.Print(x, \" \") }", ch))
	case 1:
		out = append(out, fmt.Sprintf("for n := 0; n < 5; n++ { select { case x, ok := <-%s: fmt.Print(x, ok, \" \"); case <-time.After(5 * time.Second): fmt.Println(\"late\") } }", ch))
	case 2:
		out = append(out, fmt.Sprintf("{ a, b := <-%s, <-%s; c, ok := <-%s; fmt.Println(a, b, c, ok) }", ch, ch, ch), fmt.Sprintf("<-%s", ch))
	}
	return append(out, g.pick(
		fmt.Sprintf("select { case x, ok := <-%s: fmt.Println(x, ok); default: fmt.Println(\"def\") }", ch),
		fmt.Sprintf("{ x, ok := <-%s; fmt.Println(x, ok, len(%s), cap(%s)) }", ch, ch, ch),
		fmt.Sprintf("{ out := make(chan string, 1); select { case out <- %s: fmt.Println(<-out); case <-(chan int)(nil): } }", g.string(s, 1))))
}
