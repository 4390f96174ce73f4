package torch

// Some ops have no form on the meta device outside Python. What a scan needs of
// them is a shape and a dtype, which follow from the arguments.

// shapeOnly is a meta tensor of a shape.
func shapeOnly(dtype DType, shape []int) *Tensor { return Empty(dtype, Meta, shape...) }

// reduced is t's shape without the axes ds.
func (t *Tensor) reduced(ds []int) []int {
	var shape []int
	for i, n := range t.shape {
		keep := true
		for _, d := range ds {
			keep = keep && d != i
		}
		if keep {
			shape = append(shape, n)
		}
	}
	return shape
}

// together is the shape that the arguments of an op stretch to.
func together(op string, ts ...*Tensor) []int {
	shape := ts[0].shape
	for _, t := range ts[1:] {
		joint, ok := broadcast(shape, t.shape)
		if !ok {
			args := make([]arg, len(ts))
			for i, t := range ts {
				args[i] = tensor(t)
			}
			refuse(op, args, "the shapes %v and %v do not broadcast", shape, t.shape)
		}
		shape = joint
	}
	return shape
}
