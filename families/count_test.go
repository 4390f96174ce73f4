package families

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/gonterp/gonterp/runtime/checkpoint"
)

// The totals were confirmed by building the models in transformers on its meta device.
func TestCountsOfTheReleases(t *testing.T) {
	for _, c := range []struct {
		active                                              float64 // billions, as published
		config                                              string
		attention, dense, mixture, denseBlock, block, total int64
	}{
		{2.66, "v2-lite", 13_763_072, 67_239_936, 571_080_704, 81_007_104, 584_847_872, 15_706_484_224},
		{21, "v2", 149_227_520, 188_743_680, 3_822_878_720, 337_981_440, 3_972_116_480, 235_741_434_880},
		{21, "v2.5", 149_227_520, 188_743_680, 3_822_878_720, 337_981_440, 3_972_116_480, 235_741_434_880},
		{37, "v3", 187_107_328, 396_361_728, 11_320_164_608, 583_483_392, 11_507_286_272, 671_026_419_200},
		{3, "moonlight", 13_763_072, 69_206_016, 571_080_768, 82_973_184, 584_847_936, 15_960_110_208},
		{37.5, "v3.2", 201_066_752, 396_361_728, 11_320_164_608, 597_442_816, 11_521_245_696, 671_877_944_064},
	} {
		t.Run(c.config, func(t *testing.T) {
			cfg := must(checkpoint.ReadConfig(filepath.Join("testdata/configs", c.config)))(t)
			counts := must(Count(cfg))(t)
			first, last := counts.Layers[0], counts.Layers[len(counts.Layers)-1]
			for _, x := range []struct {
				what      string
				got, want int64
			}{
				{"attention", last.Attention, c.attention},
				{"dense MLP", first.MLP, c.dense},
				{"mixture", last.MLP, c.mixture},
				{"dense block", first.Total(), c.denseBlock},
				{"mixture block", last.Total(), c.block},
				{"model", counts.Total(), c.total},
			} {
				if x.got != x.want {
					t.Errorf("%s: %d, want %d", x.what, x.got, x.want)
				}
			}
			if active := float64(counts.Active()) / 1e9; math.Abs(active-c.active) > 0.06*c.active {
				t.Errorf("%.1f billion active parameters, the release says %.1f", active, c.active)
			}
			if first.Sparse || !last.Sparse {
				t.Error("the first block is dense and the last a mixture")
			}
		})
	}
}
