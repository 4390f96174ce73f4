package gonterp

import (
	"fmt"

	"github.com/gonterp/gonterp/runtime/torch"
)

// Grad is the gradient of loss, a single number made from values of the open
// pass, by each of the points, in their order and of their values' shapes. The
// pass must have been opened with Gradients(). A written value is differentiated
// as written. It may be called several times.
func (m *Model) Grad(loss *Tensor, of ...*Point) []*Tensor {
	o := m.current()
	if o == nil {
		panic(&NoPassError{"Grad"})
	}
	if loss == nil {
		panic(&GradientError{"Grad: the loss is nil"})
	}
	if loss.Numel() != 1 {
		panic(&GradientError{fmt.Sprintf("Grad: the loss has shape %v; a gradient is of one number. Take an element, or Sum() or Mean() it", loss.Shape())})
	}
	if !loss.RequiresGrad() {
		panic(&GradientError{"Grad: the loss does not depend on a recorded value. Open the pass with model.Trace(prompt, gonterp.Gradients()) and make the loss from its values, without Detach and Item"})
	}
	nodes := make([]*Tensor, len(of))
	for i, p := range of {
		if why := p.noGrad(); why != "" {
			panic(&GradientError{fmt.Sprintf("Grad: no gradient reaches %s: %s", p.path, why)})
		}
		nodes[i] = o.pass.Node(p.resolve())
	}
	grads := torch.Gradients(loss, nodes, true)
	for i, g := range grads {
		if g == nil {
			panic(&GradientError{fmt.Sprintf("Grad: nothing flows from the loss back to %s. It comes after the loss in the forward, or a write between them cut the way", of[i].path)})
		}
		spot := of[i].resolve()
		restore := o.show(of[i].row)
		grads[i] = o.label(o.cut(g, spot), of[i], spot)
		restore()
		grads[i].Origin().Note = "gradient"
	}
	return grads
}

// noGrad is why a point has no gradient, "" where it may have one.
func (p *Point) noGrad() string {
	if !p.standard {
		return ""
	}
	return p.name.Info().NoGrad
}
