package gonterp

import "github.com/gonterp/gonterp/runtime/trace"

// StopAtLayer runs prompt up to a block and no further, and returns the stream
// [batch seq hidden_size] that would enter it. NumLayers runs all blocks.
func (m *Model) StopAtLayer(prompt any, layer int) *Tensor {
	if layer < 0 || layer > m.NumLayers {
		panic(argumentErrorf("StopAtLayer: the model has layers 0 to %d; %d stops behind the last one", m.NumLayers-1, m.NumLayers))
	}
	var stream *Tensor
	for range m.Trace(prompt) {
		if layer == m.NumLayers {
			stream = m.Layer(-1).LayerOutput.Value()
		} else {
			stream = m.Layers[layer].LayerInput.Value()
		}
	}
	return stream
}

// StartAtLayer makes the open pass begin at a block, with stream [batch seq
// hidden_size] entering it: the blocks before it are not computed. It stands before
// the first value of them is asked for.
func (m *Model) StartAtLayer(layer int, stream *Tensor) {
	if m.current() == nil {
		panic(&NoPassError{"StartAtLayer"})
	}
	if layer < 0 || layer >= m.NumLayers {
		panic(argumentErrorf("StartAtLayer(%d): the model has layers 0 to %d", layer, m.NumLayers-1))
	}
	if layer == 0 {
		m.Layers[0].LayerInput.Set(stream)
		return
	}
	want := []int{len(m.open.inputs.rows), m.open.inputs.width, m.HiddenSize}
	if err := fits(stream, want); err != nil {
		panic(err)
	}
	for _, l := range m.Layers[:layer-1] {
		l.Skip()
	}
	m.Layers[layer-1].Skip(stream)
}

// fits refuses a stream that cannot stand for one of that shape. One row stands for
// a batch of rows.
func fits(stream *Tensor, want []int) error {
	shape := stream.Shape()
	if len(shape) == 3 && (shape[0] == want[0] || shape[0] == 1) && shape[1] == want[1] && shape[2] == want[2] {
		return nil
	}
	return &trace.ShapeError{Path: "StartAtLayer's stream", Found: shape, Want: want}
}
