package checkpoint

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

const (
	singleName = "model.safetensors"
	indexName  = "model.safetensors.index.json"
)

// Open maps the weights of a folder: model.safetensors, or the shards that
// model.safetensors.index.json lists. A single safetensors file can be named
// too.
func Open(dir string, opts ...Option) (Store, error) {
	info, err := os.Stat(dir)
	if err != nil {
		if os.IsNotExist(err) {
			return nil, fmt.Errorf("%s: no such folder; %s", dir, howToGet(dir))
		}
		return nil, err
	}
	s := newFiles(dir, opts)
	if !info.IsDir() {
		if err := s.open(dir); err != nil {
			return nil, err
		}
		return s, nil
	}
	if c, err := ReadConfig(dir); err == nil && c.Quantization != nil {
		s.block = c.Quantization.WeightBlockSize
	}
	switch {
	case exists(filepath.Join(dir, singleName)):
		err = s.open(filepath.Join(dir, singleName))
	case exists(filepath.Join(dir, indexName)):
		err = s.openShards(dir)
	default:
		err = missing(dir, "weights ("+singleName+" or "+indexName+")")
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (s *files) open(file string) error {
	m, err := mapFile(file)
	if err != nil {
		return err
	}
	tensors, err := parseHeader(file, m.data)
	if err != nil {
		return err
	}
	s.add(m, tensors)
	return nil
}

// openShards opens every shard of the index. The index decides where a tensor
// is; one that only a shard knows is taken too.
func (s *files) openShards(dir string) error {
	index := filepath.Join(dir, indexName)
	where, err := readIndex(index)
	if err != nil {
		return err
	}
	shards := slices.Sorted(maps.Keys(invert(where)))
	var gone []string
	for _, name := range shards {
		if !exists(filepath.Join(dir, name)) {
			gone = append(gone, name)
		}
	}
	if len(gone) > 0 {
		return &FileError{File: index, Problem: fmt.Sprintf("%d of %d shards are not in the folder: %s", len(gone), len(shards), brief(gone)), Mend: howToGet(dir)}
	}
	opened, err := openAll(dir, shards)
	if err != nil {
		return err
	}
	for _, sh := range opened {
		for _, t := range sh.tensors {
			if named, ok := where[t.name]; ok && named != sh.name {
				continue
			}
			if was, ok := s.tensors[t.name]; ok {
				return &FileError{File: sh.in.file, Tensor: t.name, Problem: fmt.Sprintf("also in %s, and %s does not say which counts", filepath.Base(was.in.file), indexName)}
			}
			s.tensors[t.name] = place{t, sh.in}
		}
	}
	var absent []string
	for name := range where {
		if _, ok := s.tensors[name]; !ok {
			absent = append(absent, name)
		}
	}
	if len(absent) > 0 {
		name := slices.Min(absent)
		return &FileError{File: filepath.Join(dir, where[name]), Tensor: name, Problem: fmt.Sprintf("not in this shard, where %s has it", indexName), Mend: howToGet(dir)}
	}
	s.names = slices.Sorted(maps.Keys(s.tensors))
	return nil
}

type shard struct {
	name    string
	in      *mapping
	tensors []stored
	err     error
}

// openAll maps shards side by side: a large checkpoint has 163 of them and
// headers of 12 MB.
func openAll(dir string, names []string) ([]shard, error) {
	out := make([]shard, len(names))
	var wait sync.WaitGroup
	room := make(chan struct{}, 8)
	for i, name := range names {
		wait.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			sh := &out[i]
			sh.name = name
			file := filepath.Join(dir, name)
			if sh.in, sh.err = mapFile(file); sh.err == nil {
				sh.tensors, sh.err = parseHeader(file, sh.in.data)
			}
		})
	}
	wait.Wait()
	for _, sh := range out {
		if sh.err != nil {
			return nil, sh.err
		}
	}
	return out, nil
}

// readIndex is the shard of every tensor.
func readIndex(file string) (map[string]string, error) {
	data, err := readText(file)
	if err != nil {
		return nil, err
	}
	var index struct {
		WeightMap map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(data, &index); err != nil {
		return nil, &FileError{File: file, Problem: "expected JSON with a weight_map from tensor to shard: " + err.Error()}
	}
	if len(index.WeightMap) == 0 {
		return nil, &FileError{File: file, Problem: "expected a weight_map from tensor to shard, found none"}
	}
	for name, sh := range index.WeightMap {
		if !filepath.IsLocal(sh) || filepath.Base(sh) != sh || filepath.Ext(sh) != ".safetensors" {
			return nil, &FileError{File: file, Tensor: name, Problem: fmt.Sprintf("expected the name of a .safetensors file in the same folder, found %q", sh)}
		}
	}
	return index.WeightMap, nil
}

func invert(where map[string]string) map[string]bool {
	out := map[string]bool{}
	for _, sh := range where {
		out[sh] = true
	}
	return out
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func brief(names []string) string {
	if len(names) > 4 {
		return strings.Join(names[:3], ", ") + fmt.Sprintf(" and %d more", len(names)-3)
	}
	return strings.Join(names, ", ")
}
