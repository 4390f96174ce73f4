package point

import (
	"strconv"

	"github.com/gonterp/gonterp/runtime/torch"
)

// A Watcher looks at a running forward. The interleaver is one, a scan is another.
//
// Visit is called where the forward has computed values that belong together;
// what it leaves in values is what the forward goes on with.
//
// Wants is asked about a value that the forward can do without: only where it is
// wanted is it made and visited. beside says that the forward goes another way where
// it is written than where it is not.
//
// Skip is asked before a module runs on x: a tensor it returns stands for the
// module's output, nil lets it run.
type Watcher interface {
	Visit(sites []*Site, values []*torch.Tensor)
	Wants(site *Site, beside bool) bool
	Skip(module *Module, x *torch.Tensor) *torch.Tensor
}

// A Module is a node of the tree that the dotted paths spell. Trees are built as
// forwards first walk them and belong to one model.
type Module struct {
	Path     string // "layers.3.self_attn"; "" is the model
	Name     string // the last word
	Parent   *Module
	children map[string]*Module
	layers   []*Module
	named    [names]*Site
	input    *Site
	output   *Site
}

// NewTree is the root of an empty tree.
func NewTree() *Module { return &Module{} }

// A Site is one place where a forward shows a value.
type Site struct {
	Module   *Module
	Path     string // "layers.3.self_attn.attention_scores"
	Standard bool   // whether Name says what it is
	Name     Name   // of a standard value
	Layout   *Layout
	Order    int // of the stop it is shown at, once the forward has been scanned
}

// Child is the module below m called name.
func (m *Module) Child(name string) *Module {
	if c := m.children[name]; c != nil {
		return c
	}
	if m.children == nil {
		m.children = map[string]*Module{}
	}
	c := &Module{Path: join(m.Path, name), Name: name, Parent: m}
	m.children[name] = c
	return c
}

// Layer is the module layers.i of the model m.
func (m *Module) Layer(i int) *Module {
	for len(m.layers) <= i {
		m.layers = append(m.layers, m.Child("layers").Child(strconv.Itoa(len(m.layers))))
	}
	return m.layers[i]
}

func (m *Module) site(n Name) *Site {
	if m.named[n] == nil {
		m.named[n] = &Site{Module: m, Path: join(m.Path, n.String()), Standard: true, Name: n, Layout: n.Info().Layout}
	}
	return m.named[n]
}

// native is the site at which the module's input or output is shown, made in its
// place when it is first asked for.
func (m *Module) native(place **Site, word string) *Site {
	if *place == nil {
		*place = &Site{Module: m, Path: join(m.Path, word)}
	}
	return *place
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// Scope is where a forward stands: the module whose values it is about to name.
// The zero Scope has nobody looking, and then every method is a nil check.
type Scope struct {
	watcher Watcher
	module  *Module
}

// NewScope is the scope of a whole model that w looks at.
func NewScope(w Watcher, tree *Module) Scope { return Scope{w, tree} }

// Watched says whether anybody is looking.
func (s Scope) Watched() bool { return s.watcher != nil }

// In is the scope of the module below this one.
func (s Scope) In(module string) Scope {
	if s.watcher == nil {
		return s
	}
	return Scope{s.watcher, s.module.Child(module)}
}

// Layer is the scope of block i of the model.
func (s Scope) Layer(i int) Scope {
	if s.watcher == nil {
		return s
	}
	return Scope{s.watcher, s.module.Layer(i)}
}

// At shows x as the value n and returns what to go on with.
func (s Scope) At(n Name, x *torch.Tensor) *torch.Tensor {
	if s.watcher == nil {
		return x
	}
	return s.visit(s.module.site(n), x)
}

// Input shows what the module of this scope is called with.
func (s Scope) Input(x *torch.Tensor) *torch.Tensor {
	if s.watcher == nil {
		return x
	}
	return s.visit(s.module.native(&s.module.input, "input"), x)
}

// Output shows what the module of this scope returns.
func (s Scope) Output(x *torch.Tensor) *torch.Tensor {
	if s.watcher == nil {
		return x
	}
	return s.visit(s.module.native(&s.module.output, "output"), x)
}

func (s Scope) visit(site *Site, x *torch.Tensor) *torch.Tensor {
	sites, values := [1]*Site{site}, [1]*torch.Tensor{x}
	s.watcher.Visit(sites[:], values[:])
	return values[0]
}

// Wants says whether somebody looks at the value n, which is then to be shown; the
// forward can do without it, and computes the same numbers either way. A pass that
// records shows every value, for gradients of it.
func (s Scope) Wants(n Name) bool {
	return s.watcher != nil && (torch.IsRecording() || s.watcher.Wants(s.module.site(n), false))
}

// WantsAny says whether somebody looks at any value shown so far within the module
// of this scope.
func (s Scope) WantsAny() bool {
	return s.watcher != nil && (torch.IsRecording() || s.module.wanted(s.watcher))
}

func (m *Module) wanted(w Watcher) bool {
	for _, site := range m.named {
		if site != nil && w.Wants(site, false) {
			return true
		}
	}
	for _, site := range []*Site{m.input, m.output} {
		if site != nil && w.Wants(site, false) {
			return true
		}
	}
	for _, c := range m.children {
		if c.wanted(w) {
			return true
		}
	}
	return false
}

// Offer shows a value that the forward makes beside its way, such as the pattern
// beside a kernel that never has one: make is called where somebody looks. It returns
// what was written in the value's place, nil where nothing was, or the value itself.
func (s Scope) Offer(n Name, make func() *torch.Tensor) (written *torch.Tensor) {
	if s.watcher == nil {
		return nil
	}
	site := s.module.site(n)
	if !s.watcher.Wants(site, true) {
		return nil
	}
	x := make()
	y := s.visit(site, x)
	if y.Data() == x.Data() && y.IsContiguous() { // the same memory in the same order
		return nil
	}
	return y
}

// An Argument is one of several values that a call takes together.
type Argument struct {
	Name  Name
	Value **torch.Tensor
}

// Together shows the arguments of one call as one stop: a body may take them in
// any order.
func (s Scope) Together(arguments ...Argument) {
	if s.watcher == nil {
		return
	}
	sites, values := make([]*Site, len(arguments)), make([]*torch.Tensor, len(arguments))
	for i, a := range arguments {
		sites[i], values[i] = s.module.site(a.Name), *a.Value
	}
	s.watcher.Visit(sites, values)
	for i, a := range arguments {
		*a.Value = values[i]
	}
}

// Skip is a tensor to use instead of running this scope's module on x, or nil.
func (s Scope) Skip(x *torch.Tensor) *torch.Tensor {
	if s.watcher == nil {
		return nil
	}
	return s.watcher.Skip(s.module, x)
}
