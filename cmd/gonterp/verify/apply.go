package verify

import (
	"fmt"
	"strings"

	"github.com/gonterp/gonterp"
)

func splitPath(path string) (module, last string) {
	i := strings.LastIndex(path, ".")
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}

// sibling is another value of the same module.
func sibling(path, name string) string {
	module, _ := splitPath(path)
	return module + "." + name
}

// slotted says whether a value has an axis of slots, whose order is free.
func slotted(path string) bool {
	_, last := splitPath(path)
	return last == "expert_weights" || last == "expert_outputs" || last == "expert_indices"
}

func hasExpert(ops []op, path string) bool {
	for _, o := range ops {
		if o.At == path && o.Expert != nil {
			return true
		}
	}
	return false
}

// apply is value after an intervention.
func (f *folder) apply(o op, value *gonterp.Tensor, got map[string]*gonterp.Tensor) *gonterp.Tensor {
	index := make([]any, value.Dim())
	for d := range index {
		index[d] = gonterp.All
		if d < len(o.Index) && o.Index[d] != nil {
			e := o.Index[d]
			to := gonterp.End
			if e.to != nil {
				to = *e.to
			}
			index[d] = gonterp.Range(*e.from, to)
		}
	}
	part := value.Index(index...)
	changed := f.change(o, part, index)
	if o.Expert != nil {
		slots := got[sibling(o.At, "expert_indices")].Index(index[:min(3, len(index))]...).Eq(*o.Expert)
		for slots.Dim() < part.Dim() {
			slots = slots.Unsqueeze(-1)
		}
		changed = gonterp.Where(slots, changed, part)
	}
	return value.SetAt(changed, index...)
}

// change is the selected part rewritten.
func (f *folder) change(o op, part *gonterp.Tensor, index []any) *gonterp.Tensor {
	key := func() *gonterp.Tensor {
		t := f.inputs[o.Key]
		if t == nil {
			panic(fmt.Errorf("%s: inputs.safetensors has no %q", o.At, o.Key))
		}
		return t.To(part.DType())
	}
	switch o.Op {
	case "scale":
		return part.Mul(o.By)
	case "add":
		return part.Add(o.By)
	case "add_vector":
		return part.Add(key())
	case "project_out":
		v := key()
		along := part.Mul(v).SumKeep(-1).Div(v.Mul(v).Sum())
		return part.Sub(along.Mul(v))
	case "write":
		if o.Value != nil {
			return part.Mul(0).Add(*o.Value)
		}
		return key().Expand(part.Shape()...)
	case "set_from":
		t := f.expected[o.Run+"/"+o.At]
		if t == nil {
			panic(fmt.Errorf("%s: expected.safetensors has no %s/%s", o.At, o.Run, o.At))
		}
		return t.Index(index...).To(part.DType())
	case "zero_expert":
		return part.Mul(0)
	}
	panic(fmt.Errorf("%s: unknown operation %q", o.At, o.Op))
}
