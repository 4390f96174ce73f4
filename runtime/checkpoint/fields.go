package checkpoint

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// A field ties a word of config.json to where Config keeps it.
type field struct {
	name     string
	also     []string // other spellings of the same fact
	into     any      // *int, *float64, *bool or *string
	nullable bool     // null stands for what the default says, or for none
	none     int      // what null stands for, when into is an *int
}

// fields is the one list of plain fields.
func (c *Config) fields() []field {
	v2 := c.ModelType == "deepseek_v2"
	return []field{
		{name: "vocab_size", into: &c.VocabSize},
		{name: "hidden_size", into: &c.HiddenSize},
		{name: "intermediate_size", into: &c.IntermediateSize},
		{name: "moe_intermediate_size", into: &c.MoeIntermediateSize},
		{name: "num_hidden_layers", into: &c.NumHiddenLayers},
		{name: "num_attention_heads", into: &c.NumAttentionHeads},
		{name: "num_key_value_heads", into: &c.NumKeyValueHeads, nullable: true},
		{name: "max_position_embeddings", into: &c.MaxPositionEmbeddings},
		{name: "hidden_act", into: &c.HiddenAct},
		{name: "rms_norm_eps", into: &c.RMSNormEps},
		{name: "tie_word_embeddings", into: &c.TieWordEmbeddings},
		{name: "attention_bias", into: &c.AttentionBias},
		{name: "mlp_bias", into: &c.MLPBias},
		{name: "q_lora_rank", into: &c.QLoraRank, nullable: c.ModelType != "deepseek_v32"},
		{name: "kv_lora_rank", into: &c.KVLoraRank},
		{name: "qk_nope_head_dim", into: &c.QkNopeHeadDim},
		{name: "qk_rope_head_dim", into: &c.QkRopeHeadDim},
		{name: "v_head_dim", into: &c.VHeadDim},
		{name: "rope_interleave", into: &c.RopeInterleave},
		{name: "n_routed_experts", also: []string{"num_experts", "num_local_experts"}, into: &c.NRoutedExperts},
		{name: "n_shared_experts", into: &c.NSharedExperts, nullable: true},
		{name: "num_experts_per_tok", into: &c.NumExpertsPerTok},
		{name: "n_group", into: &c.NGroup, nullable: true, none: 1},
		{name: "topk_group", into: &c.TopkGroup, nullable: true, none: 1},
		{name: "topk_method", into: &c.TopkMethod, nullable: v2},
		{name: "scoring_func", into: &c.ScoringFunc},
		{name: "norm_topk_prob", into: &c.NormTopkProb, nullable: true},
		{name: "routed_scaling_factor", into: &c.RoutedScalingFactor},
		{name: "first_k_dense_replace", into: &c.FirstKDenseReplace},
		{name: "moe_layer_freq", into: &c.MoeLayerFreq},
		{name: "index_topk", into: &c.IndexTopk},
		{name: "index_head_dim", into: &c.IndexHeadDim},
		{name: "index_n_heads", into: &c.IndexNHeads},
		{name: "num_nextn_predict_layers", also: []string{"num_mtp_layers"}, into: &c.NumNextnPredictLayers, nullable: true},
		{name: "bos_token_id", into: &c.BOSTokenID, nullable: true, none: -1},
		{name: "pad_token_id", into: &c.PadTokenID, nullable: true, none: -1},
	}
}

// defaults are those of DeepseekV2Config, DeepseekV3Config and
// DeepseekV32Config in transformers 5. What those leave None is 0 here where a
// number is needed, and check asks for it.
func (c *Config) defaults() {
	c.HiddenAct = "silu"
	c.RMSNormEps = 1e-6
	c.QLoraRank, c.KVLoraRank = 1536, 512
	c.QkNopeHeadDim, c.QkRopeHeadDim, c.VHeadDim = 128, 64, 128
	c.MoeLayerFreq = 1
	c.PadTokenID = -1
	if c.ModelType == "deepseek_v2" {
		c.VocabSize, c.HiddenSize, c.IntermediateSize, c.MoeIntermediateSize = 102400, 4096, 11008, 1407
		c.NumHiddenLayers, c.NumAttentionHeads = 32, 32
		c.MaxPositionEmbeddings = 2048
		c.NRoutedExperts, c.NSharedExperts = 64, 2
		c.NGroup, c.TopkGroup = 1, 1
		c.TopkMethod, c.ScoringFunc = "greedy", "softmax"
		c.RoutedScalingFactor = 1
		c.BOSTokenID, c.EOSTokenIDs = 1, []int{2}
		return
	}
	c.VocabSize, c.HiddenSize, c.IntermediateSize, c.MoeIntermediateSize = 129280, 7168, 18432, 2048
	c.NumHiddenLayers, c.NumAttentionHeads, c.NumKeyValueHeads = 61, 128, 128
	c.MaxPositionEmbeddings = 4096
	c.NRoutedExperts, c.NSharedExperts, c.NumExpertsPerTok = 256, 1, 8
	c.NGroup, c.TopkGroup = 8, 4
	c.TopkMethod, c.ScoringFunc = "noaux_tc", "sigmoid"
	c.NormTopkProb, c.RoutedScalingFactor = true, 2.5
	c.FirstKDenseReplace = 3
	c.EOSTokenIDs = []int{1}
	c.NumNextnPredictLayers = 1
	c.RopeInterleave = true
	if c.ModelType == "deepseek_v32" {
		c.MaxPositionEmbeddings = 163840
		c.IndexTopk, c.IndexHeadDim, c.IndexNHeads = 2048, 128, 64
		c.NumNextnPredictLayers = 0
	}
}

// Field is any field of config.json by its name, under either spelling. A field
// that the file leaves out but the family has a default for is that default.
func (c *Config) Field(name string) (any, bool) {
	if v, ok := c.Raw[name]; ok {
		return v, true
	}
	for _, group := range spellings {
		if !slices.Contains(group, name) {
			continue
		}
		for _, other := range group {
			if v, ok := c.Raw[other]; ok {
				return v, true
			}
		}
	}
	for _, f := range c.fields() {
		if f.name != name && !slices.Contains(f.also, name) {
			continue
		}
		for _, spelling := range append([]string{f.name}, f.also...) {
			if v, ok := c.Raw[spelling]; ok {
				return v, true
			}
		}
		return f.value(), true
	}
	switch name {
	case "model_type":
		return c.ModelType, true
	case "mlp_layer_types":
		list := make([]any, len(c.MLPLayerTypes))
		for i, t := range c.MLPLayerTypes {
			list[i] = t
		}
		return list, true
	case "rope_parameters", "rope_scaling":
		return c.ropeObject(), true
	case "rope_theta":
		return c.RopeParameters.RopeTheta, true
	case "qk_head_dim":
		return c.QkHeadDim(), true
	}
	return nil, false
}

// spellings are the fields with one meaning and one form in both spellings.
var spellings = [][]string{
	{"dtype", "torch_dtype"},
}

func (f field) value() any {
	switch p := f.into.(type) {
	case *int:
		if f.nullable && *p == f.none {
			return nil
		}
		return *p
	case *float64:
		return *p
	case *bool:
		return *p
	case *string:
		return *p
	}
	return nil
}

// A reader reads typed fields out of a JSON object and keeps the first fault.
type reader struct {
	file string
	raw  map[string]any
	at   string // "rope_scaling." inside that object
	err  error
}

func (r *reader) fail(field, found, expected string) {
	if r.err == nil {
		r.err = &ConfigError{r.file, r.at + field, found, expected}
	}
}

func (r *reader) read(f field) {
	name, v, ok := f.name, any(nil), false
	for _, spelling := range append([]string{f.name}, f.also...) {
		if v, ok = r.raw[spelling]; ok {
			name = spelling
			break
		}
	}
	if !ok {
		return
	}
	if v == nil && f.nullable {
		if p, ok := f.into.(*int); ok {
			*p = f.none
		}
		return
	}
	switch p := f.into.(type) {
	case *int:
		if n, ok := v.(int); ok {
			*p = n
		} else {
			r.fail(name, kind(v), "an integer")
		}
	case *float64:
		switch n := v.(type) {
		case float64:
			*p = n
		case int:
			*p = float64(n)
		default:
			r.fail(name, kind(v), "a number")
		}
	case *bool:
		if b, ok := v.(bool); ok {
			*p = b
		} else {
			r.fail(name, kind(v), "true or false")
		}
	case *string:
		if s, ok := v.(string); ok {
			*p = s
		} else {
			r.fail(name, kind(v), "a string")
		}
	}
}

// object is the reader of the object called name, nil where it is absent or null.
func (r *reader) object(name string) *reader {
	v, ok := r.raw[name]
	if !ok || v == nil {
		return nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		r.fail(name, kind(v), "an object")
		return nil
	}
	return &reader{file: r.file, raw: m, at: r.at + name + "."}
}

// join takes over the fault of a reader of an inner object.
func (r *reader) join(inner *reader) {
	if r.err == nil {
		r.err = inner.err
	}
}

// plain turns decoded JSON into strings, bools, ints, float64s, slices and maps.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return int(n)
		}
		f, err := v.Float64()
		if err != nil {
			return math.Inf(1)
		}
		return f
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
	}
	return v
}

// kind shows a value in an error, shortened.
func kind(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if s := []rune(string(b)); len(s) > 60 {
		return string(s[:57]) + "..."
	}
	return string(b)
}
