package gonterp

import (
	"fmt"
	"slices"

	"github.com/gonterp/gonterp/runtime/torch"
)

// A Lens is what the model would say after each block, at each position. It prints
// as a table; plotting.Lens(lens.Probs, lens.Words) draws it.
type Lens struct {
	Stream *Tensor    // [layers seq hidden_size], each block's output
	Probs  *Tensor    // [layers seq], the probability of the likeliest token
	IDs    [][]int    // [layers][seq], the likeliest token
	Words  [][]string // [layers][seq], its text; nil without a tokenizer

	model *Model
}

// LogitLens reads every block's output as if it were the last: the final norm, then
// the head (nostalgebraist, "interpreting GPT: the logit lens", 2020). Inside an open
// pass of that prompt it reads that pass, with what was written in it.
func (m *Model) LogitLens(prompt any) *Lens {
	row := m.rowOf("LogitLens", prompt)
	const label = "logit lens"
	stream := make([]*Tensor, m.NumLayers)
	for m := range m.passOver(row) {
		for i, l := range m.Layers {
			stream[i] = l.LayerOutput.Value().Index(0)
			advance(label, i+1, m.NumLayers)
		}
	}
	tokens := m.texts(row)
	l := &Lens{model: m, Stream: torch.Stack(0, stream...).WithOrigin(&torch.Origin{Model: m.name, Path: label,
		Axes: []string{"layer", "seq", "hidden_size"}, Labels: [][]string{nil, tokens, nil}})}
	probs := make([]*Tensor, m.NumLayers)
	for i := range stream {
		top := m.TopTokens(l.Logits(i), 1)
		probs[i] = top.Probs.Index(All, 0)
		l.IDs = append(l.IDs, firsts(top.IDs))
		if top.Words != nil {
			l.Words = append(l.Words, firsts(top.Words))
		}
	}
	l.Probs = m.perLayer(torch.Stack(0, probs...), "logit lens probability", "seq", tokens)
	return l
}

// passOver is the view of a prompt in the open pass, where that runs it, else a pass of
// its own.
func (m *Model) passOver(row []int) Pass {
	if o := m.current(); o != nil {
		if i := o.rowLike(row); i >= 0 {
			return func(yield func(*Model) bool) { yield(m.view(i)) }
		}
	}
	return m.Trace(row)
}

// rowLike is which prompt of the pass has those tokens, the shown one if it does; -1
// where none has.
func (o *openPass) rowLike(row []int) int {
	if o.row >= 0 && slices.Equal(o.inputs.rows[o.row], row) {
		return o.row
	}
	return slices.IndexFunc(o.inputs.rows, func(r []int) bool { return slices.Equal(r, row) })
}

// firsts are the first entry of each row.
func firsts[E any](rows [][]E) []E {
	first := make([]E, len(rows))
	for i, row := range rows {
		first[i] = row[0]
	}
	return first
}

// ProjectOnVocab is the logits of any stream t [… hidden_size]: the final norm, then
// the head.
func (m *Model) ProjectOnVocab(t *Tensor) *Tensor { return m.LMHead(m.Norm(t)) }

// Logits are the logits [seq vocab_size] after a block; -1 is the last.
func (l *Lens) Logits(layer int) *Tensor {
	return l.model.ProjectOnVocab(l.Stream.Index(l.model.Layer(layer).Index)).WithOrigin(&torch.Origin{Model: l.model.name,
		Path: fmt.Sprintf("logit lens of layers.%d", layer), Layout: "Logits", Axes: []string{"seq", "vocab_size"}, Labels: [][]string{l.Stream.Origin().Labels[1], nil}})
}

// Of is the probability [layers seq] of one token, given by its id or its text.
func (l *Lens) Of(token any) *Tensor {
	id := l.model.token("Lens.Of", token)
	probs := make([]*Tensor, l.model.NumLayers)
	for i := range probs {
		probs[i] = l.Logits(i).Float().Softmax(-1).Index(All, id)
	}
	return l.model.perLayer(torch.Stack(0, probs...), "logit lens probability of "+l.model.word(id), "seq", l.Probs.Origin().Labels[1])
}

// Top lists the k likeliest tokens after each block at one position; -1 is the last.
func (l *Lens) Top(position, k int) *TopTokens {
	stream := l.Stream.Index(All, position)
	return l.model.TopTokens(l.model.ProjectOnVocab(stream), k).byLayer()
}

// lensWidth is how many positions a printed lens shows: the last ones.
const lensWidth = 6

// String is a table with a line for each layer.
func (l *Lens) String() string {
	probs, seq := l.Probs.Float64s(), l.Probs.Size(1)
	return grid(l.Probs, lensWidth, false, func(r, c int) string {
		return fmt.Sprintf("%s %s", l.model.word(l.IDs[r][c]), percent(probs[r*seq+c]))
	})
}
