package gonterp

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/gonterp/gonterp/runtime/torch"
)

// safetensorsWords are the dtypes by safetensors' names.
var safetensorsWords = map[torch.DType]string{
	torch.Float64: "F64", torch.Float32: "F32", torch.Float16: "F16", torch.BFloat16: "BF16",
	torch.Int64: "I64", torch.Int32: "I32", torch.Int16: "I16", torch.Int8: "I8", torch.Uint8: "U8", torch.Bool: "BOOL",
}

// safetensorsEntry is a tensor in a safetensors header.
type safetensorsEntry struct {
	DType   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// writeSafetensors writes columns in the format of Hugging Face's safetensors: the
// header's length, the header as JSON, then the tensors' bytes.
func writeSafetensors(w io.Writer, columns []column, metadata map[string]string) error {
	header := map[string]any{}
	if metadata != nil {
		header["__metadata__"] = metadata
	}
	at := int64(0)
	for _, c := range columns {
		word, ok := safetensorsWords[c.dtype]
		if !ok {
			return fmt.Errorf("%s is %v, which safetensors cannot hold", c.name, c.dtype)
		}
		header[c.name] = safetensorsEntry{word, append([]int{}, c.shape...), [2]int64{at, at + c.size()}}
		at += c.size()
	}
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	for len(text)%8 != 0 {
		text = append(text, ' ')
	}
	if err := binary.Write(w, binary.LittleEndian, uint64(len(text))); err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	for _, c := range columns {
		if err := c.copyTo(w, nil); err != nil {
			return err
		}
	}
	return nil
}

// readPart is the header of a safetensors file that writeSafetensors wrote, and where
// its data begins.
func readPart(file string) (entries map[string]safetensorsEntry, data int64, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	var size uint64
	if err := binary.Read(f, binary.LittleEndian, &size); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", file, err)
	}
	if info, err := f.Stat(); err != nil || size > uint64(info.Size()) {
		return nil, 0, fmt.Errorf("%s: its header is longer than the file", file)
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(f, text); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", file, err)
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", file, err)
	}
	delete(raw, "__metadata__")
	entries = map[string]safetensorsEntry{}
	for name, entry := range raw {
		var e safetensorsEntry
		if err := json.Unmarshal(entry, &e); err != nil {
			return nil, 0, fmt.Errorf("%s: %s: %w", file, name, err)
		}
		entries[name] = e
	}
	return entries, 8 + int64(size), nil
}
