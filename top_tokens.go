package gonterp

import (
	"fmt"
	"strconv"

	"github.com/gonterp/gonterp/runtime/point"
)

// TopTokens are the likeliest tokens of one or more distributions over the
// vocabulary, and print as a table.
type TopTokens struct {
	Rows   []string   // what each distribution is of: a token of the prompt, a layer
	IDs    [][]int    // [rows][k], the likeliest first
	Words  [][]string // their texts; nil without a tokenizer
	Probs  *Tensor    // [rows k]
	Logits *Tensor    // [rows k]; nil where the distribution came as probabilities
}

// TopTokens lists the k likeliest tokens of logits or next_token_probs [… vocab_size],
// a row for each position.
//
//	model.TopTokens(logits.Index(0, -1), 5)
func (m *Model) TopTokens(t *Tensor, k int) *TopTokens {
	if t.Dim() == 0 || t.Size(-1) != m.VocabSize {
		panic(argumentErrorf("TopTokens: a tensor of shape %v is no distribution over the %d tokens of %s. Give logits; LMHead makes them of a normed stream", t.Shape(), m.VocabSize, m.name))
	}
	if k < 1 || k > m.VocabSize {
		panic(argumentErrorf("TopTokens: %d tokens of a vocabulary of %d; ask for 1 or more", k, m.VocabSize))
	}
	rows := t.Numel() / m.VocabSize
	flat := t.Detach().Float().Reshape(rows, m.VocabSize)
	top := &TopTokens{Rows: rowNames(t, rows)}
	var ids *Tensor
	if o := t.Origin(); o != nil && o.Layout == point.Probs.Name {
		top.Probs, ids = flat.Topk(k)
	} else {
		top.Logits, ids = flat.Topk(k)
		// exp(logit − log Σ exp) is the softmax of the chosen few alone.
		top.Probs = top.Logits.Sub(flat.LogSumExp(-1).Unsqueeze(-1)).Exp()
	}
	flatIDs := ids.Ints()
	for r := range rows {
		row := make([]int, k)
		for i := range row {
			row[i] = int(flatIDs[r*k+i])
		}
		top.IDs = append(top.IDs, row)
		if m.tokenizer != nil {
			top.Words = append(top.Words, m.texts(row))
		}
	}
	return top
}

// byLayer says that row i is of block i.
func (t *TopTokens) byLayer() *TopTokens {
	for i := range t.Rows {
		t.Rows[i] = fmt.Sprintf("layer %d", i)
	}
	return t
}

// rowNames are what the rows of t [… vocab_size] are of, by its origin.
func rowNames(t *Tensor, rows int) []string {
	names := make([]string, rows)
	var labels []string
	if o := t.Origin(); o != nil {
		for d, axis := range o.Axes {
			if countsTokens(axis) && d < len(o.Labels) && len(o.Labels[d]) == rows {
				labels = o.Labels[d]
			}
		}
	}
	for i := range names {
		switch {
		case labels != nil:
			names[i] = strconv.Quote(labels[i])
		case rows > 1:
			names[i] = strconv.Itoa(i)
		}
	}
	return names
}

// Word is the text of row's i-th likeliest token, or its id where there is no tokenizer.
func (t *TopTokens) Word(row, i int) string {
	if t.Words == nil {
		return strconv.Itoa(t.IDs[row][i])
	}
	return t.Words[row][i]
}

// String is a line for each token of a single distribution, and a line for each
// distribution of several.
func (t *TopTokens) String() string {
	table := &textTable{}
	probs, k := t.Probs.Float64s(), len(t.IDs[0])
	if len(t.Rows) > 1 {
		for r, name := range t.Rows {
			line := []string{name}
			for i := range k {
				line = append(line, fmt.Sprintf("%s %s", t.quoted(r, i), percent(probs[r*k+i])))
			}
			table.add(line...)
		}
		return table.String()
	}
	var logits []float64
	header := []string{"token", "id", "probability"}
	if t.Logits != nil {
		logits, header = t.Logits.Float64s(), append(header, "logit")
	}
	table.add(header...)
	for i, id := range t.IDs[0] {
		line := []string{t.quoted(0, i), strconv.Itoa(id), percent(probs[i])}
		if logits != nil {
			line = append(line, number(logits[i]))
		}
		table.add(line...)
	}
	return table.String()
}

func (t *TopTokens) quoted(row, i int) string {
	if t.Words == nil {
		return t.Word(row, i)
	}
	return strconv.Quote(t.Word(row, i))
}
