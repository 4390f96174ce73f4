package point

// A Layout names the axes of a value. Sizes are words of config.json, or batch,
// seq, query and key, which belong to the call.
type Layout struct {
	Name string
	Axes []string
}

var (
	Tokens       = &Layout{"Tokens", []string{"batch", "seq"}}
	Residual     = &Layout{"Residual", []string{"batch", "seq", "hidden_size"}}
	Queries      = &Layout{"Queries", []string{"batch", "num_heads", "seq", "qk_head_dim"}}
	Keys         = &Layout{"Keys", []string{"batch", "num_kv_heads", "key", "qk_head_dim"}}
	Values       = &Layout{"Values", []string{"batch", "num_kv_heads", "key", "head_dim"}}
	Pattern      = &Layout{"Pattern", []string{"batch", "num_heads", "query", "key"}}
	KeyScores    = &Layout{"IndexScores", []string{"batch", "query", "key"}}
	Selected     = &Layout{"IndexSelection", []string{"batch", "query", "index_topk"}}
	PerQuery     = &Layout{"IndexTied", []string{"batch", "query"}}
	HeadOutputs  = &Layout{"HeadOutputs", []string{"batch", "seq", "num_heads", "head_dim"}}
	Neurons      = &Layout{"Neurons", []string{"batch", "seq", "intermediate_size"}}
	RouterScores = &Layout{"RouterLogits", []string{"batch", "seq", "num_experts"}}
	PerExpert    = &Layout{"SelectionBias", []string{"num_experts"}}
	Indices      = &Layout{"ExpertIndices", []string{"batch", "seq", "top_k"}}
	Weights      = &Layout{"ExpertWeights", []string{"batch", "seq", "top_k"}}
	SlotNeurons  = &Layout{"ExpertNeurons", []string{"batch", "seq", "top_k", "moe_intermediate_size"}}
	Outputs      = &Layout{"ExpertOutputs", []string{"batch", "seq", "top_k", "hidden_size"}}
	LogitsLayout = &Layout{"Logits", []string{"batch", "seq", "vocab_size"}}
	Probs        = &Layout{"NextTokenProbs", []string{"batch", "vocab_size"}}
	Size         = &Layout{"InputSize", []string{"2"}}
)
