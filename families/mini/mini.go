// Package mini is the embedded model: a DeepSeek-V3.2 of 1.2 million parameters,
// small enough to travel inside the program and trained so that textbook findings
// can be made in it. README.md is its model card.
//
// It imports nothing of the project.
package mini

import "embed"

// Files is the checkpoint folder: config.json, model.safetensors, tokenizer.json,
// tokenizer_config.json.
//
//go:embed config.json model.safetensors tokenizer.json tokenizer_config.json
var Files embed.FS

// Read is one file of the folder.
func Read(name string) []byte {
	b, err := Files.ReadFile(name)
	if err != nil {
		panic(err) // the names above are all there are
	}
	return b
}
