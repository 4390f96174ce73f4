// Package doctor looks over an installation: which libtorch would be opened and
// whether it opens, whether Jupyter knows the kernel, which optional tools are there.
// Every fault comes with the command that mends it.
//
// It changes nothing and needs no network. It may import
// runtime/torch, runtime/checkpoint and runtime/folder.
package doctor
