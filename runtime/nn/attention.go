package nn

import "github.com/gonterp/gonterp/runtime/torch"

// Scores are scaling · Q Kᵀ plus the mask (nil: none): [batch heads query key].
func Scores(q, k, mask *torch.Tensor, scaling float64) *torch.Tensor {
	scores := q.Matmul(k.T()).Mul(scaling)
	if mask != nil {
		scores = scores.Add(mask)
	}
	return scores
}

// Probabilities are the softmax of the scores over the keys, in float32, rounded
// to the scores' dtype.
func Probabilities(scores *torch.Tensor) *torch.Tensor {
	p := scores.SoftmaxFloat32(-1)
	if scores.DType() != torch.Float32 {
		p = p.To(scores.DType())
	}
	return p
}

// Mix is each head's mixture of the values: [batch seq heads head_dim].
func Mix(probabilities, v *torch.Tensor) *torch.Tensor {
	return probabilities.Matmul(v).Transpose(1, 2).Contiguous()
}
