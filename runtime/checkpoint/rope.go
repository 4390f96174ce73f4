package checkpoint

import (
	"fmt"
	"maps"
)

// rope reads rope_parameters, where transformers 5 keeps it, or rope_scaling
// with rope_theta beside it, as the releases do. rope_scaling wins where a file
// has both, as in transformers.
func (c *Config) rope(r *reader) {
	p := &c.RopeParameters
	*p = Rope{RopeType: ropeDefault, RopeTheta: 10_000, BetaFast: 32, BetaSlow: 1, Truncate: true}
	r.read(field{name: "rope_theta", into: &p.RopeTheta})
	in := r.object("rope_scaling")
	if in == nil || len(in.raw) == 0 {
		in = r.object("rope_parameters")
	}
	if in == nil {
		return
	}
	for _, f := range []field{
		{name: "rope_type", also: []string{"type"}, into: &p.RopeType},
		{name: "rope_theta", into: &p.RopeTheta},
		{name: "factor", into: &p.Factor, nullable: true},
		{name: "original_max_position_embeddings", into: &p.OriginalMaxPositionEmbeddings},
		{name: "beta_fast", into: &p.BetaFast, nullable: true},
		{name: "beta_slow", into: &p.BetaSlow, nullable: true},
		{name: "mscale", into: &p.MScale, nullable: true},
		{name: "mscale_all_dim", into: &p.MScaleAllDim, nullable: true},
		{name: "attention_factor", into: &p.AttentionFactor, nullable: true},
		{name: "truncate", into: &p.Truncate},
	} {
		in.read(f)
	}
	partial := 1.0
	in.read(field{name: "partial_rotary_factor", into: &partial, nullable: true})
	if partial != 1 {
		in.fail("partial_rotary_factor", fmt.Sprint(partial), "1: qk_rope_head_dim says how wide the rotary part is")
	}
	switch p.RopeType {
	case ropeDefault:
	case ropeLinear, ropeDynamic:
		if in.raw["factor"] == nil {
			in.fail("factor", "nothing", "a number of at least 1")
		} else if p.Factor < 1 {
			in.fail("factor", fmt.Sprint(p.Factor), "at least 1")
		}
		if p.RopeType == ropeDynamic && c.QkRopeHeadDim < 4 {
			in.fail("rope_type", fmt.Sprintf("%q", p.RopeType), "a qk_rope_head_dim of at least 4 beside it")
		}
	case ropeYarn:
		if _, ok := in.raw["original_max_position_embeddings"]; !ok {
			p.OriginalMaxPositionEmbeddings = c.MaxPositionEmbeddings
		}
		if p.OriginalMaxPositionEmbeddings < 1 {
			in.fail("original_max_position_embeddings", fmt.Sprint(p.OriginalMaxPositionEmbeddings), "at least 1")
			break
		}
		if in.raw["factor"] == nil {
			p.Factor = float64(c.MaxPositionEmbeddings) / float64(p.OriginalMaxPositionEmbeddings)
		}
		if p.Factor < 1 {
			in.fail("factor", fmt.Sprint(p.Factor), "at least 1")
		}
	default:
		in.fail("rope_type", fmt.Sprintf("%q", p.RopeType), fmt.Sprintf("%q, %q, %q or %q", ropeDefault, ropeLinear, ropeDynamic, ropeYarn))
	}
	if p.RopeTheta <= 0 {
		in.fail("rope_theta", fmt.Sprint(p.RopeTheta), "more than 0")
	}
	if p.BetaFast == 0 { // as in transformers
		p.BetaFast = 32
	}
	if p.BetaSlow == 0 {
		p.BetaSlow = 1
	}
	for _, f := range []struct {
		name string
		v    float64
	}{{"beta_fast", p.BetaFast}, {"beta_slow", p.BetaSlow}, {"attention_factor", p.AttentionFactor}} {
		if f.v < 0 {
			in.fail(f.name, fmt.Sprint(f.v), "more than 0")
		}
	}
	r.join(in)
}

const (
	ropeDefault = "default"
	ropeLinear  = "linear"
	ropeDynamic = "dynamic"
	ropeYarn    = "yarn"
)

// ropeObject is what the file says about rotary embedding, in one object that
// has both spellings.
func (c *Config) ropeObject() map[string]any {
	all := map[string]any{}
	for _, name := range []string{"rope_parameters", "rope_scaling"} {
		if m, ok := c.Raw[name].(map[string]any); ok {
			maps.Copy(all, m)
		}
	}
	all["rope_type"], all["type"] = c.RopeParameters.RopeType, c.RopeParameters.RopeType
	all["rope_theta"] = c.RopeParameters.RopeTheta
	return all
}
