// Package families holds the architectures of the DeepSeek models: one file each,
// written as the equations of the model, over mathematics that they share.
//
// A family shows every value through a point.Scope and goes on with what comes
// back. What it computes depends on its input only, never on who looks.
//
// Attention is computed explicitly, scores and softmax and mixture, on every watched
// pass of fewer than nn.LongTrace queries times keys and on every pass that records
// gradients. Longer ones use a kernel that makes no pattern, so that memory does not
// grow with heads × queries × keys: a pattern that is read is made beside it and
// freed with its block; one that is written is what the block goes on with, whose
// numbers may then differ from the kernel's in the last digits. A pass that nobody
// watches uses that kernel from a shorter prompt on, and attends to the latents
// themselves when it decodes. The ways are equal to a few units of the last digit.
//
// On the
// meta device, which has shapes and no values, the same code runs with one
// difference: the experts are not chosen, and all slots run the first one's shapes.
//
// It may import runtime/torch, runtime/checkpoint, runtime/point and runtime/nn.
package families
