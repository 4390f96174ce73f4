// Package nn holds the parts that the families' equations are written with:
// parameters, linear maps, norms, rotary embedding, the attention itself, and the
// cache of a generation.
//
// A module is told where it stands by a point.Scope and shows its native input
// and output there; the standard values are shown by the families. Every part
// computes the same numbers whether or not anybody looks.
//
// It may import runtime/torch, runtime/checkpoint and runtime/point, and its own
// package kern, which knows no tensors.
package nn
