// Package tokenizer turns text into token ids and back, as Hugging Face's
// tokenizers library does for byte-level BPE: from tokenizer.json, with its
// normalizer, pre-tokenizers, added tokens and post-processor, and offsets in
// code points. Where a release has tiktoken.model in its place, it does what the
// tiktoken package does. It also lays out conversations by the model's chat
// template.
//
// A part of a file that it does not know is an error when loading, never a token
// that differs. Unicode classes are those of the tokenizers library (tables.go),
// because Go's differ in a few hundred code points; tiktoken's are the same.
//
// truncation and padding in tokenizer.json are not applied.
//
// Of the project it may import docs alone.
package tokenizer
