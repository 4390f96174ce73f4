package gonterp

import (
	"fmt"
	"strings"

	"github.com/gonterp/gonterp/runtime/point"
)

// String is the block's path and the values that it shows; model.Support() has their
// shapes.
func (l *Layer) String() string {
	return moduleText("Layer", l.LayerOutput, point.LayerOutput, point.OnLayer) + "; SelfAttn, MLP"
}

// String is the attention's path and the values that it shows.
func (a *SelfAttn) String() string {
	return moduleText("SelfAttn", a.AttentionOutput, point.AttentionOutput, point.OnSelfAttn)
}

// String is the path and the values that it shows.
func (m *MLP) String() string {
	return moduleText("MLP", m.MLPOutput, point.MLPOutput, point.OnMLP)
}

// moduleText is a module by one of its points, by the fields that a cell writes.
func moduleText(kind string, p *Point, name point.Name, on point.Place) string {
	if p == nil {
		return kind + " of no model"
	}
	path := strings.TrimSuffix(p.path, "."+name.String())
	var fields []string
	for _, n := range point.All() {
		info := n.Info()
		if info.On != on {
			continue
		}
		if _, err := p.core.find(path + "." + n.String()); err == nil {
			fields = append(fields, info.Field)
		}
	}
	if fields == nil {
		return fmt.Sprintf("%s: not in this model", path)
	}
	return fmt.Sprintf("%s: %s", path, strings.Join(fields, ", "))
}
