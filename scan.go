package gonterp

// Scan is a pass without numbers: the block runs as in Trace, on tensors that have
// a shape and a dtype and no content. Mistakes of shape, order and spelling show
// at once, also for a folder that has only a config.json. Asking for a number
// (Item, Floats, an if on a value) is an error there.
func (m *Model) Scan(prompt any, opts ...Option) Pass {
	return m.openWith(func() *openPass {
		in, option := m.inputs(prompt, opts)
		return m.begin(in, option, m.scanForward(len(in.rows), in.width))
	})
}
