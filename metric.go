package gonterp

import (
	"fmt"

	"github.com/gonterp/gonterp/runtime/torch"
)

// A Metric makes one number of the logits [1 seq vocab_size] of one prompt. It stays
// a tensor, so that a gradient can be taken of it: no Item in a metric.
type Metric func(logits *Tensor) *Tensor

// LogitDiff is the logit of right minus the logit of wrong at the last position. Each
// is a token id or the text of one token, " Mary".
func (m *Model) LogitDiff(right, wrong any) Metric {
	r, w := m.token("LogitDiff", right), m.token("LogitDiff", wrong)
	return func(logits *Tensor) *Tensor {
		last := logits.Index(0, -1).Float()
		return last.Index(r).Sub(last.Index(w))
	}
}

// TokenProb is the probability of a token as the next one. token is an id or the text
// of one token.
func (m *Model) TokenProb(token any) Metric {
	id := m.token("TokenProb", token)
	return func(logits *Tensor) *Tensor {
		return logits.Index(0, -1).Float().Softmax(-1).Index(id)
	}
}

// NextTokenLoss is the mean of −log p over the tokens of prompt, each predicted from
// those before it, or over the tokens at the given positions; -1 is the last. It is in
// nats.
func (m *Model) NextTokenLoss(prompt any, at ...int) Metric {
	row := m.rowOf("NextTokenLoss", prompt)
	if len(row) < 2 {
		panic(argumentErrorf("NextTokenLoss: a prompt of one token predicts nothing. Give at least two"))
	}
	if len(at) == 0 {
		for p := range row[1:] {
			at = append(at, p+1)
		}
	}
	from, next := make([]int64, len(at)), make([]int64, len(at))
	for i, p := range at {
		p = placed("NextTokenLoss", "the prompt", p, len(row))
		if p == 0 {
			panic(argumentErrorf("NextTokenLoss: nothing comes before position 0, so it is not predicted. Give positions 1 to %d", len(row)-1))
		}
		from[i], next[i] = int64(p-1), int64(row[p])
	}
	return func(logits *Tensor) *Tensor {
		if logits.Size(1) != len(row) {
			panic(argumentErrorf("NextTokenLoss: it was made for a prompt of %d tokens, and these logits have %d positions. Make it of the prompt that is run", len(row), logits.Size(1)))
		}
		rows := torch.FromInts(from, len(from)).ToDevice(logits.Device())
		ids := torch.FromInts(next, len(next), 1).ToDevice(logits.Device())
		return logits.Index(0).IndexSelect(0, rows).Float().LogSoftmax(-1).Gather(-1, ids).Mean().Neg()
	}
}

// measure is the metric of row i of logits [batch seq vocab_size].
func (metric Metric) measure(logits *Tensor, i int) float64 {
	return metric.of(logits.Index(Range(i, i+1))).Item()
}

// of calls the metric and checks what it returns.
func (metric Metric) of(logits *Tensor) *Tensor {
	v := metric(logits)
	if v == nil || v.Numel() != 1 {
		shape := "nothing"
		if v != nil {
			shape = fmt.Sprintf("a tensor of shape %v", v.Shape())
		}
		panic(argumentErrorf("the metric returned %s. It makes one number of logits [1 seq vocab_size], such as logits.Index(0, -1, id)", shape))
	}
	return v.Reshape()
}
