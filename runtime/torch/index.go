package torch

import (
	"fmt"
	"math"
	"slices"
)

// A Slice is a range of indices: what All and Range make for Index.
type Slice struct{ from, to int }

// End as the second end of a Range is the end of the axis.
const End = math.MaxInt

// All is every index of an axis.
var All = Slice{0, End}

// None adds an axis of length 1.
var None newAxis

type newAxis struct{}

// Range is the indices from a on, up to and without b. Negative numbers count from
// the end of the axis; beyond its end, the range stops there.
func Range(a, b int) Slice { return Slice{a, b} }

var (
	opIndex    = newOp("Index", "index", "Tensor")
	opPutInto  = newOp("SetAt", "index_put_", "")
	opCopyInto = newOp("SetAt", "copy_", "")
)

// Index is a part of t. For each axis it takes an int, which takes the axis away,
// All, Range(a, b), or several indices: an []int, an []int64 or a *Tensor of int64, or
// bools that say which to keep, as []bool or a *Tensor; None adds an axis. Axes
// without an index stay whole.
func (t *Tensor) Index(idx ...any) *Tensor {
	r, rest := t.slice("Index", idx, t.device.IsCUDA())
	if rest == nil {
		return r
	}
	ts, err := opIndex.try([]arg{tensor(r), optTensors(rest)})
	if err != nil || ts[0].Numel() == 0 { // a result without elements is not checked by libtorch
		t.slice("Index", idx, true)
	}
	if err != nil {
		panic(err)
	}
	return ts[0].indexed(r, rest)
}

// SetAt is a copy of t in which the part that Index(idx...) would give is v, a
// number or a tensor that broadcasts to it.
func (t *Tensor) SetAt(v any, idx ...any) *Tensor {
	o := operand("SetAt", t, v)
	if o.dtype.IsFloat() && !t.dtype.IsFloat() {
		if n, isNumber := numberOf(v); !isNumber || n.v != math.Trunc(n.v) || math.IsInf(n.v, 0) {
			refuse("SetAt", []arg{tensor(t), tensor(o)}, "fractions do not fit among whole numbers; convert them first, with Long()")
		}
	}
	c := t.Clone()
	part, rest := c.slice("SetAt", idx, t.device.IsCUDA())
	if rest != nil {
		if _, err := opPutInto.try([]arg{tensor(part), optTensors(rest), tensor(o.To(t.dtype)), boolean(false)}); err != nil {
			c.slice("SetAt", idx, true)
			panic(err)
		}
		return c
	}
	opCopyInto.call(tensor(part), tensor(o), boolean(false))
	return c
}

// slice applies the ints, ranges and new axes, which are views; rest holds the
// tensors that index the axes of the result, nil for an axis without one, and is
// nil itself when there are none. Their values are looked at if check is set.
func (t *Tensor) slice(op string, idx []any, check bool) (r *Tensor, rest []*Tensor) {
	idx = listed(idx)
	takes := 0
	for _, x := range idx {
		switch x := x.(type) {
		case newAxis:
		case *Tensor:
			if x == nil {
				refuse(op, []arg{tensor(t)}, "an index is a nil tensor")
			}
			if x.dtype == Bool {
				takes += len(x.shape)
			} else {
				takes++
			}
		default:
			takes++
		}
	}
	if takes > len(t.shape) {
		refuse(op, []arg{tensor(t)}, "%d indices for %d axes", takes, len(t.shape))
	}
	r, d := t, 0 // d is the axis of r that the next index is for, src that of t
	src := 0
	covered := 0 // axes that rest speaks of: a mask takes as many as it has
	for _, x := range idx {
		switch x := x.(type) {
		case newAxis:
			r = r.Unsqueeze(d)
			d++
		case Slice:
			from, to := x.clip(r.shape[d])
			if from != 0 || to != r.shape[d] {
				r = r.Narrow(d, from, to-from)
			}
			d++
			src++
		case *Tensor:
			for ; covered < d; covered++ {
				rest = append(rest, nil)
			}
			var took int
			x, took = t.indexTensor(op, src, x, check)
			rest = append(rest, x)
			d += took
			src += took
			covered = d
		default:
			v, ok := numberOf(x)
			if !ok || !v.whole {
				refuse(op, []arg{tensor(t)}, "an index is an int, []int, All, Range(a, b), None or a *Tensor, not %s", describeIndex(x))
			}
			i := t.index(op, src, int(v.v))
			r = opSelect.call(tensor(r), integer(d), integer(i)).without(r, d)
			src++
		}
	}
	return r, rest
}

// listed is idx with the tensors that its slices stand for.
func listed(idx []any) []any {
	list := idx
	for i, x := range idx {
		var t *Tensor
		switch x := x.(type) {
		case []int:
			long := make([]int64, len(x))
			for j, n := range x {
				long[j] = int64(n)
			}
			t = FromInts(long, len(x))
		case []int64:
			t = FromInts(x, len(x))
		case []bool:
			t = FromBools(x, len(x))
		default:
			continue
		}
		if &list[0] == &idx[0] { // the caller's own stays as it is
			list = slices.Clone(idx)
		}
		list[i] = t
	}
	return list
}

func describeIndex(x any) string {
	if s, ok := x.(string); ok {
		return fmt.Sprintf("the string %q", s)
	}
	return fmt.Sprintf("%T", x)
}

// indexTensor checks an index tensor for axis d, and says how many axes it takes.
func (t *Tensor) indexTensor(op string, d int, x *Tensor, check bool) (*Tensor, int) {
	switch {
	case x.dtype == Bool:
		for i, s := range x.shape {
			if s != t.shape[d+i] {
				refuse(op, []arg{tensor(t), tensor(x)}, "the mask's axis %d has %d elements, and axis %d has %d", i, s, d+i, t.shape[d+i])
			}
		}
		return x, len(x.shape)
	case x.dtype.IsInt():
		if check {
			t.checkIndices(op, d, x, true)
		}
		return x.To(Int64), 1
	}
	refuse(op, []arg{tensor(t), tensor(x)}, "an index tensor holds int64 or bool, not %s", x.dtype)
	return nil, 0
}

// checkIndices looks for indices that are not on axis d: libtorch's own text for
// them names neither axis nor tensor. It is asked once an op has failed, or before
// it on a GPU, which an index out of range would stop for good.
func (t *Tensor) checkIndices(op string, d int, x *Tensor, negative bool) {
	for _, i := range x.Ints() {
		if i < 0 && !negative {
			refuse(op, []arg{tensor(t), tensor(x)}, "index %d is negative, which only Index and SetAt take", i)
		}
		t.index(op, d, int(i))
	}
}

// clip is the slice on an axis of that size.
func (s Slice) clip(size int) (from, to int) {
	from, to = s.from, s.to
	if from < 0 {
		from += size
	}
	if to < 0 {
		to += size
	}
	from = min(max(from, 0), size)
	return from, min(max(to, from), size)
}

// indexed is the origin after index tensors: the axes they took are nameless,
// unless one tensor with one axis picked from an axis.
func (t *Tensor) indexed(from *Tensor, rest []*Tensor) *Tensor {
	o := from.origin
	if o == nil || len(o.Axes) != len(from.shape) || len(t.shape) != len(from.shape) {
		return t
	}
	at := -1
	for d, x := range rest {
		if x == nil {
			continue
		}
		if at >= 0 || len(x.shape) != 1 || !x.device.IsCPU() {
			return t
		}
		at = d
	}
	x := rest[at]
	return t.relabelled(from, at, func(l []string) []string {
		var picked []string
		if x.dtype == Bool {
			for i, keep := range x.Bools() {
				if keep {
					picked = append(picked, l[i])
				}
			}
			return picked
		}
		for _, i := range x.Ints() {
			if i < 0 {
				i += int64(len(l))
			}
			picked = append(picked, l[i])
		}
		return picked
	})
}
