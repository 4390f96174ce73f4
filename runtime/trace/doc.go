// Package trace lets a body of code read and replace the values of a forward
// pass while that pass runs.
//
// # How it works
//
// A forward is a function that shows its values, in one fixed order, through
// point.Scope. Plan is that order, found by running the forward once on the meta
// device. A Pass runs the forward as a coroutine beside the body. The forward
// stands still until the body asks for a value; then it runs up to that value and
// stands still again, holding it. So the body gets real tensors: it can print
// them, branch on them, loop over them. What the body writes at a stop is what the
// forward goes on with.
//
// The frontier is the stop at which the forward stands. A write behind it would
// come too late and is an error. A read behind it is served by a replay: the same
// forward run again, with the writes made so far, up to that value. The replay
// computes the same numbers with the same operations and leaves the frontier where
// it is.
//
// When the body ends, the forward is dropped where it stands: nothing behind the
// last value asked for is computed.
//
// Body and forward are coroutines of one OS thread (iter.Pull), because a
// hand-over between goroutines costs a thousand times as much and takes the
// forward away from its thread's OpenMP team. Switching a coroutine from another
// thread is fatal to the process, so every access compares thread ids first and
// refuses with ThreadError.
//
// Tensors made by the forward live in an arena and are freed as soon as the pass
// no longer needs them; what the body was given belongs to the body.
//
// It may import runtime/torch and runtime/point. It knows no family.
package trace
