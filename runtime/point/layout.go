package point

import "slices"

// A Layout names the axes of a value; Axis says how long each is.
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

// Layouts lists every layout once, in the order in which a forward meets them.
func Layouts() []*Layout {
	var all []*Layout
	for _, n := range All() {
		if l := n.Info().Layout; !slices.Contains(all, l) {
			all = append(all, l)
		}
	}
	return all
}

// Axis says how long an axis of that name is: in words of the call, or of config.json.
func Axis(name string) string { return axes[name] }

var axes = map[string]string{
	"batch":                 "the prompts of the call",
	"seq":                   "the tokens of the longest prompt, padding on the left; at a later step of a generation the new one",
	"query":                 "as seq: the tokens that look",
	"key":                   "the tokens that are looked at; in a generation all that are cached",
	"hidden_size":           "hidden_size",
	"num_heads":             "num_attention_heads",
	"num_kv_heads":          "num_attention_heads: each head has its own keys and values",
	"qk_head_dim":           "qk_nope_head_dim + qk_rope_head_dim, the rotary part last",
	"head_dim":              "v_head_dim",
	"index_topk":            "index_topk, or the number of keys where that is smaller",
	"intermediate_size":     "of a dense MLP intermediate_size; of shared experts n_shared_experts · moe_intermediate_size",
	"num_experts":           "n_routed_experts",
	"top_k":                 "num_experts_per_tok: the slots of a token",
	"moe_intermediate_size": "moe_intermediate_size",
	"vocab_size":            "vocab_size",
	"2":                     "two numbers",
}
