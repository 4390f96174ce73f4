// Command encyclopedia writes the page of every value: what the vocabulary says of it,
// where the families have it, and the order in which each family's forward shows its
// values. It asks the models themselves, scanned without weights. Run it with go
// generate in docs.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gonterp/gonterp/runtime/point"
)

// references are the small models of the three families that are scanned.
var references = []string{"v2-lite", "v3", "v32"}

func main() {
	out := flag.String("o", "encyclopedia.md", "the file to write")
	models := flag.String("models", "../tests/reference", "the folder of the models that are scanned")
	flag.Parse()
	page, err := encyclopedia(*models)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*out, page, 0o644); err != nil {
		log.Fatal(err)
	}
}

// encyclopedia is the page.
func encyclopedia(models string) ([]byte, error) {
	var all []family
	for _, name := range references {
		f, err := open(filepath.Join(models, name))
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	var b bytes.Buffer
	b.WriteString(head)
	for _, p := range places {
		values(&b, p, all)
	}
	axes(&b)
	b.WriteString(orderHead)
	for _, f := range all {
		f.order(&b)
	}
	return b.Bytes(), nil
}

const head = `<!-- Written by go generate in docs; do not edit. -->

# Every value by name

A value is a field of the model, and has the same name in words wherever text names it: ` + "`model.Layers[1].SelfAttn.AttentionScores`" + ` is
` + "`model.At(\"layers.1.self_attn.attention_scores\")`" + `. The names are nnterp's, but for those marked "gonterp's own". Where a value is
a native module's input or output, that name leads to it too. ` + "`model.Support()`" + ` is this page for one model.
`

const orderHead = `
## Order

The order in which a forward computes its values, which is the order in which a block reads them without running anything twice. Standard values stand with
their layout, native modules' inputs and outputs alone. Values that follow from others, marked "derived", can be read wherever those can.
`

// A place is a kind of module: the title of its table, and what its fields are written
// after.
type place struct {
	on            point.Place
	title, before string
}

var places = []place{
	{point.OnModel, "The model", "model"},
	{point.OnLayer, "A block", "model.Layers[i]"},
	{point.OnSelfAttn, "A block's attention", "model.Layers[i].SelfAttn"},
	{point.OnMLP, "A block's MLP", "model.Layers[i].MLP` and its `SharedExperts"},
}

// values writes the table of one kind of module.
func values(b *bytes.Buffer, p place, all []family) {
	fmt.Fprintf(b, "\n## %s: `%s`\n\n| value | field | layout | what it is | where | native name | gradient |\n|---|---|---|---|---|---|---|\n", p.title, p.before)
	for _, n := range point.All() {
		i := n.Info()
		if i.On != p.on {
			continue
		}
		what, gradient := i.Doc, "yes"
		if i.Addition {
			what += " gonterp's own."
		}
		if i.Derived {
			what += " Read-only."
		}
		if i.NoGrad != "" {
			gradient = "no: " + i.NoGrad
		}
		native := ""
		if i.Native != "" {
			native = "`" + i.Native + "`"
		}
		fmt.Fprintf(b, "| `%s` | `%s` | %s %v | %s | %s | %s | %s |\n", i.Name, i.Field, i.Layout.Name, i.Layout.Axes, what, where(n, all), native, gradient)
	}
}

// where says on which families and which kinds of module a value exists.
func where(n point.Name, all []family) string {
	var families, kinds []string
	for _, f := range all {
		found := f.kinds(n)
		if len(found) > 0 {
			families = append(families, f.name)
		}
		for _, k := range found {
			if !slices.Contains(kinds, k) {
				kinds = append(kinds, k)
			}
		}
	}
	text := strings.Join(kinds, ", ")
	switch n.Info().On {
	case point.OnModel:
		text = "every model"
	case point.OnLayer, point.OnSelfAttn:
		text = "every block"
	case point.OnMLP:
		if slices.Contains(kinds, dense) && slices.Contains(kinds, mixture) {
			text = "every block"
		}
	}
	if len(families) < len(all) {
		text += " of " + strings.Join(families, ", ")
	}
	return text
}

// axes writes how long the axes of the layouts are.
func axes(b *bytes.Buffer) {
	b.WriteString("\n## Axes\n\n| axis | its length, in fields of config.json or of the call |\n|---|---|\n")
	var done []string
	for _, l := range point.Layouts() {
		for _, a := range l.Axes {
			if !slices.Contains(done, a) {
				done = append(done, a)
				fmt.Fprintf(b, "| `%s` | %s |\n", a, point.Axis(a))
			}
		}
	}
}
