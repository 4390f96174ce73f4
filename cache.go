package gonterp

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gonterp/gonterp/runtime/torch"
)

// An ActivationCache holds named values of one pass. It prints as a list of them.
type ActivationCache struct {
	paths  []string
	values map[string]*Tensor
	model  *Model
}

// Cache runs prompt and keeps the named values. A name is a standard value's word, for
// every block that has it ("layer_output"), a path ("layers.2.mlp.router_logits",
// "layers.1.self_attn.q_b_proj.output"), or a path with * for any one word and ** for
// any number of words ("layers.*.mlp.router_logits"). Without names it keeps every
// standard value. The forward runs only as far as the last of them.
//
// CacheTo does the same for many prompts, into a file.
func (m *Model) Cache(prompt any, names ...string) *ActivationCache {
	paths, err := m.match(names)
	if err != nil {
		panic(err)
	}
	c := &ActivationCache{paths: paths, values: map[string]*Tensor{}, model: m}
	for range m.Trace(prompt) {
		for i, path := range paths {
			c.values[path] = m.At(path).Value()
			advance("caching", i+1, len(paths))
		}
	}
	return c
}

// Names are the paths of what is kept, in the order of the forward.
func (c *ActivationCache) Names() []string { return slices.Clone(c.paths) }

// At is the value at a path; a negative layer number counts from the last.
func (c *ActivationCache) At(path string) *Tensor {
	if v := c.values[path]; v != nil {
		return v
	}
	spot, err := c.model.find(path)
	if err != nil {
		panic(err)
	}
	if v := c.values[c.model.plan.Site(spot).Path]; v != nil {
		return v
	}
	panic(argumentErrorf("the cache does not hold %s. Ask for it: model.Cache(prompt, %q); it holds %s", path, path, shortList(c.paths)))
}

// Stack is a value of all blocks that have it, one upon the other: [layers …].
func (c *ActivationCache) Stack(value string) *Tensor {
	var of []*Tensor
	var labels []string
	for i := range c.model.NumLayers {
		if v := c.values[c.model.blockPath(i, value)]; v != nil {
			of, labels = append(of, v), append(labels, fmt.Sprint(i))
		}
	}
	if of == nil {
		panic(argumentErrorf("the cache holds no %s of any block. It holds %s", value, shortList(c.paths)))
	}
	t := torch.Stack(0, of...)
	o := of[0].Origin()
	axes, tokens := append([]string{"layer"}, o.Axes...), append([][]string{labels}, o.Labels...)
	if len(axes) != t.Dim() || len(tokens) != t.Dim() {
		axes, tokens = nil, nil
	}
	return t.WithOrigin(&torch.Origin{Model: o.Model, Path: value, Axes: axes, Labels: tokens})
}

// Save writes the values to a .safetensors or .npz file, by their paths.
func (c *ActivationCache) Save(file string) error {
	var columns []column
	for _, path := range c.paths {
		columns = append(columns, columnOf(path, c.values[path]))
	}
	switch ext := filepath.Ext(file); ext {
	case ".safetensors":
		return writeFile(file, func(w io.Writer) error { return writeSafetensors(w, columns, map[string]string{"model": c.model.name}) })
	case ".npz":
		return writeFile(file, func(w io.Writer) error { return writeNPZ(w, columns) })
	default:
		return fmt.Errorf("saving a cache as %s: the name must end in .safetensors or .npz (a Parquet table is of tokens: model.CacheTo writes one)", file)
	}
}

// shortList is the first few of many.
func shortList(paths []string) string {
	if len(paths) > 4 {
		return fmt.Sprintf("%s and %d more", strings.Join(paths[:4], ", "), len(paths)-4)
	}
	return strings.Join(paths, ", ")
}

// String lists the values with their shapes.
func (c *ActivationCache) String() string {
	table := &textTable{}
	bytes := 0
	for _, path := range c.paths {
		v := c.values[path]
		bytes += v.Nbytes()
		axes := ""
		if o := v.Origin(); o != nil && o.Layout != "" {
			axes = fmt.Sprintf("%s [%s]", o.Layout, strings.Join(o.Axes, " "))
		}
		table.add(path, fmt.Sprint(v.Shape()), v.DType().String(), axes)
	}
	return fmt.Sprintf("%d values of %s, %.1f MB\n%s", len(c.paths), c.model.name, float64(bytes)/1e6, table)
}
