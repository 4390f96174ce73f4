package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A program is declarations with names that end in its number, among them a function progN.
type program struct {
	id   int
	text string
}

// A variable is something that a generated expression can name.
type variable struct{ name, typ string }

// A scope is what is in sight; it is copied where a block begins.
type scope []variable

// A generator writes one program. Types are named by letters: "int", "string",
// "P" for the program's own struct P, and so on; see named.
type generator struct {
	r     *rand.Rand
	n     int
	names int
}

func generate(seed uint64, id int) program {
	g := &generator{r: rand.New(rand.NewPCG(seed, uint64(id))), n: id}
	var s scope
	body := g.block(&s, 0, frame{top: true})
	for range 6 {
		body = append(body, g.statement(&s, 0, frame{top: true})...)
	}
	text := g.expand(declarations) + "func prog# () {\n" + strings.Join(body, "\n") + "\nfor _, f := range fs# { fmt.Print(f(), \" \") }\nfmt.Println()\n}\n"
	return program{id, g.expand(text)}
}

// expand puts the program's number where a text has a #.
func (g *generator) expand(s string) string { return strings.ReplaceAll(s, "#", fmt.Sprint(g.n)) }

func (g *generator) intn(n int) int { return g.r.IntN(n) }

func (g *generator) pick(s ...string) string { return s[g.intn(len(s))] }

func (g *generator) chance(percent int) bool { return g.intn(100) < percent }

func (g *generator) name(prefix string) string {
	g.names++
	return fmt.Sprint(prefix, g.names)
}

// variable is one of a type, "" if there is none.
func (g *generator) variable(s scope, typ string) string {
	var have []string
	for _, v := range s {
		if v.typ == typ {
			have = append(have, v.name)
		}
	}
	if len(have) == 0 {
		return ""
	}
	return g.pick(have...)
}

// declarations are what all programs have; what they do depends on the rest.
const declarations = `
var errBase# = errors.New("base")
var fs# []func() int
var seqs# int
var cnt# = 3
type In# struct { A int }
type P# struct { X int; S string; In In# }
type N# int
type U# uint8
type F# float64
type Text# string
type E# struct { C int }
type L# struct { V any }
type Shape# interface { Area() int }
type Named# interface { Shape#; Name() string }
type Sq# int
type Rect# struct { W, H int }
type Wrap# struct { Shape# }
type Base# struct { ID int; tag string }
type Mid# struct { *Base#; In# }
type Deep# struct { Mid#; Label string }
type Pair#[A, B any] struct { First A; Second B }
type Stack#[T any] struct { xs []T }
type List# struct { V int; Next *List# }
type Tree# struct { Kids map[string]*Tree#; V int }
type Op# func(int, int) int
type Ints# []int
type Dict# map[string]int
type Vec# [3]int
type Num# interface { ~int | ~float64 }
type Tagged# struct { Name string ` + "`json:\"name\"`" + `; Age int ` + "`json:\"age,omitempty\"`" + `; hidden int; Sub *Tagged# ` + "`json:\"sub,omitempty\"`" + ` }
const ( C0# = iota; C1#; C2# = "c" + "d"; C3# = 1 << (iota + 2) )
func (p P#) Sum(k int) int { return p.X + p.In.A*k + len(p.S) }
func (p *P#) Inc(k int) { p.X += k }
func (x N#) String() string { return fmt.Sprintf("N<%d>", int(x)) }
func (x Text#) Up() Text# { return Text#(strings.ToUpper(string(x))) }
func (x F#) Half() F# { return x / 2 }
func (i In#) String() string { return "in" + fmt.Sprint(i.A) }
func (e *E#) Error() string { return fmt.Sprintf("E%d", e.C) }
func (e *E#) Is(t error) bool { return t == errBase# && e.C%2 == 0 }
func (q Sq#) Area() int { return int(q) * int(q) }
func (q Sq#) Name() string { return "sq" }
func (r *Rect#) Area() int { return r.W * r.H }
func (b *Base#) Describe() string { return fmt.Sprint(b.ID, b.tag) }
func (b Base#) Plus(n int) int { return b.ID + n }
func (s *Stack#[T]) Push(x T) { s.xs = append(s.xs, x) }
func (s *Stack#[T]) Pop() (x T, ok bool) { if len(s.xs) == 0 { return }; x, ok = s.xs[len(s.xs)-1], true; s.xs = s.xs[:len(s.xs)-1]; return }
func (l *List#) Len() int { if l == nil { return 0 }; return 1 + l.Next.Len() }
func (o Op#) Twice(a int) int { return o(o(a, 1), 2) }
func (s Ints#) Total() (t int) { for _, x := range s { t += x }; return }
func (d Dict#) Keys() []string { var ks []string; for k := range d { ks = append(ks, k) }; sort.Strings(ks); return ks }
func (v Vec#) Add(w Vec#) Vec# { for i := range v { v[i] += w[i] }; return v }
func (v *Vec#) Scale(k int) { for i := range v { v[i] *= k } }
func (t *Tree#) Sum() int { s := t.V; for _, k := range t.Kids { s += k.Sum() }; return s }
func Add#[T int | string](a, b T) T { return a + b }
func Map#[T, U any](xs []T, f func(T) U) []U { var r []U; for _, x := range xs { r = append(r, f(x)) }; return r }
func Fold#[T, A any](xs []T, a A, f func(A, T) A) A { for _, x := range xs { a = f(a, x) }; return a }
func Total#[T Num#](xs ...T) (t T) { for _, x := range xs { t += x }; return }
func Find#[K comparable, V any](m map[K]V, k K) (V, bool) { v, ok := m[k]; return v, ok }
func seq#(m int) func(func(int) bool) { return func(yield func(int) bool) { defer func() { seqs#++ }(); for i := 0; i < m; i++ { if !yield(i) { return } } } }
func enum#[T any](xs []T) func(func(int, T) bool) { return func(yield func(int, T) bool) { for i, x := range xs { if !yield(i, x) { return } } } }
func collect#[T any](f func(func(T) bool)) (r []T) { for x := range f { r = append(r, x) }; return }
func at#(xs []int, i int) int { if len(xs) == 0 { return -1 }; if i < 0 { i = -i }; if i < 0 { i = 0 }; return xs[i%len(xs)] }
func two#(a int) (x int, s string) { defer func() { x++ }(); x = a * 2; s = fmt.Sprint(a); return x + 1, s + "." }
func safe#(a, b int) (r int, err error) { defer func() { if e := recover(); e != nil { err = fmt.Errorf("safe: %w", e.(error)); r = -1 } }(); return a / b, nil }
func try#(f func()) { defer func() { if e := recover(); e != nil { if err, ok := e.(error); ok { fmt.Println("rec", err) } else { fmt.Println("rec", e) } } }(); f() }
func nest#(d int) (s string) { defer func() { if e := recover(); e != nil { s = fmt.Sprint("<", e, ">"); if d%2 == 0 { panic(fmt.Sprint("again", d)) } } }(); if d > 0 { return nest#(d-1) + "x" }; panic("deep") }
func kind#(v any) string { switch v.(type) { case nil: return "nil"; case int: return "int"; case error: return "error"; case fmt.Stringer: return "str"; case Named#: return "named"; case Shape#: return "shape"; case func() int: return "func"; case map[string]int, []int: return "coll" }; return "other" }
func gcd#(a, b int) int { if b == 0 { return a }; return gcd#(b, a%b) }
func vari#(p string, xs ...any) string { return p + fmt.Sprint(len(xs)) + fmt.Sprint(xs...) }
func id#(x int) int { return x }
func fl#(x float64) float64 { return x }
func co#(x complex128) complex128 { return x }
`
