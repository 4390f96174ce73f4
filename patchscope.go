package gonterp

import "github.com/gonterp/gonterp/runtime/torch"

// Patchscope asks the model itself what a hidden state means: after each block, the
// stream at a position of source is put at a position of target, in the same block, and
// the likeliest next tokens of target are listed (Ghandeharioun et al., "Patchscopes",
// 2024). target is a prompt that makes the model say what it finds at that position,
// such as a list to be copied. -1 is the last position.
func (m *Model) Patchscope(source any, position int, target any, at, k int) *TopTokens {
	from, into := m.rowOf("Patchscope", source), m.rowOf("Patchscope", target)
	position, at = placed("Patchscope", "the source prompt", position, len(from)), placed("Patchscope", "the target prompt", at, len(into))
	states := make([]*Tensor, m.NumLayers)
	for range m.Trace(from) {
		for i, l := range m.Layers {
			states[i] = l.LayerOutput.Value().Index(0, position)
		}
	}
	logits := make([]*Tensor, m.NumLayers)
	for i, l := range m.Layers {
		for range m.Trace(into) {
			l.LayerOutput.SetAt(states[i], 0, at)
			logits[i] = m.Logits.Value().Index(0, -1)
		}
		advance("patchscope", i+1, m.NumLayers)
	}
	return m.TopTokens(torch.Stack(0, logits...), k).byLayer()
}
