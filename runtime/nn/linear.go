package nn

import (
	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
)

// Linear is x·Wᵀ + b.
type Linear struct {
	Weight *Param // [out in]
	Bias   *Param // [out], nil: none
}

// Linear makes the module whose weight is name.weight.
func (b *Builder) Linear(name string, in, out int, bias bool) *Linear {
	return &Linear{b.Param(name+".weight", out, in), b.Optional(bias, name+".bias", out)}
}

// Forward maps [... in] to [... out]. s is the module's own scope.
func (l *Linear) Forward(s point.Scope, x *torch.Tensor) *torch.Tensor {
	return s.Output(l.Apply(s.Input(x)))
}

// Apply is Forward with nobody looking.
func (l *Linear) Apply(x *torch.Tensor) *torch.Tensor {
	if l.Bias != nil {
		return x.Linear(l.Weight.On(x), l.Bias.On(x))
	}
	if y := product(x, l.Weight); y != nil {
		return y
	}
	return x.Linear(l.Weight.On(x), nil)
}
