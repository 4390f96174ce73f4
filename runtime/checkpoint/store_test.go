package checkpoint

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

func open(t testing.TB, dir string, opts ...Option) *files {
	t.Helper()
	s, err := Open(dir, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*files)
}

func tensor(t testing.TB, s Store, name string, dtype torch.DType) *torch.Tensor {
	t.Helper()
	x, err := s.Tensor(name, dtype)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestOpenSingleAndShards(t *testing.T) {
	for dir, want := range map[string]int{"v2-lite": 1, "v2-236b": 3, "v3-variant": 2} {
		s := open(t, filepath.Join(reference, dir))
		at := map[string]bool{}
		for _, name := range s.Names() {
			e, ok := s.Entry(name)
			if !ok || e.Name != name || e.Bytes == 0 || e.Offset < 8 {
				t.Errorf("%s: %+v", name, e)
			}
			at[e.File] = true
		}
		if len(at) != want {
			t.Errorf("%s has its tensors in %d files, want %d", dir, len(at), want)
		}
		if e, _ := s.Entry("model.embed_tokens.weight"); len(e.Shape) != 2 {
			t.Errorf("%s: %+v", dir, e)
		}
	}
}

func TestOpenOneFile(t *testing.T) {
	s := open(t, filepath.Join(reference, "v3", "expected.safetensors"))
	if len(s.Names()) < 100 {
		t.Errorf("%d tensors", len(s.Names()))
	}
	if s, err := Open(filepath.Join(reference, "v3", configName)); s != nil || err == nil || !strings.Contains(err.Error(), "config.json: not a safetensors file") {
		t.Errorf("%v %v", s, err)
	}
}

func TestTensorIsWrapped(t *testing.T) {
	torchtest.Need(t)
	s := open(t, filepath.Join(reference, "v3"))
	const name = "model.embed_tokens.weight"
	e, _ := s.Entry(name)
	x := tensor(t, s, name, e.DType)
	p := s.tensors[name]
	if x.Data() != p.pointer() {
		t.Error("a weight in its own dtype was copied")
	}
	if !slices.Equal(x.Shape(), e.Shape) || x.DType() != torch.BFloat16 {
		t.Errorf("%v %v", x.Shape(), x.DType())
	}
	wide := tensor(t, s, name, torch.Float32).Floats()
	for i, v := range wide {
		if want := math.Float32frombits(uint32(binary.LittleEndian.Uint16(p.bytes()[2*i:])) << 16); v != want {
			t.Fatalf("element %d is %v, want %v", i, v, want)
		}
	}
	if again := tensor(t, s, name, torch.Float32); s.cache.bytes != int64(again.Nbytes()) {
		t.Errorf("the cache has %d bytes for one tensor of %d", s.cache.bytes, again.Nbytes())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(x.Float().Floats(), wide) {
		t.Error("a wrapped tensor changed when the store was closed")
	}
}

func TestUnalignedIsCopied(t *testing.T) {
	torchtest.Need(t)
	head := `{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"F32","shape":[2],"data_offsets":[1,9]},"c":{"dtype":"F32","shape":[0,3],"data_offsets":[9,9]}}`
	data := file(head, 0)
	data = append(data, 7)
	data = binary.LittleEndian.AppendUint32(data, math.Float32bits(1.5))
	data = binary.LittleEndian.AppendUint32(data, math.Float32bits(-2))
	// One of eight neighbouring positions in memory puts b off its boundary.
	for shift := range 8 {
		s, err := OpenBytes("embedded", append(make([]byte, shift), data...)[shift:])
		if err != nil {
			t.Fatal(err)
		}
		if got := tensor(t, s, "b", torch.Float32).Floats(); !slices.Equal(got, []float32{1.5, -2}) {
			t.Errorf("shift %d: %v", shift, got)
		}
		if got := tensor(t, s, "b", torch.BFloat16).Floats(); !slices.Equal(got, []float32{1.5, -2}) {
			t.Errorf("shift %d: %v", shift, got)
		}
		if got := tensor(t, s, "c", torch.Float32).Shape(); !slices.Equal(got, []int{0, 3}) {
			t.Errorf("no elements: %v", got)
		}
	}
}

func TestMissing(t *testing.T) {
	s := open(t, filepath.Join(reference, "v3"))
	_, err := s.Tensor("model.layers.1.mlp.gate.wieght", torch.Float32)
	var missing *MissingError
	if !errors.As(err, &missing) || !slices.Contains(missing.Nearest, "model.layers.1.mlp.gate.weight") && !strings.Contains(err.Error(), "model.layers.1.mlp") {
		t.Errorf("%v", err)
	}
}

// TestDequantise holds every FP8 weight of the reference checkpoints against
// the formula, worked out here element by element.
func TestDequantise(t *testing.T) {
	torchtest.Need(t)
	for _, dir := range []string{"v3-fp8", "v32-fp8"} {
		s := open(t, filepath.Join(reference, dir))
		ragged := 0
		for _, name := range s.Names() {
			p := s.tensors[name]
			if p.dtype.dtype != torch.Float8E4M3FN {
				continue
			}
			scales, err := s.tensors[name+scaleSuffix].floats()
			if err != nil {
				t.Fatal(err)
			}
			rows, cols := p.shape[0], p.shape[1]
			if rows%128 != 0 && rows > 128 || cols%128 != 0 && cols > 128 {
				ragged++
			}
			got := tensor(t, s, name, torch.Float32).Floats()
			raw := tensor(t, s, name, torch.Float8E4M3FN).Floats()
			for i := range got {
				r, c := i/cols, i%cols
				want := raw[i] * scales[r/128*((cols+127)/128)+c/128]
				if got[i] != want {
					t.Fatalf("%s %s [%d %d]: %v, want %v", dir, name, r, c, got[i], want)
				}
			}
			narrow := tensor(t, s, name, torch.BFloat16)
			if narrow.DType() != torch.BFloat16 || !slices.Equal(narrow.Shape(), p.shape) || !slices.Equal(narrow.Floats(), tensor(t, s, name, torch.Float32).To(torch.BFloat16).Floats()) {
				t.Fatalf("%s %s in bfloat16: %v %v", dir, name, narrow.DType(), narrow.Shape())
			}
			if half := tensor(t, s, name, torch.Float16); half.DType() != torch.Float16 {
				t.Fatal(half.DType())
			}
		}
		if ragged == 0 {
			t.Errorf("%s has no weight with a ragged edge", dir)
		}
	}
}

func TestFP8Values(t *testing.T) {
	for b, want := range map[byte]float32{0: 0, 1: 0.001953125, 8: 0.015625, 0x38: 1, 0x40: 2, 0x7e: 448, 0xb8: -1, 0xfe: -448} {
		if e4m3[b] != want {
			t.Errorf("e4m3 %#x is %v, want %v", b, e4m3[b], want)
		}
	}
	if e4m3[0x7f] == e4m3[0x7f] || e4m3[0xff] == e4m3[0xff] || e8m0(255) == e8m0(255) {
		t.Error("no number is a number")
	}
	if e8m0(127) != 1 || e8m0(130) != 8 || e8m0(0) != 0x1p-127 {
		t.Errorf("e8m0: %v %v %v", e8m0(127), e8m0(130), e8m0(0))
	}
}

func TestFP8Faults(t *testing.T) {
	torchtest.Need(t)
	weight := `"x.weight":{"dtype":"F8_E4M3","shape":[130,4],"data_offsets":[0,520]}`
	for _, c := range []struct {
		name, head string
		data       int
		want       string
	}{
		{"no scales", `{` + weight + `}`, 520, "tensor x.weight: stored as F8_E4M3 without its scales: no tensor x.weight_scale_inv"},
		{"wrong shape", `{` + weight + `,"x.weight_scale_inv":{"dtype":"F32","shape":[1,1],"data_offsets":[520,524]}}`, 524, "tensor x.weight_scale_inv: expected shape [2 1], one scale per 128x128 block of [130 4], found [1 1]"},
		{"wrong dtype", `{` + weight + `,"x.weight_scale_inv":{"dtype":"I32","shape":[2,1],"data_offsets":[520,528]}}`, 528, "scales are expected as F32, BF16 or F8_E8M0, found I32"},
		{"other FP8", `{"x.weight":{"dtype":"F8_E5M2","shape":[1,4],"data_offsets":[0,4]}}`, 4, "expected as F8_E4M3, found F8_E5M2"},
		{"4 bits", `{"x.weight":{"dtype":"F4","shape":[4],"data_offsets":[0,2]}}`, 2, "stored as F4, which cannot be computed with"},
	} {
		s, err := OpenBytes("m.safetensors", file(c.head, c.data))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Tensor("x.weight", torch.Float32); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "m.safetensors: ") {
			t.Errorf("%s: got %v\nwant %s", c.name, err, c.want)
		}
	}
}

func TestCacheIsBounded(t *testing.T) {
	torchtest.Need(t)
	s := open(t, filepath.Join(reference, "v3"), CacheBytes(64<<10))
	first := tensor(t, s, "lm_head.weight", torch.Float32)
	before := first.Floats()
	for range 2 {
		for _, name := range s.Names() {
			tensor(t, s, name, torch.Float32)
			if s.cache.bytes > 64<<10 || len(s.cache.byKey) != s.cache.recent.Len() {
				t.Fatalf("%d bytes in the cache, %d names, %d places", s.cache.bytes, len(s.cache.byKey), s.cache.recent.Len())
			}
		}
		torch.Collect()
	}
	if !slices.Equal(first.Floats(), before) {
		t.Error("a tensor that is held changed when it fell out of the cache")
	}
}

// copyOf is a copy of a reference folder's checkpoint, to be spoilt.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	paths, _ := filepath.Glob(filepath.Join(reference, dir, "model*"))
	for _, p := range append(paths, filepath.Join(reference, dir, configName)) {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(p)), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

func TestSpoiltFolders(t *testing.T) {
	const shard = "model-00002-of-00003.safetensors"
	reindex := func(change func(map[string]string)) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			where, err := readIndex(filepath.Join(dir, indexName))
			if err != nil {
				t.Fatal(err)
			}
			change(where)
			b, _ := json.Marshal(map[string]any{"weight_map": where})
			if err := os.WriteFile(filepath.Join(dir, indexName), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, dir string)
		want  string
	}{
		{"shard gone", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, shard)) }, "1 of 3 shards are not in the folder: " + shard},
		{"shard cut short", func(t *testing.T, dir string) { os.Truncate(filepath.Join(dir, shard), 100_000) }, shard + ": tensor "},
		{"shard of nothing", func(t *testing.T, dir string) { os.Truncate(filepath.Join(dir, shard), 0) }, shard + ": not a safetensors file: expected at least 8 bytes, found 0"},
		{"shard of text", func(t *testing.T, dir string) {
			os.WriteFile(filepath.Join(dir, shard), bytes.Repeat([]byte("<html>"), 100), 0o644)
		}, shard + ": not a safetensors file"},
		{"shard is a folder", func(t *testing.T, dir string) {
			os.Remove(filepath.Join(dir, shard))
			os.Mkdir(filepath.Join(dir, shard), 0o755)
		}, shard + ": expected a file"},
		{"tensor not in its shard", reindex(func(m map[string]string) { m["model.extra.weight"] = shard }), "tensor model.extra.weight: not in this shard"},
		{"escape", reindex(func(m map[string]string) { m["model.norm.weight"] = "../secret.safetensors" }), `tensor model.norm.weight: expected the name of a .safetensors file in the same folder, found "../secret.safetensors"`},
		{"absolute", reindex(func(m map[string]string) { m["model.norm.weight"] = "/etc/passwd" }), `found "/etc/passwd"`},
		{"index of nothing", reindex(func(m map[string]string) { clear(m) }), "expected a weight_map"},
		{"index of text", func(t *testing.T, dir string) { os.WriteFile(filepath.Join(dir, indexName), []byte("no"), 0o644) }, "expected JSON with a weight_map"},
		{"no weights", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, indexName)) }, "no weights (model.safetensors or model.safetensors.index.json); to download a model into it, run: hf download"},
		{"PyTorch's format", func(t *testing.T, dir string) {
			os.Remove(filepath.Join(dir, indexName))
			os.WriteFile(filepath.Join(dir, "pytorch_model.bin"), nil, 0o644)
		}, "pytorch_model.bin is in PyTorch's own format"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := copyOf(t, "v2-236b")
			c.spoil(t, dir)
			_, err := Open(dir)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
			if _, err := ReadConfig(dir); err != nil {
				t.Errorf("config.json is not readable without weights: %v", err)
			}
		})
	}
	if _, err := Open("testdata/no-such-folder"); err == nil || !strings.Contains(err.Error(), "no such folder") {
		t.Error(err)
	}
	if _, err := ReadConfig("testdata"); err == nil || !strings.Contains(err.Error(), "no config.json") {
		t.Error(err)
	}
}

func TestShardsWithoutIndexEntry(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.safetensors", "b.safetensors"} {
		head := fmt.Sprintf(`{"both":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"only.%s":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, name[:1])
		os.WriteFile(filepath.Join(dir, name), file(head, 2), 0o644)
	}
	index := func(s string) { os.WriteFile(filepath.Join(dir, indexName), []byte(s), 0o644) }
	index(`{"weight_map":{"both":"b.safetensors","only.a":"a.safetensors"}}`)
	s := open(t, dir)
	if e, _ := s.Entry("both"); filepath.Base(e.File) != "b.safetensors" || !slices.Equal(s.Names(), []string{"both", "only.a", "only.b"}) {
		t.Errorf("%+v %v", e, s.Names())
	}
	index(`{"weight_map":{"only.a":"a.safetensors","only.b":"b.safetensors"}}`)
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "tensor both: also in a.safetensors") {
		t.Error(err)
	}
}

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		if _, err := Open(filepath.Join(reference, "v2-236b")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDequantise(b *testing.B) {
	torchtest.Need(b)
	const rows, cols = 2048, 7168
	head := fmt.Sprintf(`{"x.weight":{"dtype":"F8_E4M3","shape":[%d,%d],"data_offsets":[0,%d]},"x.weight_scale_inv":{"dtype":"F32","shape":[16,56],"data_offsets":[%d,%d]}}`,
		rows, cols, rows*cols, rows*cols, rows*cols+16*56*4)
	s, err := OpenBytes("bench", file(head, rows*cols+16*56*4), CacheBytes(0))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(rows * cols)
	for b.Loop() {
		tensor(b, s, "x.weight", torch.Float32)
		torch.Collect()
	}
}
