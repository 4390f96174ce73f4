// Package families holds the architectures of the DeepSeek models: one file each,
// written as the equations of the model, over mathematics that they share.
//
// A family shows every value through a point.Scope and goes on with what comes
// back. What it computes depends on its input only, never on who looks. On the
// meta device, which has shapes and no values, the same code runs with one
// difference: the experts are not chosen, and all slots run the first one's shapes.
//
// It may import runtime/torch, runtime/checkpoint, runtime/point and runtime/nn.
package families
