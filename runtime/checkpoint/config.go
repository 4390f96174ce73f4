package checkpoint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gonterp/gonterp/runtime/torch"
)

// Config is a config.json. Fields have its words; what the file leaves out has
// the default that transformers' configuration class of the family gives it.
type Config struct {
	Architecture string // "DeepseekV3ForCausalLM"
	ModelType    string // one of Families: "deepseek_v2", "deepseek_v3", "deepseek_v32"

	VocabSize             int
	HiddenSize            int
	IntermediateSize      int // of a dense MLP
	MoeIntermediateSize   int // of one expert
	NumHiddenLayers       int
	NumAttentionHeads     int
	NumKeyValueHeads      int
	MaxPositionEmbeddings int
	HiddenAct             string // "silu"
	RMSNormEps            float64
	TieWordEmbeddings     bool
	AttentionBias         bool
	MLPBias               bool

	QLoraRank      int // 0 where config.json says null: one q_proj
	KVLoraRank     int
	QkNopeHeadDim  int
	QkRopeHeadDim  int
	VHeadDim       int
	RopeParameters Rope
	RopeInterleave bool // deepseek_v3 only

	NRoutedExperts      int
	NSharedExperts      int
	NumExpertsPerTok    int
	NGroup              int // 1 where config.json has none
	TopkGroup           int // 1 where config.json has none
	TopkMethod          string
	ScoringFunc         string
	NormTopkProb        bool
	RoutedScalingFactor float64
	FirstKDenseReplace  int
	MLPLayerTypes       []string // "dense" or "sparse", one per layer
	MoeLayerFreq        int

	IndexTopk             int // deepseek_v32 only
	IndexHeadDim          int
	IndexNHeads           int
	NumNextnPredictLayers int // blocks after the last layer, not built

	DType        torch.DType   // what the file says the weights are: dtype or torch_dtype
	Quantization *Quantization // nil: not quantised
	BOSTokenID   int           // -1: none
	EOSTokenIDs  []int
	PadTokenID   int // -1: none

	Raw map[string]any // the file as it is: string, bool, int, float64, []any, map[string]any, nil
}

// Rope is rope_parameters, or rope_scaling with rope_theta beside it.
type Rope struct {
	RopeType                      string // "default", "linear", "dynamic" or "yarn"
	RopeTheta                     float64
	Factor                        float64
	OriginalMaxPositionEmbeddings int
	BetaFast, BetaSlow            float64
	MScale, MScaleAllDim          float64 // 0: not given
	AttentionFactor               float64 // 0: not given, so it follows from the two above
	Truncate                      bool
}

// Quantization is quantization_config.
type Quantization struct {
	QuantMethod     string // "fp8"
	Fmt             string // "e4m3"
	ScaleFmt        string // "" or "ue8m0"
	WeightBlockSize [2]int
}

// Families are the values of model_type that can be read, with the name that
// architectures has for each.
var Families = []struct{ ModelType, Architecture string }{
	{"deepseek_v2", "DeepseekV2ForCausalLM"},
	{"deepseek_v3", "DeepseekV3ForCausalLM"},
	{"deepseek_v32", "DeepseekV32ForCausalLM"},
}

// QkHeadDim is the width of a query and a key.
func (c *Config) QkHeadDim() int { return c.QkNopeHeadDim + c.QkRopeHeadDim }

// Sparse says whether layer i has experts.
func (c *Config) Sparse(i int) bool { return c.MLPLayerTypes[i] == sparse }

const (
	dense  = "dense"
	sparse = "sparse"
)

// A ConfigError is a config.json that cannot be used.
type ConfigError struct {
	File     string
	Field    string
	Found    string
	Expected string
}

func (e *ConfigError) Error() string {
	where := e.File
	if e.Field != "" {
		where += ": " + e.Field
	}
	return fmt.Sprintf("%s: found %s, expected %s", where, e.Found, e.Expected)
}

// ReadConfig reads dir/config.json.
func ReadConfig(dir string) (*Config, error) {
	path := filepath.Join(dir, configName)
	data, err := readText(path)
	if err != nil {
		if os.IsNotExist(err) {
			return nil, missing(dir, configName)
		}
		return nil, err
	}
	return parseConfig(path, data)
}

// ParseConfig reads the bytes of a config.json.
func ParseConfig(data []byte) (*Config, error) { return parseConfig(configName, data) }

const configName = "config.json"

func parseConfig(file string, data []byte) (*Config, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var top any
	if err := d.Decode(&top); err != nil {
		return nil, fmt.Errorf("%s: not JSON: %w", file, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%s: more text after the JSON object", file)
	}
	raw, ok := plain(top).(map[string]any)
	if !ok {
		return nil, &ConfigError{file, "", kind(plain(top)), "a JSON object"}
	}
	c := &Config{Raw: raw}
	r := &reader{file: file, raw: raw}
	c.family(r)
	c.defaults()
	for _, f := range c.fields() {
		r.read(f)
	}
	c.rope(r)
	c.layers(r)
	c.rest(r)
	c.check(r)
	if r.err != nil {
		return nil, r.err
	}
	return c, nil
}

// family finds model_type. architectures decides where model_type is another
// project's name for the same network.
func (c *Config) family(r *reader) {
	typ, _ := r.raw["model_type"].(string)
	if list, ok := r.raw["architectures"].([]any); ok && len(list) > 0 {
		c.Architecture, _ = list[0].(string)
	}
	for _, f := range Families {
		if typ == f.ModelType {
			c.ModelType = typ
			if c.Architecture == "" {
				c.Architecture = f.Architecture
			}
			return
		}
	}
	for _, f := range Families {
		if c.Architecture == f.Architecture {
			c.ModelType = f.ModelType
			return
		}
	}
	known := make([]string, len(Families))
	for i, f := range Families {
		known[i] = fmt.Sprintf("%s (%s)", f.ModelType, f.Architecture)
	}
	found := kind(r.raw["model_type"])
	if _, ok := r.raw["model_type"]; !ok {
		found = "nothing"
	}
	if c.Architecture != "" {
		found += " with architecture " + c.Architecture
	}
	r.fail("model_type", found, "one of "+strings.Join(known, ", "))
}

// layers fills MLPLayerTypes: the list where the file has one, else the first
// first_k_dense_replace layers dense.
func (c *Config) layers(r *reader) {
	if v, ok := r.raw["mlp_layer_types"]; ok && v != nil {
		list, ok := v.([]any)
		if !ok {
			r.fail("mlp_layer_types", kind(v), `a list of "dense" and "sparse"`)
			return
		}
		for i, x := range list {
			s, _ := x.(string)
			if s != dense && s != sparse {
				r.fail(fmt.Sprintf("mlp_layer_types[%d]", i), kind(x), `"dense" or "sparse"`)
				return
			}
			c.MLPLayerTypes = append(c.MLPLayerTypes, s)
		}
		if len(list) != c.NumHiddenLayers {
			r.fail("mlp_layer_types", fmt.Sprintf("%d entries", len(list)), fmt.Sprintf("num_hidden_layers = %d", c.NumHiddenLayers))
		}
		first := slices.Index(c.MLPLayerTypes, sparse)
		if first < 0 {
			first = len(list)
		}
		c.FirstKDenseReplace = first
		return
	}
	if c.NumHiddenLayers > maxLayers {
		r.fail("num_hidden_layers", fmt.Sprint(c.NumHiddenLayers), fmt.Sprintf("at most %d", maxLayers))
		return
	}
	for i := range c.NumHiddenLayers {
		t := sparse
		if i < c.FirstKDenseReplace || i%max(c.MoeLayerFreq, 1) != 0 {
			t = dense
		}
		c.MLPLayerTypes = append(c.MLPLayerTypes, t)
	}
}

// maxLayers keeps a mistyped num_hidden_layers from being built.
const maxLayers = 10_000
