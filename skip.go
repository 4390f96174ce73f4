package gonterp

import "github.com/gonterp/gonterp/runtime/trace"

// Skip leaves the block out of the open pass: its output is its input, or with.
func (l *Layer) Skip(with ...*Tensor) {
	skip(l.LayerInput, l.AttentionNormOutput, with, func(x *Tensor) *Tensor { return x })
}

// Skip leaves the attention out of the open pass: it adds nothing to the stream,
// or with.
func (a *SelfAttn) Skip(with ...*Tensor) { skip(a.AttentionOutput, a.AttentionQueries, with, zero) }

// Skip leaves the MLP out of the open pass: it adds nothing to the stream, or with.
func (p *MLP) Skip(with ...*Tensor) { skip(p.MLPOutput, p.MLPOutput, with, zero) }

func zero(x *Tensor) *Tensor { return x.Mul(0) }

// skip makes the module of the point `of` give its stand-in. first is a value that
// the module computes and whose place has not been passed.
func skip(of, first *Point, with []*Tensor, standIn trace.SkipFunc) {
	o := of.pass()
	if len(with) > 1 {
		panic(argumentErrorf("Skip takes one tensor to use instead, not %d", len(with)))
	}
	if len(with) == 1 {
		t := with[0]
		standIn = func(x *Tensor) *Tensor { return t.To(x.DType()).Expand(x.Shape()...) }
	}
	o.pass.Skip(o.core.plan.Site(of.resolve()).Module, first.resolve(), standIn)
}
