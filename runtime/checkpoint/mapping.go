package checkpoint

import (
	"os"
	"sync"
)

// A mapping is the bytes of a file.
//
// A mapping lasts as long as the process. libtorch does not tie the views it
// makes of a wrapped weight to the memory below, and what is kept is address
// space: clean pages that the system takes back when it needs them.
type mapping struct {
	file string
	data []byte
}

// mapped are the mappings made so far, so that opening a checkpoint again finds
// them.
var mapped struct {
	sync.Mutex
	files map[identity]*mapping
	bytes map[*byte]*mapping
}

func mapFile(file string) (*mapping, error) {
	if err := regular(file); err != nil {
		return nil, err
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() == 0 {
		return &mapping{file: file}, nil
	}
	mapped.Lock()
	defer mapped.Unlock()
	id := identify(f, info)
	if m := mapped.files[id]; m != nil {
		return &mapping{file, m.data}, nil
	}
	data, err := mmap(f, int(info.Size()))
	if err != nil {
		return nil, &FileError{File: file, Problem: "cannot be mapped into memory: " + err.Error()}
	}
	if mapped.files == nil {
		mapped.files = map[identity]*mapping{}
	}
	m := &mapping{file, data}
	mapped.files[id] = m
	return m, nil
}

func mapBytes(name string, data []byte) *mapping {
	m := &mapping{name, data}
	if len(data) == 0 {
		return m
	}
	mapped.Lock()
	defer mapped.Unlock()
	if mapped.bytes == nil {
		mapped.bytes = map[*byte]*mapping{}
	}
	mapped.bytes[&data[0]] = m
	return m
}
