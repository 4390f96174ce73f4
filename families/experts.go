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
	slots := x.sort(indices, tokens.Device())
	h := x.eachRows(slots, nn.Rows(flat, slots.token), (*gatedMLP).neurons)
	if s.Watched() {
		ordered := nn.Rows(h, slots.place).Reshape(batch, seq, x.topK, x.width)
		if y := s.At(point.ExpertNeurons, ordered); y != ordered {
			h = nn.Rows(y.Reshape(-1, x.width), slots.slot)
		}
	}
	e := x.eachRows(slots, h, (*gatedMLP).project)
	e = nn.Rows(e, slots.place).Reshape(batch, seq, x.topK, x.hidden)
	e = s.At(point.ExpertOutputs, e.Mul(weights.Unsqueeze(3)))
	return e.Sum(2).To(tokens.DType())
}

// neurons and project are the two halves of an expert.
func (m *gatedMLP) neurons(x *torch.Tensor) *torch.Tensor {
	return m.act(m.gate.Apply(x)).Mul(m.up.Apply(x))
}

func (m *gatedMLP) project(h *torch.Tensor) *torch.Tensor { return m.down.Apply(h) }

// slots are all slots of a call, sorted by expert.
type slots struct {
	token *torch.Tensor // the token of each sorted slot
	slot  *torch.Tensor // which slot it is
	place *torch.Tensor // where each slot went
	runs  []run
}

// run is the stretch of sorted slots of one expert.
type run struct{ expert, from, to int }

func (x *experts) sort(indices *torch.Tensor, device torch.Device) *slots {
	n := indices.Numel()
	if device.IsMeta() {
		any := torch.Empty(torch.Int64, device, n)
		return &slots{any, any, any, []run{{0, 0, n}}}
	}
	chosen := indices.Ints()
	counts := make([]int, len(x.each)+1)
	for _, e := range chosen {
		if e < 0 || int(e) >= len(x.each) {
			panic(&ExpertError{int(e), len(x.each)})
		}
		counts[e+1]++
	}
	s := &slots{}
	for e := range x.each {
		if counts[e+1] > 0 {
			s.runs = append(s.runs, run{e, counts[e], counts[e] + counts[e+1]})
		}
		counts[e+1] += counts[e]
	}
	token, slot, place := make([]int64, n), make([]int64, n), make([]int64, n)
	for i, e := range chosen {
		at := counts[e]
		counts[e]++
		token[at], slot[at], place[i] = int64(i/x.topK), int64(i), int64(at)
	}
	s.token = torch.FromInts(token, n).ToDevice(device)
	s.slot = torch.FromInts(slot, n).ToDevice(device)
	s.place = torch.FromInts(place, n).ToDevice(device)
	return s
}

// eachRows maps every expert's rows of the sorted in.
func (x *experts) eachRows(s *slots, in *torch.Tensor, f func(*gatedMLP, *torch.Tensor) *torch.Tensor) *torch.Tensor {
	out := make([]*torch.Tensor, len(s.runs))
	for i, r := range s.runs {
		out[i] = f(x.each[r.expert], in.Narrow(0, r.from, r.to-r.from))
	}
	if len(out) == 1 {
		return out[0]
	}
	return torch.Cat(0, out...)
}
