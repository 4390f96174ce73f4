package gonterp

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/trace"
)

// find is the spot of a path, or an error that says why there is none: the value
// is missing on this block, or the path is misspelt.
func (c *core) find(path string) (trace.Spot, error) {
	canonical := c.canonical(path)
	if s, ok := c.plan.Find(canonical); ok {
		return s, nil
	}
	if words := strings.Split(canonical, "."); len(words) > 1 && words[0] == "layers" {
		if i, err := strconv.Atoi(words[1]); err == nil && (i < 0 || i >= c.config.NumHiddenLayers) {
			return trace.Spot{}, &MissingValueError{path, fmt.Sprintf("the model has layers 0 to %d", c.config.NumHiddenLayers-1)}
		}
	}
	if why := c.missing(canonical); why != "" {
		return trace.Spot{}, &MissingValueError{path, why}
	}
	return trace.Spot{}, &UnknownValueError{Path: path, Nearest: c.nearest(canonical)}
}

// canonical spells a path as the plan does: the router's aliases, a negative layer
// number, and native inputs and outputs that are standard values.
func (c *core) canonical(path string) string {
	words := strings.Split(strings.TrimPrefix(path, "model."), ".")
	if len(words) > 1 && words[0] == "layers" {
		if i, err := strconv.Atoi(words[1]); err == nil && i < 0 {
			words[1] = strconv.Itoa(i + c.config.NumHiddenLayers)
		}
	}
	path = strings.Join(words, ".")
	path = strings.Replace(path, ".mlp.gate.e_score_correction_bias", "."+"mlp."+point.SelectionBias.String(), 1)
	if _, ok := c.plan.Find(path); ok {
		return path
	}
	path = strings.Replace(path, ".mlp.router.", ".mlp.gate.", 1)
	for _, n := range point.All() {
		info := n.Info()
		if info.Native == "" || !strings.HasSuffix(path, info.Native) {
			continue
		}
		module := strings.TrimSuffix(strings.TrimSuffix(path, info.Native), ".")
		standard := n.String()
		if module != "" {
			standard = module + "." + standard
		}
		if s, ok := c.plan.Find(standard); ok && c.plan.Site(s).Name == n {
			return standard
		}
	}
	// The shared experts' MLP as a whole is the standard shared_expert_output.
	if module, ok := strings.CutSuffix(path, ".shared_experts."+point.MLPOutput.String()); ok {
		return module + "." + point.SharedExpertOutput.String()
	}
	return path
}

// missing is why a standard value does not exist on a block, "" for a path that
// names no standard value.
func (c *core) missing(path string) string {
	words := strings.Split(path, ".")
	if len(words) == 4 && words[0] == "layers" && words[2] == "self_attn" {
		for _, n := range point.All() {
			if info := n.Info(); info.Sparse && info.Name == words[3] && c.config.IndexTopk == 0 {
				return c.dense()
			}
		}
	}
	if len(words) < 4 || words[0] != "layers" || words[2] != "mlp" {
		return ""
	}
	layer, err := strconv.Atoi(words[1])
	if err != nil || layer < 0 || layer >= c.config.NumHiddenLayers {
		return ""
	}
	shared := words[3] == "shared_experts"
	word := strings.Join(words[3:], ".")
	if shared {
		word = strings.Join(words[4:], ".")
	}
	for _, n := range point.All() {
		info := n.Info()
		if info.On != point.OnMLP || info.Name != word {
			continue
		}
		return c.whyMissing(n, layer, shared)
	}
	return ""
}

// whyMissing is the reason that value n is missing on a block's MLP.
func (c *core) whyMissing(n point.Name, layer int, shared bool) string {
	info := n.Info()
	if info.Sparse {
		return c.dense()
	}
	switch sparse := c.config.Sparse(layer); {
	case (shared || info.Shared || n == point.SharedExpertOutput) && sparse && c.config.NSharedExperts == 0:
		return "this model has no shared experts"
	case shared && !sparse, info.Mixture && !sparse:
		return "a dense block has no experts; mixture blocks are " + c.mixtures()
	case shared:
		return fmt.Sprintf("the shared experts are one dense MLP; read layers.%d.mlp.%s", layer, n)
	case info.Shared && sparse:
		return fmt.Sprintf("a mixture block's shared experts have it, layers.%d.mlp.shared_experts.%s; the routed experts' neurons are layers.%d.mlp.expert_neurons", layer, n, layer)
	default:
		return fmt.Sprintf("%s models have none", c.config.ModelType)
	}
}

// dense is why there is no value of sparse attention.
func (c *core) dense() string {
	return c.config.ModelType + " attends to every key: only deepseek_v32 has an indexer"
}

func (c *core) mixtures() string {
	first, last := -1, -1
	for i := range c.config.NumHiddenLayers {
		if c.config.Sparse(i) {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 {
		return "none in this model"
	}
	return fmt.Sprintf("layers %d to %d", first, last)
}

// perBlock finds a value in every block, nil where one has none, and its axes.
func (m *Model) perBlock(who, value string) ([]*Point, []string) {
	points := make([]*Point, m.NumLayers)
	var axes []string
	var last error
	for i := range points {
		path := m.blockPath(i, value)
		if spot, err := m.find(path); err != nil {
			last = err
		} else if layout := m.plan.Site(spot).Layout; layout == nil {
			panic(argumentErrorf("%s: %s is a native value, whose axes have no names. Give the name of a standard value, such as layer_output", who, path))
		} else {
			points[i], axes = m.At(path), layout.Axes
		}
	}
	if axes == nil {
		panic(last)
	}
	return points, axes
}

// blockPath is the path of a standard value, or a path below a block, in block i.
func (m *Model) blockPath(i int, value string) string {
	module := ""
	for _, n := range point.All() {
		if n.String() == value {
			switch n.Info().On {
			case point.OnSelfAttn:
				module = "self_attn."
			case point.OnMLP:
				module = "mlp."
			}
		}
	}
	return fmt.Sprintf("layers.%d.%s%s", i, module, value)
}
