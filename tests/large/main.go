// Command large shows that a checkpoint larger than memory loads and traces.
//
//	go run ./tests/large v2-lite     # 31 GB of bfloat16
//	go run ./tests/large v3.2        # 690 GB of FP8 blocks
//
// It writes a checkpoint of the released configuration as sparse files: every
// tensor is there in its full shape, all zero but the norms and some rows of the
// embedding, so that it takes next to no disk. It is a script and no part of CI,
// since it reads as much as the model is large.
package main

import (
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gonterp/gonterp"
	"github.com/gonterp/gonterp/families"
	"github.com/gonterp/gonterp/runtime/checkpoint"
)

func main() {
	dir := flag.String("dir", "", "where the checkpoint is written; a temporary folder without it")
	tokens := flag.Int("tokens", 0, "length of the prompt: 16, or 4 for an FP8 model")
	flag.Parse()
	if flag.NArg() != 1 {
		fail(fmt.Errorf("give one configuration: v2-lite, v3.2, or another folder of families/testdata/configs"))
	}
	if *dir == "" {
		tmp, err := os.MkdirTemp("", "gonterp-large-")
		fail(err)
		defer os.RemoveAll(tmp)
		*dir = tmp
	}
	cfg, bytes, err := write(filepath.Join("families/testdata/configs", flag.Arg(0), "config.json"), *dir)
	fail(err)
	fmt.Printf("%s: %.1f GB in sparse files, %.2f GB on disk\n", flag.Arg(0), float64(bytes)/1e9, onDisk(*dir))
	if *tokens == 0 {
		*tokens = 16
		if cfg.Quantization != nil {
			*tokens = 4
		}
	}
	fail(trace(*dir, *tokens))
}

func trace(dir string, tokens int) error {
	began := time.Now()
	model, err := gonterp.Open(dir)
	if err != nil {
		return err
	}
	fmt.Printf("loaded in %.2f s\n%s\n", time.Since(began).Seconds(), model)
	began = time.Now()
	for m := range model.Scan(make([]int, tokens)) {
		m.Logits.Value()
	}
	fmt.Printf("scanned in %.2f s\n", time.Since(began).Seconds())
	ids := make([]int, tokens)
	for i := range ids {
		ids[i] = i + 1
	}
	began = time.Now()
	for m := range model.Trace(ids) {
		for i, l := range m.Layers {
			l.LayerOutput.Value()
			if i%10 == 9 {
				fmt.Printf("  block %d after %.1f s, %.1f GB resident\n", i, time.Since(began).Seconds(), resident())
			}
		}
		logits := m.Logits.Save()
		fmt.Printf("traced %d tokens in %.1f s, logits %v, peak %.1f GB resident\n", tokens, time.Since(began).Seconds(), logits.Shape(), status("VmHWM"))
	}
	return nil
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "large:", err)
		os.Exit(1)
	}
}

// entry is one tensor of a safetensors header.
type entry struct {
	DType   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
	bytes   int64
}

// block is the side of an FP8 block.
const block = 128

// tensors are what is stored for a weight.
func tensors(name string, shape []int, fp8 bool) map[string]*entry {
	n := int64(1)
	for _, d := range shape {
		n *= int64(d)
	}
	if strings.HasSuffix(name, "e_score_correction_bias") {
		return map[string]*entry{name: {DType: "F32", Shape: shape, bytes: 4 * n}}
	}
	quantised := fp8 && len(shape) == 2 && strings.Contains(name, "layers.") &&
		!strings.Contains(name, "mlp.gate.") && !strings.Contains(name, "weights_proj")
	if !quantised {
		return map[string]*entry{name: {DType: "BF16", Shape: shape, bytes: 2 * n}}
	}
	scales := []int{(shape[0] + block - 1) / block, (shape[1] + block - 1) / block}
	return map[string]*entry{
		name:                {DType: "F8_E4M3", Shape: shape, bytes: n},
		name + "_scale_inv": {DType: "F32", Shape: scales, bytes: 4 * int64(scales[0]*scales[1])},
	}
}

// write makes the checkpoint, one shard a block, and returns its size.
func write(config, dir string) (*checkpoint.Config, int64, error) {
	data, err := os.ReadFile(config)
	if err != nil {
		return nil, 0, err
	}
	cfg, err := checkpoint.ParseConfig(data)
	if err != nil {
		return nil, 0, err
	}
	if err := os.WriteFile(filepath.Join(dir, "config.json"), data, 0o644); err != nil {
		return nil, 0, err
	}
	network, err := families.New(cfg, nil, families.Options{DType: cfg.DType})
	if err != nil {
		return nil, 0, err
	}
	shards := map[string]map[string]*entry{}
	index := map[string]string{}
	for _, p := range network.Params() {
		shard := "model-rest.safetensors"
		if words := strings.Split(p.Name, "."); words[1] == "layers" {
			shard = "model-layer-" + words[2] + ".safetensors"
		}
		if shards[shard] == nil {
			shards[shard] = map[string]*entry{}
		}
		for name, e := range tensors(p.Name, p.Shape, cfg.Quantization != nil) {
			shards[shard][name], index[name] = e, shard
		}
	}
	var total int64
	for name, entries := range shards {
		size, err := writeShard(filepath.Join(dir, name), entries)
		if err != nil {
			return nil, 0, err
		}
		total += size
	}
	text, err := json.Marshal(map[string]any{"metadata": map[string]any{"total_size": total}, "weight_map": index})
	if err != nil {
		return nil, 0, err
	}
	return cfg, total, os.WriteFile(filepath.Join(dir, "model.safetensors.index.json"), text, 0o644)
}

func writeShard(path string, entries map[string]*entry) (int64, error) {
	var at int64
	for _, e := range entries {
		e.Offsets = [2]int64{at, at + e.bytes}
		at += e.bytes
	}
	header, err := json.Marshal(entries)
	if err != nil {
		return 0, err
	}
	for len(header)%8 != 0 {
		header = append(header, ' ')
	}
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	start := int64(8 + len(header))
	if err := f.Truncate(start + at); err != nil {
		return 0, err
	}
	if _, err := f.WriteAt(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), 0); err != nil {
		return 0, err
	}
	for name, e := range entries {
		if b := content(name, e); b != nil {
			if _, err := f.WriteAt(b, start+e.Offsets[0]); err != nil {
				return 0, err
			}
		}
	}
	return at, nil
}

// content is what is not zero: norms are one, and the first rows of the embedding
// differ from each other.
func content(name string, e *entry) []byte {
	switch {
	case strings.Contains(name, "norm") && strings.HasSuffix(name, "weight"):
		var b []byte
		for range e.Shape[0] {
			b = binary.LittleEndian.AppendUint16(b, 0x3f80)
		}
		return b
	case strings.HasSuffix(name, "embed_tokens.weight"):
		var b []byte
		for i := range 64 * e.Shape[1] {
			b = binary.LittleEndian.AppendUint16(b, uint16(math.Float32bits(float32(math.Sin(float64(i)*1.7)))>>16))
		}
		return b
	}
	return nil
}
