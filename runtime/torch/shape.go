package torch

import "slices"

var (
	opReshape, opView  = newView("Reshape", "reshape", "", perhaps), newView("View", "view", "", always)
	opTranspose        = newView("Transpose", "transpose", "int", always)
	opPermute          = newView("Permute", "permute", "", always)
	opUnsqueeze        = newView("Unsqueeze", "unsqueeze", "", always)
	opSqueeze          = newView("Squeeze", "squeeze", "dim", always)
	opExpand           = newView("Expand", "expand", "", always)
	opContiguous       = newView("Contiguous", "contiguous", "", perhaps)
	opNarrow, opSelect = newView("Narrow", "narrow", "", always), newView("Select", "select", "int", always)
	opFlip, opRoll     = newOp("Flip", "flip", ""), newOp("Roll", "roll", "")
	opRepeat           = newOp("Repeat", "repeat", "")
	opTril, opTriu     = newOp("Tril", "tril", ""), newOp("Triu", "triu", "")
	opDiagonal         = newView("Diagonal", "diagonal", "", always)
	opCat, opStack     = newOp("Cat", "cat", ""), newOp("Stack", "stack", "")
)

// Reshape is the same elements, row by row, in another shape; one length may be
// -1, for what is left.
func (t *Tensor) Reshape(shape ...int) *Tensor {
	return opReshape.call(tensor(t), integers(shape)).ifSame(t)
}

// View is Reshape that never copies, and is an error where it would have to.
func (t *Tensor) View(shape ...int) *Tensor { return opView.call(tensor(t), integers(shape)).ifSame(t) }

func (t *Tensor) ifSame(from *Tensor) *Tensor {
	if slices.Equal(t.shape, from.shape) {
		t.origin = from.origin
	}
	return t
}

// Flatten makes the axes from to to, both included, one.
func (t *Tensor) Flatten(from, to int) *Tensor {
	if len(t.shape) == 0 {
		return t.Reshape(1)
	}
	from, to = t.axis("Flatten", from), t.axis("Flatten", to)
	if from > to {
		refuse("Flatten", []arg{tensor(t)}, "axis %d comes after axis %d", from, to)
	}
	k := 1
	for _, s := range t.shape[from : to+1] {
		k *= s
	}
	return t.Reshape(slices.Concat(t.shape[:from], []int{k}, t.shape[to+1:])...)
}

// Transpose exchanges two axes.
func (t *Tensor) Transpose(a, b int) *Tensor {
	a, b = t.axis("Transpose", a), t.axis("Transpose", b)
	r := opTranspose.call(tensor(t), integer(a), integer(b))
	if t.origin == nil {
		return r
	}
	order := make([]int, len(t.shape))
	for i := range order {
		order[i] = i
	}
	order[a], order[b] = b, a
	return r.reordered(t, order)
}

// T exchanges the last two axes.
func (t *Tensor) T() *Tensor {
	if len(t.shape) < 2 {
		refuse("T", []arg{tensor(t)}, "it needs two axes")
	}
	return t.Transpose(-2, -1)
}

// Permute puts the axes into that order.
func (t *Tensor) Permute(order ...int) *Tensor {
	r := opPermute.call(tensor(t), integers(order))
	if t.origin == nil {
		return r
	}
	ds := make([]int, len(order))
	for i, d := range order {
		ds[i] = t.axis("Permute", d)
	}
	return r.reordered(t, ds)
}

// Unsqueeze adds an axis of length 1 before axis d.
func (t *Tensor) Unsqueeze(d int) *Tensor {
	d = axisOf("Unsqueeze", t, d, len(t.shape)+1)
	return opUnsqueeze.call(tensor(t), integer(d)).inserted(t, d)
}

// Squeeze takes axes of length 1 away: those given, or all.
func (t *Tensor) Squeeze(dims ...int) *Tensor {
	var ds []int
	for _, d := range t.axes("Squeeze", dims) {
		if t.shape[d] == 1 {
			ds = append(ds, d)
		}
	}
	slices.Sort(ds)
	slices.Reverse(ds)
	r := t
	for _, d := range slices.Compact(ds) {
		r = opSqueeze.call(tensor(r), integer(d)).without(r, d)
	}
	return r
}

// Expand repeats axes of length 1 without a copy, and adds axes in front; -1 keeps
// a length.
func (t *Tensor) Expand(shape ...int) *Tensor {
	return opExpand.call(tensor(t), integers(shape), boolean(false)).ifSame(t)
}

// Contiguous is t with its elements in row-major order: t itself where they are, else
// a copy.
func (t *Tensor) Contiguous() *Tensor {
	if t.IsContiguous() {
		return t
	}
	return opContiguous.call(tensor(t), integer(0)).sameAs(t)
}

// Narrow is n indices of axis d from start on. Select is one, and takes the axis away.
func (t *Tensor) Narrow(d, start, n int) *Tensor {
	d = t.axis("Narrow", d)
	size := t.shape[d]
	from := start
	if from < 0 {
		from += size
	}
	if from < 0 || n < 0 || from+n > size {
		refuse("Narrow", []arg{tensor(t)}, "indices %d to %d are not all on axis %d, which has %d", start, start+n-1, d, size)
	}
	r := opNarrow.call(tensor(t), integer(d), integer(from), integer(n))
	if t.origin == nil {
		return r
	}
	return r.relabelled(t, d, func(l []string) []string { return l[from : from+n] })
}

// Select is index i of axis d, which goes away; negative i counts from the end.
func (t *Tensor) Select(d, i int) *Tensor {
	d = t.axis("Select", d)
	return opSelect.call(tensor(t), integer(d), integer(t.index("Select", d, i))).without(t, d)
}

// index checks an index on axis d.
func (t *Tensor) index(op string, d, i int) int {
	size := t.shape[d]
	if i < -size || i >= size {
		refuse(op, []arg{tensor(t)}, "index %d is out of range on axis %d%s, whose size is %d", i, d, t.axisName(d), size)
	}
	if i < 0 {
		i += size
	}
	return i
}

func (t *Tensor) axisName(d int) string {
	if t.origin != nil && d < len(t.origin.Axes) && t.origin.Axes[d] != "" {
		return " (" + t.origin.Axes[d] + ")"
	}
	return ""
}

// Split cuts axis d into parts of those sizes.
func (t *Tensor) Split(d int, sizes ...int) []*Tensor {
	d = t.axis("Split", d)
	sum := 0
	for _, s := range sizes {
		sum += s
	}
	if sum != t.shape[d] {
		refuse("Split", []arg{tensor(t), integers(sizes)}, "the sizes add up to %d, and axis %d has %d", sum, d, t.shape[d])
	}
	parts, from := make([]*Tensor, len(sizes)), 0
	for i, s := range sizes {
		parts[i] = t.Narrow(d, from, s)
		from += s
	}
	return parts
}

// Chunk cuts axis d into n parts, the last one shorter where it must be.
func (t *Tensor) Chunk(n, d int) []*Tensor {
	d = t.axis("Chunk", d)
	if n < 1 {
		refuse("Chunk", []arg{tensor(t)}, "%d parts", n)
	}
	size := t.shape[d]
	step := max(1, (size+n-1)/n)
	var parts []*Tensor
	for from := 0; from == 0 || from < size; from += step {
		parts = append(parts, t.Narrow(d, from, min(step, size-from)))
	}
	return parts
}

// Flip reverses axis d.
func (t *Tensor) Flip(d int) *Tensor {
	d = t.axis("Flip", d)
	var flipped *Tensor
	if t.device.IsMeta() {
		flipped = shapeOnly(t.dtype, t.shape)
	} else {
		flipped = opFlip.call(tensor(t), integers([]int{d}))
	}
	return flipped.relabelled(t, d, func(l []string) []string {
		l = slices.Clone(l)
		slices.Reverse(l)
		return l
	})
}

// Roll moves elements by shift along axis d, the last ones to the front.
func (t *Tensor) Roll(shift, d int) *Tensor {
	d = t.axis("Roll", d)
	return opRoll.call(tensor(t), integers([]int{shift}), integers([]int{d})).unlabelled(t, []int{d})
}

// Repeat puts copies side by side: times[i] of them along axis i.
func (t *Tensor) Repeat(times ...int) *Tensor {
	return opRepeat.call(tensor(t), integers(times)).ifSame(t)
}

// Tril keeps the elements on and below a diagonal and zeros the rest; 0 is the main
// diagonal, 1 the one above it.
func (t *Tensor) Tril(diagonal int) *Tensor {
	return opTril.call(tensor(t), integer(diagonal)).sameAs(t)
}

// Triu keeps the elements on and above a diagonal and zeros the rest; 0 is the main
// diagonal, 1 the one above it.
func (t *Tensor) Triu(diagonal int) *Tensor {
	return opTriu.call(tensor(t), integer(diagonal)).sameAs(t)
}

// Diagonal is the diagonal of the last two axes, as the last axis.
func (t *Tensor) Diagonal(offset int) *Tensor {
	if len(t.shape) < 2 {
		refuse("Diagonal", []arg{tensor(t)}, "it needs two axes")
	}
	return opDiagonal.call(tensor(t), integer(offset), integer(-2), integer(-1))
}

// Cat joins tensors along an axis they have.
func Cat(dim int, ts ...*Tensor) *Tensor {
	if len(ts) == 0 {
		panic(&Error{Op: "Cat", Text: "it needs at least one tensor"})
	}
	direct := len(ts) <= maxCat
	for _, t := range ts {
		direct = direct && t != nil && t.device.IsCPU() && t.h != 0
	}
	if direct {
		th := begin()
		if th.mode == 0 {
			from := nout
			for _, t := range ts {
				*slot() = uint64(t.h)
			}
			h := slot()
			add(fn.cat, ptr(&out[from]), uint64(len(ts)), uint64(dim), ptr(h))
			return th.direct("Cat", h, tensors(ts), integer(dim))
		}
		mu.Unlock()
	}
	if len(ts) > maxCat {
		return Cat(dim, Cat(dim, ts[:maxCat]...), Cat(dim, ts[maxCat:]...))
	}
	return opCat.call(tensors(ts), integer(dim))
}

// maxCat tensors fit one program.
const maxCat = 500

// Stack joins tensors of one shape along a new axis.
func Stack(dim int, ts ...*Tensor) *Tensor {
	if len(ts) == 0 {
		panic(&Error{Op: "Stack", Text: "it needs at least one tensor"})
	}
	if len(ts) > maxCat {
		more := make([]*Tensor, len(ts))
		for i, t := range ts {
			more[i] = t.Unsqueeze(dim)
		}
		return Cat(dim, more...)
	}
	return opStack.call(tensors(ts), integer(dim))
}
