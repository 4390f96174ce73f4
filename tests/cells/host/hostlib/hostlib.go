// Package hostlib has the shapes of compiled APIs that a cell meets.
package hostlib

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

type Namer interface{ Name() string }
type Shaper interface {
	Namer
	Shape() []int
}
type Base struct{ ID int }

func (b *Base) Ident() int   { return b.ID }
func (b Base) Hello() string { return fmt.Sprintf("hello from %d", b.ID) }

type Tensor struct {
	Base
	Namer
	Data []float32
	Dims []int
}

func (t *Tensor) Shape() []int   { return t.Dims }
func (t *Tensor) String() string { return fmt.Sprintf("Tensor%v", t.Dims) }
func (t *Tensor) Add(o *Tensor) *Tensor {
	r := &Tensor{Dims: t.Dims, Data: append([]float32(nil), t.Data...)}
	for i := range r.Data {
		r.Data[i] += o.Data[i]
	}
	return r
}
func New(dims ...int) *Tensor {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return &Tensor{Base: Base{ID: n}, Dims: dims, Data: make([]float32, n)}
}

type Option func(*cfg)
type cfg struct {
	temp float64
	n    int
}

func WithTemp(t float64) Option { return func(c *cfg) { c.temp = t } }
func WithN(n int) Option        { return func(c *cfg) { c.n = n } }
func Generate(prompt string, opts ...Option) string {
	c := cfg{1, 1}
	for _, o := range opts {
		o(&c)
	}
	return fmt.Sprintf("%s t=%g n=%d", prompt, c.temp, c.n)
}
func CallNamer(n Namer) string   { return "<" + n.Name() + ">" }
func CallShaper(s Shaper) string { return fmt.Sprint(s.Name(), s.Shape()) }
func Each(xs []int, f func(int) error) error {
	for _, x := range xs {
		if err := f(x); err != nil {
			return fmt.Errorf("each: %w", err)
		}
	}
	return nil
}
func Describe(v any) string { return fmt.Sprintf("%v|%+v|%T", v, v, v) }
func Printv(v any) string   { return fmt.Sprintf("%v", v) }
func Map[T, U any](xs []T, f func(T) U) []U {
	var r []U
	for _, x := range xs {
		r = append(r, f(x))
	}
	return r
}

type Pair[A, B any] struct {
	First  A
	Second B
}

func (p Pair[A, B]) Swap() Pair[B, A] { return Pair[B, A]{p.Second, p.First} }
func IntPair(a, b int) Pair[int, int] { return Pair[int, int]{a, b} }

func Seq(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; i < n; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

type MyErr struct{ Code int }

func (e *MyErr) Error() string { return fmt.Sprintf("myerr %d", e.Code) }

var ErrSentinel = errors.New("sentinel")

func Fail(code int) error {
	if code == 0 {
		return fmt.Errorf("wrapped: %w", ErrSentinel)
	}
	return fmt.Errorf("wrapped: %w", &MyErr{code})
}
func Block()                             { select {} }
func Sleep(d time.Duration)              { time.Sleep(d) }
func BlockCtx(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
func Panics(msg string)                  { panic(msg) }
func IsErr(err, target error) bool       { return errors.Is(err, target) }

type Visitor interface{ Visit(x int) Visitor }

func Walk(v Visitor, n int) int {
	c := 0
	for i := 0; i < n && v != nil; i++ {
		v = v.Visit(i)
		c++
	}
	return c
}
