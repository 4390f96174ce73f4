package gonterp

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/trace"
)

// An edit is a lasting change of one value.
type edit struct {
	name, path, at string
	spot           trace.Spot
	change         func(*Tensor) *Tensor
}

// make is the edited value; what is wrong with one is said with the edit's name. A panic
// of its function passes as it is, so that the session finds the line, and is announced.
func (e edit) make(x *Tensor) *Tensor {
	ended := false
	defer func() {
		if !ended && !trace.Interrupted.Load() {
			trace.Notice(fmt.Sprintf("%v panicked. model.ClearEdits(%q) ends it", e, e.name))
		}
	}()
	y := e.change(x)
	ended = true
	switch {
	case y == nil:
		panic(&EditError{e.name, e.path, e.at, "gave no tensor, but nil"})
	case !trace.Broadcasts(y.Shape(), x.Shape()):
		panic(&EditError{e.name, e.path, e.at, fmt.Sprintf("gave a tensor of shape %v, and the value has shape %v", y.Shape(), x.Shape())})
	case y.DType().IsFloat() && !x.DType().IsFloat():
		panic(&EditError{e.name, e.path, e.at, fmt.Sprintf("gave a tensor of %v, and the value holds whole numbers (%v); convert it with Long()", y.DType(), x.DType())})
	}
	return y
}

func (e edit) String() string {
	at := ""
	if e.at != "" {
		at = " (" + e.at + ")"
	}
	return fmt.Sprintf("the edit %q of %s%s", e.name, e.path, at)
}

// Edit changes a value in every later pass, generation and plain forward, until
// ClearEdits(name): the forward goes on with change's result. A name that is in use
// is replaced. The block of a pass sees the edited value.
//
//	model.Edit("no expert 3", "layers.2.mlp.expert_weights", func(w *Tensor) *Tensor { … })
func (m *Model) Edit(name, path string, change func(*Tensor) *Tensor) {
	p := m.At(path)
	if p.derived() {
		panic(&ReadOnlyError{path, p.name.Info().Doc})
	}
	if change == nil {
		panic(argumentErrorf("Edit: the function that changes %s is nil", path))
	}
	m.ClearEdits(name)
	m.core.edits = append(m.core.edits, edit{name, p.path, trace.Where(), p.resolve(), change})
}

// Edits lists the lasting edits by name, with the value each changes.
func (m *Model) Edits() map[string]string {
	list := map[string]string{}
	for _, e := range m.core.edits {
		list[e.name] = e.path
	}
	return list
}

// ClearEdits ends the edits of those names, all of them without a name.
func (m *Model) ClearEdits(names ...string) {
	left := m.core.edits[:0:0]
	for _, e := range m.core.edits {
		if len(names) > 0 && !slices.Contains(names, e.name) {
			left = append(left, e)
		}
	}
	m.core.edits = left
}

// describeEdits is a line for the model's card, "" without edits.
func (c *core) describeEdits() string {
	if len(c.edits) == 0 {
		return ""
	}
	var names []string
	for _, e := range c.edits {
		names = append(names, fmt.Sprintf("%q of %s", e.name, e.path))
	}
	sort.Strings(names)
	return "\n  edited: " + strings.Join(names, ", ")
}

// editing is how a pass knows the edits.
func (c *core) editing() map[trace.Spot][]func(*torch.Tensor) *torch.Tensor {
	if len(c.edits) == 0 {
		return nil
	}
	by := map[trace.Spot][]func(*torch.Tensor) *torch.Tensor{}
	for _, e := range c.edits {
		by[e.spot] = append(by[e.spot], e.make)
	}
	return by
}
