package checkpoint

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/runtime/torch"
)

const reference = "../../tests/reference"

func TestReadConfig(t *testing.T) {
	c, err := ReadConfig(filepath.Join(reference, "v32-fp8"))
	if err != nil {
		t.Fatal(err)
	}
	if c.ModelType != "deepseek_v32" || c.Architecture != "DeepseekV32ForCausalLM" || c.DType != torch.BFloat16 || c.HiddenSize != 80 ||
		c.QLoraRank != 136 || c.QkHeadDim() != 40 || c.IndexTopk != 5 || c.BOSTokenID != 0 || !slices.Equal(c.EOSTokenIDs, []int{1}) || c.PadTokenID != -1 {
		t.Errorf("%+v", c)
	}
	if q := c.Quantization; q == nil || q.WeightBlockSize != [2]int{128, 128} || q.ScaleFmt != "ue8m0" {
		t.Errorf("quantization %+v", q)
	}
	if want := (Rope{RopeType: "yarn", RopeTheta: 10000, Factor: 40, OriginalMaxPositionEmbeddings: 4096, BetaFast: 32, BetaSlow: 1, MScale: 1, MScaleAllDim: 1, Truncate: true}); c.RopeParameters != want {
		t.Errorf("rope %+v", c.RopeParameters)
	}
	if want := []string{"dense", "sparse", "sparse", "sparse"}; !slices.Equal(c.MLPLayerTypes, want) {
		t.Errorf("layers %v", c.MLPLayerTypes)
	}
	all, err := filepath.Glob(filepath.Join(reference, "*", configName))
	if err != nil || len(all) < 9 {
		t.Fatalf("%d reference folders, want 9 and more (%v)", len(all), err)
	}
	for _, file := range all {
		if _, err := ReadConfig(filepath.Dir(file)); err != nil {
			t.Error(err)
		}
	}
}

// The defaults and the respelling are compared with files that transformers'
// own configuration classes wrote.
func TestTransformersSpelling(t *testing.T) {
	pairs, err := filepath.Glob("testdata/transformers/*.json")
	if err != nil || len(pairs) < 12 {
		t.Fatalf("%d files, %v", len(pairs), err)
	}
	for _, path := range pairs {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			saved, err := ParseConfig(data)
			if err != nil {
				t.Fatal(err)
			}
			var plain *Config
			if family, ok := strings.CutPrefix(name, "default-"); ok {
				given := map[string]any{"model_type": family}
				if family == "deepseek_v2" {
					given["num_experts_per_tok"] = 6
				}
				b, _ := json.Marshal(given)
				plain, err = ParseConfig(b)
			} else {
				plain, err = ReadConfig(filepath.Join(reference, name))
			}
			if err != nil {
				t.Fatal(err)
			}
			got, want := facts(plain), facts(saved)
			for k := range want {
				if a, b := got[k], want[k]; a != b {
					t.Errorf("%s: %s here, %s in what transformers saves", k, a, b)
				}
			}
		})
	}
}

// facts are all typed fields as text, without those that only one spelling has.
func facts(c *Config) map[string]string {
	b, _ := json.Marshal(c)
	var all map[string]json.RawMessage
	json.Unmarshal(b, &all)
	delete(all, "Raw")
	out := map[string]string{}
	for k, v := range all {
		out[k] = string(v)
	}
	return out
}

func TestField(t *testing.T) {
	c, err := ParseConfig([]byte(`{"model_type":"deepseek_v3","torch_dtype":"bfloat16","rope_theta":5e4,"num_hidden_layers":4,"first_k_dense_replace":1,
		"rope_scaling":{"type":"yarn","factor":8,"original_max_position_embeddings":64},"made_up":[1,2.5,{"x":null}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"dtype": `"bfloat16"`, "torch_dtype": `"bfloat16"`, "rope_theta": "50000", "num_experts": "256", "n_routed_experts": "256",
		"mlp_layer_types": `["dense","sparse","sparse","sparse"]`, "made_up": `[1,2.5,{"x":null}]`, "qk_head_dim": "192",
		"rope_parameters": `{"factor":8,"original_max_position_embeddings":64,"rope_theta":50000,"rope_type":"yarn","type":"yarn"}`,
	} {
		v, ok := c.Field(name)
		if b, _ := json.Marshal(v); !ok || string(b) != want {
			t.Errorf("%s: %s, want %s", name, b, want)
		}
	}
	if v, ok := c.Field("no_such_field"); ok {
		t.Errorf("no_such_field is %v", v)
	}
}

func TestConfigFaults(t *testing.T) {
	base := map[string]any{"model_type": "deepseek_v3", "num_hidden_layers": 4}
	for _, c := range []struct {
		name  string
		field string
		value any
		want  string
	}{
		{"unknown family", "model_type", "llama", `model_type: found "llama", expected one of deepseek_v2 (DeepseekV2ForCausalLM), deepseek_v3 (DeepseekV3ForCausalLM), deepseek_v32 (DeepseekV32ForCausalLM)`},
		{"text for a number", "hidden_size", "64", `hidden_size: found "64", expected an integer`},
		{"a fraction", "hidden_size", 64.5, `hidden_size: found 64.5, expected an integer`},
		{"null", "hidden_size", nil, `hidden_size: found null, expected an integer`},
		{"a number for a switch", "attention_bias", 1, `attention_bias: found 1, expected true or false`},
		{"nothing", "vocab_size", 0, `vocab_size: found 0, expected at least 1`},
		{"other activation", "hidden_act", "mish", `hidden_act: found "mish", expected "silu", "gelu" or "relu"`},
		{"rope object", "rope_scaling", "yarn", `rope_scaling: found "yarn", expected an object`},
		{"rope type", "rope_scaling", map[string]any{"type": "longrope", "factor": 2}, `rope_scaling.rope_type: found "longrope", expected "default", "linear", "dynamic" or "yarn"`},
		{"linear without its factor", "rope_scaling", map[string]any{"type": "linear"}, `rope_scaling.factor: found nothing, expected a number of at least 1`},
		{"dynamic that shrinks", "rope_scaling", map[string]any{"type": "dynamic", "factor": 0.5}, `rope_scaling.factor: found 0.5, expected at least 1`},
		{"rope factor", "rope_parameters", map[string]any{"rope_type": "yarn", "factor": "x"}, `rope_parameters.factor: found "x", expected a number`},
		{"layer type", "mlp_layer_types", []string{"dense", "moe", "sparse", "sparse"}, `mlp_layer_types[1]: found "moe", expected "dense" or "sparse"`},
		{"layer count", "mlp_layer_types", []string{"dense"}, `mlp_layer_types: found 1 entries, expected num_hidden_layers = 4`},
		{"groups", "n_group", 7, `n_group: found 7, expected a divisor of n_routed_experts = 256`},
		{"experts", "num_experts_per_tok", 1000, `num_experts_per_tok: found 1000, expected at most the experts of topk_group groups = 128`},
		{"dtype", "torch_dtype", "bf17", `torch_dtype: found "bf17", expected a dtype of floats, such as`},
		{"whole numbers", "dtype", "int8", `dtype: found "int8", expected a dtype of floats`},
		{"quantisation", "quantization_config", map[string]any{"quant_method": "awq"}, `quantization_config.quant_method: found "awq", expected "fp8"`},
		{"block", "quantization_config", map[string]any{"quant_method": "fp8", "weight_block_size": []int{128}}, `weight_block_size: found [128], expected two positive integers`},
		{"huge", "num_hidden_layers", 1 << 40, `num_hidden_layers: found 1099511627776, expected at most`},
		{"a mistyped size", "hidden_size", 1 << 40, `hidden_size: found 1099511627776, expected at most`},
		{"a mistyped width", "qk_rope_head_dim", 1 << 20, `qk_rope_head_dim: found 1048576, expected at most`},
		{"a mistyped number of experts", "n_routed_experts", 1 << 20, `n_routed_experts: found 1048576, 4194304 in all layers, expected at most`},
		{"experts beyond counting", "n_routed_experts", 1 << 62, `n_routed_experts: found 4611686018427387904, expected at most`},
		{"groups of one expert", "n_group", 256, `n_group: found 256, expected at most 128`},
		{"layers in between", "moe_layer_freq", 0, `moe_layer_freq: found 0, expected at least 1`},
		{"epsilon", "rms_norm_eps", -1, `rms_norm_eps: found -1, expected 0 or more`},
		{"turns", "rope_scaling", map[string]any{"type": "yarn", "factor": 4, "beta_fast": -1}, `rope_scaling.beta_fast: found -1, expected more than 0`},
		{"scoring", "scoring_func", "softmax", `scoring_func: found "softmax", expected "sigmoid"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			raw := maps.Clone(base)
			raw[c.field] = c.value
			b, err := json.Marshal(raw)
			if err != nil {
				t.Fatal(err)
			}
			_, err = parseConfig("dir/config.json", b)
			if err == nil || !strings.HasPrefix(err.Error(), "dir/config.json: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
	for _, text := range []string{"", "[]", "{", "{} {}", `"x"`, `{"model_type":"deepseek_v2"}`} {
		if _, err := ParseConfig([]byte(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func FuzzConfig(f *testing.F) {
	for _, dir := range []string{"v2-lite", "v3-variant", "v32-fp8"} {
		if b, err := os.ReadFile(filepath.Join(reference, dir, configName)); err == nil {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseConfig(data)
		if err == nil && len(c.MLPLayerTypes) != c.NumHiddenLayers {
			t.Fatalf("%d layer types for %d layers", len(c.MLPLayerTypes), c.NumHiddenLayers)
		}
	})
}
