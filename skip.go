package gonterp

import (
	"strings"

	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/trace"
)

// Skip leaves the block out of the open pass: its output is its input, or with.
func (l *Layer) Skip(with ...*Tensor) {
	skip(l.LayerOutput, l.AttentionNormOutput, with, func(x *Tensor) *Tensor { return x })
}

// Skip leaves the attention out of the open pass: it adds nothing to the stream,
// or with.
func (a *SelfAttn) Skip(with ...*Tensor) { skip(a.AttentionOutput, a.AttentionQueries, with, zero) }

// Skip leaves the MLP out of the open pass: it adds nothing to the stream, or with.
func (p *MLP) Skip(with ...*Tensor) { skip(p.MLPOutput, p.MLPOutput, with, zero) }

func zero(x *Tensor) *Tensor { return x.Mul(0) }

// skip makes the module whose output is the point `of` give its stand-in. first is
// a value that the module computes and whose place has not been passed.
func skip(of, first *Point, with []*Tensor, standIn trace.SkipFunc) {
	o := of.pass()
	if len(with) > 1 {
		panic(argumentErrorf("Skip takes one tensor to use instead, not %d", len(with)))
	}
	if len(with) == 1 && with[0] == nil {
		panic(argumentErrorf("Skip: the tensor to use instead is nil"))
	}
	defer o.show(of.row)()
	if o.row >= 0 && len(o.inputs.rows) > 1 {
		skipRows(of, with, standIn)
		return
	}
	if len(with) == 1 {
		t := with[0]
		standIn = func(x *Tensor) *Tensor {
			if !trace.Broadcasts(t.Shape(), x.Shape()) {
				panic(&trace.ShapeError{Path: of.path, Found: t.Shape(), Want: x.Shape()})
			}
			return t.To(x.DType()).Expand(x.Shape()...)
		}
	}
	o.pass.Skip(o.core.plan.Site(of.resolve()).Module, first.resolve(), standIn)
}

// skipRows is skip for one prompt among several: the others need the module, so it
// runs, and that prompt's rows of its output are replaced.
func skipRows(of *Point, with []*Tensor, standIn trace.SkipFunc) {
	if len(with) == 1 {
		of.Set(with[0])
		return
	}
	if of.name == point.LayerOutput {
		in := &Point{core: of.core, path: strings.TrimSuffix(of.path, of.name.String()) + point.LayerInput.String(), name: point.LayerInput, standard: true, row: of.row}
		of.Set(in.Value())
		return
	}
	of.Set(standIn(of.Value()))
}
