package torch

import "slices"

// An Origin says where a tensor came from, for figures and printing.
type Origin struct {
	Model  string     // its name
	Path   string     // "layers.3.self_attn.attention_probabilities"
	Layout string     // "Pattern"
	Axes   []string   // the name of each axis
	Labels [][]string // per axis, one label for each index; nil where there are none
	Note   string
}

// WithOrigin is the same values that came from o.
func (t *Tensor) WithOrigin(o *Origin) *Tensor {
	th := begin()
	r := th.adopt(t.second("WithOrigin"), true)
	r.origin = o
	mu.Unlock()
	return r
}

// Origin is where t came from, or nil where that isn't known.
func (t *Tensor) Origin() *Origin { return t.origin }

// sameAs gives a fresh result, of an op that keeps every element in its place,
// the origin of its argument.
func (t *Tensor) sameAs(from *Tensor) *Tensor {
	if from.origin != nil && len(from.shape) == len(t.shape) {
		t.origin = from.origin
	}
	return t
}

// joined is sameAs for two arguments: the first that has an origin and the
// result's shape names it.
func (t *Tensor) joined(a, b *Tensor) *Tensor {
	for _, x := range [...]*Tensor{a, b} {
		if x.origin != nil && slices.Equal(x.shape, t.shape) {
			t.origin = x.origin
			return t
		}
	}
	return t
}

// without is the origin of t after axis d went.
func (t *Tensor) without(from *Tensor, d int) *Tensor {
	o := from.origin
	if o == nil || len(o.Axes) != len(from.shape) {
		return t
	}
	c := *o
	c.Axes = remove(o.Axes, d)
	c.Labels = remove(o.labels(), d)
	t.origin = &c
	return t
}

// relabelled is the origin of t after axis d kept only the indices that pick gives.
func (t *Tensor) relabelled(from *Tensor, d int, pick func([]string) []string) *Tensor {
	o := from.origin
	if o == nil || len(o.Axes) != len(from.shape) {
		return t
	}
	c := *o
	c.Labels = append([][]string(nil), o.labels()...)
	if l := c.Labels[d]; l != nil {
		c.Labels[d] = pick(l)
	}
	t.origin = &c
	return t
}

// labels has an entry for each axis.
func (o *Origin) labels() [][]string {
	if len(o.Labels) == len(o.Axes) {
		return o.Labels
	}
	return make([][]string, len(o.Axes))
}

func remove[E any](s []E, d int) []E {
	return append(append([]E(nil), s[:d]...), s[d+1:]...)
}

// withoutAll is without for several axes.
func (t *Tensor) withoutAll(from *Tensor, ds []int) *Tensor {
	o := from.origin
	if o == nil || len(o.Axes) != len(from.shape) {
		return t
	}
	gone := make([]bool, len(from.shape))
	for _, d := range ds {
		gone[d] = true
	}
	c := *o
	c.Axes, c.Labels = nil, nil
	for d, l := range o.labels() {
		if !gone[d] {
			c.Axes, c.Labels = append(c.Axes, o.Axes[d]), append(c.Labels, l)
		}
	}
	t.origin = &c
	return t
}

// unlabelled keeps the axes, and the labels of those not in ds.
func (t *Tensor) unlabelled(from *Tensor, ds []int) *Tensor {
	o := from.origin
	if o == nil || len(o.Axes) != len(from.shape) {
		return t
	}
	c := *o
	c.Labels = append([][]string(nil), o.labels()...)
	for _, d := range ds {
		c.Labels[d] = nil
	}
	t.origin = &c
	return t
}

func (t *Tensor) reordered(from *Tensor, order []int) *Tensor {
	o := from.origin
	if o == nil || len(o.Axes) != len(from.shape) {
		return t
	}
	c := *o
	c.Axes, c.Labels = make([]string, len(order)), make([][]string, len(order))
	for i, d := range order {
		c.Axes[i], c.Labels[i] = o.Axes[d], o.labels()[d]
	}
	t.origin = &c
	return t
}

// inserted is the origin of t after a nameless axis came before axis d.
func (t *Tensor) inserted(from *Tensor, d int) *Tensor {
	o := from.origin
	if o == nil || len(o.Axes) != len(from.shape) {
		return t
	}
	c := *o
	c.Axes = insert(o.Axes, d, "")
	c.Labels = insert(o.labels(), d, nil)
	t.origin = &c
	return t
}

func insert[E any](s []E, d int, v E) []E {
	return append(append(append([]E(nil), s[:d]...), v), s[d:]...)
}
