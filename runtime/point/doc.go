// Package point is the vocabulary of what can be looked at inside a model, and
// the identity through which a forward shows it.
//
// Every standard value is named once here, with its layout and one sentence. A
// forward calls Scope.At where it has computed a value and goes on with what
// comes back, so that nobody needs to know who looks: families know only this
// package, and so does the interleaver.
//
// It may import runtime/torch and nothing else of the project.
package point
