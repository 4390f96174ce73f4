package checkpoint

import (
	"fmt"

	"github.com/gonterp/gonterp/runtime/torch"
)

// rest reads the fields that have more than one form.
func (c *Config) rest(r *reader) {
	c.DType = torch.Float32
	for _, name := range []string{"torch_dtype", "dtype"} {
		v, ok := r.raw[name]
		if !ok || v == nil {
			continue
		}
		s, _ := v.(string)
		t, err := torch.ParseDType(s)
		if err != nil || !t.IsFloat() {
			r.fail(name, kind(v), `a dtype of floats, such as "bfloat16" or "float32"`)
			continue
		}
		c.DType = t
	}
	if v, ok := r.raw["eos_token_id"]; ok {
		c.EOSTokenIDs = nil
		switch v := v.(type) {
		case nil:
		case int:
			c.EOSTokenIDs = []int{v}
		case []any:
			for i, x := range v {
				n, ok := x.(int)
				if !ok {
					r.fail(fmt.Sprintf("eos_token_id[%d]", i), kind(x), "an integer")
				}
				c.EOSTokenIDs = append(c.EOSTokenIDs, n)
			}
		default:
			r.fail("eos_token_id", kind(v), "an integer, a list of integers or null")
		}
	}
	c.quantization(r)
	if c.NumKeyValueHeads == 0 {
		c.NumKeyValueHeads = c.NumAttentionHeads
	}
}

func (c *Config) quantization(r *reader) {
	in := r.object("quantization_config")
	if in == nil {
		return
	}
	q := &Quantization{Fmt: "e4m3", WeightBlockSize: [2]int{fp8Block, fp8Block}}
	in.read(field{name: "quant_method", into: &q.QuantMethod})
	in.read(field{name: "fmt", into: &q.Fmt})
	in.read(field{name: "scale_fmt", into: &q.ScaleFmt, nullable: true})
	if v, ok := in.raw["weight_block_size"]; ok && v != nil {
		list, _ := v.([]any)
		good := len(list) == 2
		for i := 0; good && i < 2; i++ {
			q.WeightBlockSize[i], good = list[i].(int)
			good = good && q.WeightBlockSize[i] > 0
		}
		if !good {
			in.fail("weight_block_size", kind(v), "two positive integers, such as [128, 128]")
		}
	}
	if q.QuantMethod != "fp8" {
		in.fail("quant_method", fmt.Sprintf("%q", q.QuantMethod), `"fp8"`)
	}
	if q.Fmt != "e4m3" {
		in.fail("fmt", fmt.Sprintf("%q", q.Fmt), `"e4m3"`)
	}
	r.join(in)
	c.Quantization = q
}

// check asks for what a forward of the family could not do without.
func (c *Config) check(r *reader) {
	if r.err != nil {
		return
	}
	least := func(name string, n, least int) {
		if n < least {
			r.fail(name, fmt.Sprint(n), fmt.Sprintf("at least %d", least))
		}
	}
	most := func(name string, n, most int) {
		if n > most {
			r.fail(name, fmt.Sprint(n), fmt.Sprintf("at most %d", most))
		}
	}
	for _, f := range c.fields() {
		switch f.name {
		case "vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads",
			"kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim":
			least(f.name, *f.into.(*int), 1)
			most(f.name, *f.into.(*int), maxSize)
		case "max_position_embeddings":
			least(f.name, *f.into.(*int), 1)
		case "q_lora_rank", "first_k_dense_replace", "n_shared_experts", "num_nextn_predict_layers":
			least(f.name, *f.into.(*int), 0)
			most(f.name, *f.into.(*int), maxSize)
		}
	}
	if c.RMSNormEps < 0 {
		r.fail("rms_norm_eps", fmt.Sprint(c.RMSNormEps), "0 or more")
	}
	least("moe_layer_freq", c.MoeLayerFreq, 1)
	most("num_attention_heads", c.NumAttentionHeads, maxHeads)
	most("qk_nope_head_dim", c.QkNopeHeadDim, maxHeads)
	most("qk_rope_head_dim", c.QkRopeHeadDim, maxHeads)
	most("v_head_dim", c.VHeadDim, maxHeads)
	if c.QkRopeHeadDim%2 != 0 {
		r.fail("qk_rope_head_dim", fmt.Sprint(c.QkRopeHeadDim), "an even number: rotary embedding turns pairs")
	}
	switch c.HiddenAct {
	case "silu", "gelu", "relu":
	case "swish": // another word for it
		c.HiddenAct = "silu"
	default:
		r.fail("hidden_act", fmt.Sprintf("%q", c.HiddenAct), `"silu", "gelu" or "relu"`)
	}
	if c.ModelType == "deepseek_v32" {
		least("q_lora_rank", c.QLoraRank, 1)
		least("index_topk", c.IndexTopk, 1)
		least("index_n_heads", c.IndexNHeads, 1)
		least("index_head_dim", c.IndexHeadDim, c.QkRopeHeadDim)
		most("index_n_heads", c.IndexNHeads, maxHeads)
		most("index_head_dim", c.IndexHeadDim, maxHeads)
	}
	if c.FirstKDenseReplace < c.NumHiddenLayers {
		c.checkExperts(r, least)
	}
}

func (c *Config) checkExperts(r *reader, least func(string, int, int)) {
	least("moe_intermediate_size", c.MoeIntermediateSize, 1)
	least("n_routed_experts", c.NRoutedExperts, 1)
	least("num_experts_per_tok", c.NumExpertsPerTok, 1)
	least("n_group", c.NGroup, 1)
	least("topk_group", c.TopkGroup, 1)
	if r.err != nil {
		return
	}
	for i, n := range []int{c.MoeIntermediateSize, c.NRoutedExperts} {
		if n > maxSize {
			r.fail([]string{"moe_intermediate_size", "n_routed_experts"}[i], fmt.Sprint(n), fmt.Sprintf("at most %d", maxSize))
			return
		}
	}
	if all := c.NRoutedExperts * c.NumHiddenLayers; all > maxExperts {
		r.fail("n_routed_experts", fmt.Sprintf("%d, %d in all layers", c.NRoutedExperts, all), fmt.Sprintf("at most %d in all layers", maxExperts))
		return
	}
	most := func(name string, n int, of string, most int) {
		if n > most {
			r.fail(name, fmt.Sprint(n), fmt.Sprintf("at most %s = %d", of, most))
		}
	}
	method, known, scoring := c.TopkMethod, []string{"greedy", "group_limited_greedy"}, "softmax"
	if c.ModelType != "deepseek_v2" {
		known, scoring = []string{"noaux_tc"}, "sigmoid"
	}
	if c.ScoringFunc != scoring {
		r.fail("scoring_func", fmt.Sprintf("%q", c.ScoringFunc), fmt.Sprintf("%q", scoring))
	}
	if method != known[0] && method != known[len(known)-1] {
		expected := fmt.Sprintf("%q", known[0])
		if len(known) > 1 {
			expected += fmt.Sprintf(" or %q", known[1])
		}
		r.fail("topk_method", fmt.Sprintf("%q", method), expected)
	}
	if method == "greedy" {
		most("num_experts_per_tok", c.NumExpertsPerTok, "n_routed_experts", c.NRoutedExperts)
		return
	}
	most("topk_group", c.TopkGroup, "n_group", c.NGroup)
	if c.NRoutedExperts%c.NGroup != 0 {
		r.fail("n_group", fmt.Sprint(c.NGroup), fmt.Sprintf("a divisor of n_routed_experts = %d", c.NRoutedExperts))
		return
	}
	if method == "noaux_tc" && c.TopkGroup < c.NGroup && c.NRoutedExperts < 2*c.NGroup {
		r.fail("n_group", fmt.Sprint(c.NGroup), fmt.Sprintf("at most %d: groups are ranked by their two best of n_routed_experts = %d", c.NRoutedExperts/2, c.NRoutedExperts))
		return
	}
	most("num_experts_per_tok", c.NumExpertsPerTok, "the experts of topk_group groups", c.NRoutedExperts/c.NGroup*c.TopkGroup)
}

// What a mistyped size stops at before anything is made of it. The largest sizes of
// the releases are a vocabulary of 163,840 and 14,848 experts in all layers.
const (
	maxSize    = 1 << 22
	maxHeads   = 1 << 14 // and the width of one
	maxExperts = 1 << 18
)
