// Package tokenizer turns text into token ids and back, as Hugging Face's
// tokenizers library does for byte-level BPE: from tokenizer.json, with its
// normalizer, pre-tokenizers, added tokens and post-processor, and offsets in
// code points. It also lays out conversations by the model's chat template.
//
// A part of tokenizer.json that it does not know is an error when loading, never
// a token that differs. Unicode classes are those of the tokenizers library
// (tables.go), because Go's differ in a few hundred code points.
//
// truncation and padding in tokenizer.json are not applied.
//
// It may import nothing else of the project.
package tokenizer
