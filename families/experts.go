package families

import (
	"fmt"

	"github.com/gonterp/gonterp/runtime/nn"
	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
)

// experts are the routed ones of a mixture.
type experts struct {
	topK, width, hidden int
	act                 activation
	each                []*gatedMLP
}

// ExpertError is panicked when a slot asks for an expert that there is not.
type ExpertError struct{ Expert, Experts int }

func (e *ExpertError) Error() string {
	return fmt.Sprintf("expert_indices has expert %d; the mixture's experts are 0 to %d", e.Expert, e.Experts-1)
}

// forward runs every slot's expert on its token and sums the weighted outputs in
// slot order. Slots are computed expert by expert, and shown in slot order.
func (x *experts) forward(s point.Scope, tokens, indices, weights *torch.Tensor) *torch.Tensor {
	batch, seq := tokens.Size(0), tokens.Size(1)
	flat := tokens.Reshape(batch*seq, x.hidden)
	slots := x.sort(indices)
	rows := nn.Gather(flat, slots.token)
	g := nn.Grouped(rows, slots.runs, func(e int) *nn.Linear { return x.each[e].gate })
	u := nn.Grouped(rows, slots.runs, func(e int) *nn.Linear { return x.each[e].up })
	h := x.act(g).Mul(u)
	if s.Wants(point.ExpertNeurons) {
		ordered := nn.Gather(h, slots.place).Reshape(batch, seq, x.topK, x.width)
		if y := s.At(point.ExpertNeurons, ordered); y != ordered {
			h = nn.Gather(y.Reshape(-1, x.width), slots.slot)
		}
	}
	e := nn.Grouped(h, slots.runs, func(e int) *nn.Linear { return x.each[e].down })
	if s.Wants(point.ExpertOutputs) {
		ordered := nn.Gather(e, slots.place).Reshape(batch, seq, x.topK, x.hidden)
		ordered = s.At(point.ExpertOutputs, ordered.Mul(weights.Unsqueeze(3)))
		return nn.SumSlots(ordered).To(tokens.DType())
	}
	return nn.Combine(e, slots.place, weights).Reshape(batch, seq, x.hidden).To(tokens.DType())
}

// slots are all slots of a call, sorted by expert.
type slots struct {
	token []int64  // the token of each sorted slot
	slot  []int64  // which slot it is
	place []int64  // where each slot went
	runs  []nn.Run // of one expert each
}

func (x *experts) sort(indices *torch.Tensor) *slots {
	n := indices.Numel()
	s := &slots{make([]int64, n), make([]int64, n), make([]int64, n), nil}
	if indices.Device().IsMeta() { // no values: any experts are as good as others
		s.runs = []nn.Run{{From: 0, To: n}}
		return s
	}
	chosen := indices.Ints()
	counts := make([]int, len(x.each)+1)
	for _, e := range chosen {
		if e < 0 || int(e) >= len(x.each) {
			panic(&ExpertError{int(e), len(x.each)})
		}
		counts[e+1]++
	}
	for e := range x.each {
		if counts[e+1] > 0 {
			s.runs = append(s.runs, nn.Run{Which: e, From: counts[e], To: counts[e] + counts[e+1]})
		}
		counts[e+1] += counts[e]
	}
	for i, e := range chosen {
		at := counts[e]
		counts[e]++
		s.token[at], s.slot[at], s.place[i] = int64(i/x.topK), int64(i), int64(at)
	}
	return s
}
