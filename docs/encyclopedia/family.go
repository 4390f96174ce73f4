package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gonterp/gonterp"
	"github.com/gonterp/gonterp/runtime/point"
)

// A family is an architecture by a small model of it.
type family struct {
	model  *gonterp.Model
	name   string
	rows   []gonterp.SupportRow
	points []string // in the order of the forward
}

// open scans a model.
func open(folder string) (family, error) {
	m, err := gonterp.Open(folder)
	if err != nil {
		return family{}, err
	}
	return family{m, fmt.Sprint(m.Config("model_type")), m.Support().Rows, m.Points()}, nil
}

// The kinds of modules that a value of a block may stand on.
const (
	dense   = "dense blocks"
	mixture = "mixture blocks"
	shared  = "shared experts"
)

// kinds are those on which the family has a value; of a value of the model there is one.
func (f family) kinds(n point.Name) (kinds []string) {
	for _, row := range f.rows {
		module, isIt := strings.CutSuffix("."+row.Path, "."+n.String())
		if !isIt || row.Missing != "" || f.kindOf(row.Path) != n.Info().On {
			continue
		}
		kind := f.block(row.Path)
		if strings.HasSuffix(module, ".shared_experts") {
			kind = shared
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// kindOf is the kind of module that a path lies on.
func (f family) kindOf(path string) point.Place {
	switch words := strings.Split(path, "."); {
	case words[0] != "layers":
		return point.OnModel
	case words[2] == "self_attn":
		return point.OnSelfAttn
	case words[2] == "mlp":
		return point.OnMLP
	}
	return point.OnLayer
}

// block is the kind of a path's block; outside the blocks "".
func (f family) block(path string) string {
	layer, ok := layerOf(path)
	switch {
	case !ok:
		return ""
	case slices.Contains(f.points, f.model.Layer(layer).MLP.RouterLogits.Path()):
		return mixture
	}
	return dense
}

// layerOf is the number of the block that a path lies in.
func layerOf(path string) (layer int, ok bool) {
	words := strings.Split(path, ".")
	if words[0] != "layers" {
		return 0, false
	}
	layer, err := strconv.Atoi(words[1])
	return layer, err == nil
}

// order writes the values of a forward, blocks alike once.
func (f family) order(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n### %s\n\n```\n", f.name)
	standard := map[string]string{}
	for _, row := range f.rows {
		standard[row.Path] = fmt.Sprintf("%s %v", row.Layout, row.Axes)
	}
	line := func(path, below string) string {
		text := standard[path]
		if words := strings.Split(path, "."); derived(words[len(words)-1]) {
			text += ", derived"
		}
		return strings.TrimRight(fmt.Sprintf("%-46s %s", strings.TrimPrefix(path, below), text), " ") + "\n"
	}
	blocks := make([]string, len(f.model.Layers))
	var before, after strings.Builder
	for _, path := range f.points {
		layer, ok := layerOf(path)
		switch {
		case ok:
			blocks[layer] += "  " + line(path, fmt.Sprintf("layers.%d.", layer))
		case blocks[len(blocks)-1] == "":
			before.WriteString(line(path, ""))
		default:
			after.WriteString(line(path, ""))
		}
	}
	b.WriteString(before.String())
	for i := 0; i < len(blocks); {
		last := i
		for last+1 < len(blocks) && blocks[last+1] == blocks[i] {
			last++
		}
		fmt.Fprintf(b, "layers %s: %s\n%s", span(i, last), f.block(fmt.Sprintf("layers.%d.", i)), blocks[i])
		i = last + 1
	}
	b.WriteString(after.String() + "```\n")
}

func span(first, last int) string {
	if first == last {
		return strconv.Itoa(first)
	}
	return fmt.Sprintf("%d-%d", first, last)
}

// derived says whether a word names a value that follows from others.
func derived(word string) bool {
	return slices.ContainsFunc(point.All(), func(n point.Name) bool { return n.Info().Derived && n.String() == word })
}
