package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/gonterp/gonterp"
	"github.com/gonterp/gonterp/families"
	"github.com/gonterp/gonterp/families/mini"
	"github.com/gonterp/gonterp/runtime/checkpoint"
)

// info describes a model from its config.json. It opens neither weights nor
// libtorch; --check reads the weights.
func info(args []string) error {
	flags := flag.NewFlagSet("info", flag.ContinueOnError)
	check := flags.Bool("check", false, "read all weights, and name those that are not finite or of an absurd scale")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return fmt.Errorf("info wants one model: gonterp info mini, a folder, or an id in the local Hugging Face cache")
	}
	name := flags.Arg(0)
	cfg, err := readConfig(name)
	if err != nil {
		return err
	}
	if err := describe(name, cfg); err != nil || !*check {
		return err
	}
	return inspect(name)
}

func describe(name string, cfg *checkpoint.Config) error {
	counts, err := families.Count(cfg)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %s (%s), stored as %v%s\n", name, cfg.ModelType, cfg.Architecture, cfg.DType, quantised(cfg))
	fmt.Printf("  layers      %d (%d dense, %d mixture)\n", cfg.NumHiddenLayers, cfg.NumHiddenLayers-sparseLayers(cfg), sparseLayers(cfg))
	fmt.Printf("  hidden      %d; vocabulary %d; context %d\n", cfg.HiddenSize, cfg.VocabSize, cfg.MaxPositionEmbeddings)
	fmt.Printf("  attention   %d heads; queries and keys %d + %d rotary, values %d; latent %d, queries' latent %s\n",
		cfg.NumAttentionHeads, cfg.QkNopeHeadDim, cfg.QkRopeHeadDim, cfg.VHeadDim, cfg.KVLoraRank, orNone(cfg.QLoraRank))
	if cfg.IndexTopk > 0 {
		fmt.Printf("  indexer     %d heads × %d, keeps %d keys\n", cfg.IndexNHeads, cfg.IndexHeadDim, cfg.IndexTopk)
	}
	if sparseLayers(cfg) > 0 {
		fmt.Printf("  experts     %d of width %d, %d per token, %d shared; %d of %d groups; scale %g\n",
			cfg.NRoutedExperts, cfg.MoeIntermediateSize, cfg.NumExpertsPerTok, cfg.NSharedExperts, cfg.TopkGroup, cfg.NGroup, cfg.RoutedScalingFactor)
	}
	fmt.Println("\nparameters")
	row := func(name string, n int64) { fmt.Printf("  %-28s %19s\n", name, thousands(n)) }
	row("embedding", counts.Embedding)
	for _, kind := range []bool{false, true} {
		for _, l := range counts.Layers {
			if l.Sparse != kind {
				continue
			}
			name := "dense block"
			if kind {
				name = "mixture block"
			}
			row(name+": attention", l.Attention)
			row(name+": MLP", l.MLP)
			if kind {
				row(name+": one expert", l.Expert)
			}
			row(name, l.Total())
			break
		}
	}
	row("final norm", counts.FinalNorm)
	row("head", counts.Head)
	row("model", counts.Total())
	row("used by one token", counts.Active())
	fmt.Println("\nmemory of all weights")
	available := memory()
	for _, d := range []struct {
		name  string
		bytes int64
	}{{"float32", 4}, {"bfloat16", 2}, {"float8", 1}} {
		bytes := d.bytes * counts.Total()
		fit := ""
		if available > 0 {
			fit = "fits into this machine's memory"
			if bytes > available {
				fit = "larger than this machine's memory: weights are mapped, so it can be traced all the same, at the disk's pace"
			}
		}
		fmt.Printf("  %-10s %13s  %s\n", d.name, size(bytes), fit)
	}
	return nil
}

func readConfig(name string) (*checkpoint.Config, error) {
	if name == gonterp.Mini {
		return checkpoint.ParseConfig(mini.Read("config.json"))
	}
	dir, err := checkpoint.Resolve(name)
	if err != nil {
		return nil, err
	}
	return checkpoint.ReadConfig(dir)
}

func sparseLayers(cfg *checkpoint.Config) (n int) {
	for i := range cfg.NumHiddenLayers {
		if cfg.Sparse(i) {
			n++
		}
	}
	return n
}

func quantised(cfg *checkpoint.Config) string {
	if q := cfg.Quantization; q != nil {
		return fmt.Sprintf(", weights %s %s in blocks of %d×%d", q.QuantMethod, q.Fmt, q.WeightBlockSize[0], q.WeightBlockSize[1])
	}
	return ""
}

func orNone(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}

func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// size is a number of bytes as people write it.
func size(bytes int64) string {
	if bytes < 1<<30 {
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}

// memory is the machine's, in bytes; 0 where it can't be read.
func memory() int64 {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "MemTotal: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}
