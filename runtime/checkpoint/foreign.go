package checkpoint

import (
	"bytes"
	"fmt"
	"os"
)

// A foreign format is one that is often found under the name of another.
type foreign struct {
	magic, name, mend string
}

var foreigners = []foreign{
	{"version https://git-lfs", "a Git LFS pointer that stands for the file", "in the repository, run: git lfs pull"},
	{"GGUF", "a GGUF file", "gonterp reads the safetensors files it was made from"},
	{"PK\x03\x04", "PyTorch's own format", "save it again as safetensors"},
	{"\x80\x02", "a Python pickle", "save it again as safetensors"},
	{"<", "a web page", "download it again"},
	{"{", "JSON", "download it again"},
}

// recognise is the format that data, which is not what was expected, is in.
func recognise(data []byte) (foreign, bool) {
	for _, f := range foreigners {
		if bytes.HasPrefix(data, []byte(f.magic)) {
			return f, true
		}
	}
	return foreign{}, false
}

// textLimit is more than any config.json or index takes: that of a checkpoint of
// 671 billion parameters has 9 MB.
const textLimit = 256 << 20

// readText reads a JSON file. A pipe or a device, which might never end, is not read.
func readText(file string) ([]byte, error) {
	if err := regular(file); err != nil {
		return nil, err
	}
	if info, err := os.Stat(file); err == nil && info.Size() > textLimit {
		return nil, &FileError{File: file, Problem: fmt.Sprintf("expected JSON of at most %d MB, found %d", textLimit>>20, info.Size()>>20)}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if f, ok := recognise(data); ok && f.magic != "{" {
		return nil, &FileError{File: file, Problem: "expected JSON, found " + f.name, Mend: f.mend}
	}
	return data, nil
}

// regular says whether file can be read to an end.
func regular(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() {
		return nil
	}
	found := "a device"
	switch {
	case info.IsDir():
		found = "a folder"
	case info.Mode()&os.ModeNamedPipe != 0:
		found = "a pipe"
	case info.Mode()&os.ModeSocket != 0:
		found = "a socket"
	}
	return &FileError{File: file, Problem: "expected a file, found " + found}
}
