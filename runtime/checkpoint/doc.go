// Package checkpoint reads what a model is released as: config.json, the
// safetensors files and their index, and the folders the Hugging Face client
// keeps them in.
//
// Config has config.json's fields, in the releases' spelling and in
// transformers 5's, with the defaults of transformers' configuration classes.
// Store hands out tensors by name. Files are mapped read-only, so a weight
// costs memory only while it is used: one asked for in the dtype it is stored
// in is wrapped where it lies, any other is converted, FP8 blocks included,
// through a cache bounded in bytes.
//
// A file that is cut short by another program while it is mapped cannot be
// read any more: touching the missing part is a fault of the whole process
// (SIGBUS), which no recover stops. Replace a checkpoint by renaming, never by
// writing into it.
//
// It may import runtime/torch and runtime/spelling, and nothing else of the project.
package checkpoint
